import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { RuntimePlan } from "./choose-runtime.ts";
import { planRuntime, type RuntimeQuestion } from "./plan-runtime.ts";

const ask = (head: string | Uint8Array, question: Partial<RuntimeQuestion> = {}) =>
  planRuntime({
    path: "scripts/x",
    executable: true,
    head: typeof head === "string" ? Buffer.from(head) : head,
    network: "none",
    ...question,
  });
const called = (plan: ReturnType<typeof planRuntime>): string[] | string =>
  "refused" in plan
    ? plan.refused
    : plan.candidates.map(({ interpreter, flags, separator }) =>
        [interpreter, ...flags, "FILE", ...(separator ? [separator] : [])].join(" "),
      );

describe("a script with a first line", () => {
  test.each([
    ["#!/bin/bash", ["bash FILE"]],
    ["#! /usr/bin/bash -e ", ["bash -e FILE"]],
    ["#!/usr/bin/env bash\r", ["bash FILE"]],
    ["#!/bin/bash -euo pipefail", ["bash -euo pipefail FILE"]],
    ["#!/bin/bash --norc -x", ["bash --norc -x FILE"]],
    ["#!/bin/sh -", ["sh FILE"]],
    ["#!/bin/dash -eu", ["dash -eu FILE"]],
    ["#!/usr/bin/env python", ["python3 FILE", "python FILE"]],
    ["#!/usr/bin/env python3 -u", ["python3 -u FILE"]],
    ["#!/usr/local/bin/python3.11 -IB -W ignore -X utf8", ["python3.11 -IB -W ignore -X utf8 FILE"]],
    ["#!/usr/bin/env -S python3 -OO -Wdefault", ["python3 -OO -Wdefault FILE"]],
    ["#!/usr/bin/env -Spython3 -s", ["python3 -s FILE"]],
    ["#!/usr/bin/env --split-string=python3 -E", ["python3 -E FILE"]],
    ["#!/usr/bin/env nodejs", ["node FILE"]],
    [
      "#!/usr/bin/env -S node --no-warnings --max-old-space-size=512",
      ["node --no-warnings --max-old-space-size=512 FILE"],
    ],
    [
      "#!/usr/bin/env -S deno run --allow-net=api.example.org -R",
      ["deno run --no-prompt --no-remote --no-npm --allow-net=api.example.org -R FILE"],
    ],
    ["#!/usr/bin/env -S deno -A", ["deno run --no-prompt --no-remote --no-npm -A FILE"]],
    ["#!/usr/bin/env bun", ["bun run --no-install FILE"]],
    ["#!/usr/bin/ruby -w", ["ruby -w FILE"]],
    ["#!/usr/bin/perl -wT", ["perl -wT FILE"]],
    ["#!/usr/bin/awk -f", ["awk -f FILE --"]],
    ["#!/usr/bin/zsh", ["zsh -f FILE"]],
    ["#!/usr/bin/env Rscript", ["Rscript --vanilla FILE"]],
    ["#!/usr/bin/lua5.4", ["lua5.4 FILE"]],
    ["#!/usr/bin/env -S uv run --script", ["python3 FILE"]],
    ["#!/tmp/somewhere/python3", ["python3 FILE"]],
  ])("%j is run as the interpreter of that name", (line, expected) => {
    expect(called(ask(`${line}\nbody\n`))).toEqual(expected);
  });

  test.each([
    ["#!", "names no interpreter"],
    ["#!bash", "by an absolute path"],
    ["#!/usr/bin/env", "names no interpreter"],
    ["#!/usr/bin/env LD_PRELOAD=/x bash", "sets a variable"],
    ["#!/usr/bin/env -S A=b bash", "sets a variable"],
    ["#!/usr/bin/env -i bash", "the flag -i"],
    ["#!/usr/bin/env -u PATH bash", "the flag -u"],
    ["#!/usr/bin/env -S bash -c 'id'", "quotes, escapes or variables"],
    ["#!/usr/bin/env -S bash $X", "quotes, escapes or variables"],
    ["#!/bin/bash -c", "not among the allowed flags"],
    ["#!/bin/bash -ec", "not among the allowed flags"],
    ["#!/bin/bash -i", "not among the allowed flags"],
    ["#!/bin/bash -l", "not among the allowed flags"],
    ["#!/bin/bash --rcfile /x", "not among the allowed flags"],
    ["#!/bin/bash --init-file /x", "not among the allowed flags"],
    ["#!/bin/bash -o history", "not among the allowed flags"],
    ["#!/bin/bash -O extdebug", "not among the allowed flags"],
    ["#!/bin/bash /other/script", "not among the allowed flags"],
    ["#!/bin/bash - /other/script", "not among the allowed flags"],
    ["#!/bin/sh -s", "not among the allowed flags"],
    ["#!/usr/bin/python3 -c", "not among the allowed flags"],
    ["#!/usr/bin/python3 -m http.server", "not among the allowed flags"],
    ["#!/usr/bin/python3 -i", "not among the allowed flags"],
    ["#!/usr/bin/python3 -uc", "not among the allowed flags"],
    ["#!/usr/bin/python3 -W error::mymodule.Warn", "not among the allowed flags"],
    ["#!/usr/bin/python3 -X importtime", "not among the allowed flags"],
    ["#!/usr/bin/python2", "not among the interpreters"],
    ["#!/usr/bin/node --require ./x.js", "not among the allowed flags"],
    ["#!/usr/bin/node -r ./x.js", "not among the allowed flags"],
    ["#!/usr/bin/node --import=./x.js", "not among the allowed flags"],
    ["#!/usr/bin/node -e", "not among the allowed flags"],
    ["#!/usr/bin/node --inspect", "not among the allowed flags"],
    ["#!/usr/bin/env -S deno run -A --config=/x", "not among the allowed flags"],
    ["#!/usr/bin/env -S deno run --import-map=x.json", "not among the allowed flags"],
    ["#!/usr/bin/env -S deno run --reload", "not among the allowed flags"],
    ["#!/usr/bin/env -S deno run --unstable-ffi", "not among the allowed flags"],
    ["#!/usr/bin/env -S deno run --inspect", "not among the allowed flags"],
    ["#!/usr/bin/env -S deno run --v8-flags=--x", "not among the allowed flags"],
    ["#!/usr/bin/env -S deno eval", "not among the allowed flags"],
    ["#!/usr/bin/env -S deno run -A npm:cowsay", "instead"],
    ["#!/usr/bin/env -S bun --preload ./x.ts", "not among the allowed flags"],
    ["#!/usr/bin/env -S bun x cowsay", "fetch a program"],
    ["#!/usr/bin/env -S npx tsx", "fetch a program"],
    ["#!/usr/bin/env bunx", "fetch a program"],
    ["#!/usr/bin/env -S pipx run", "fetch a program"],
    ["#!/usr/bin/ruby -rnet/http", "not among the allowed flags"],
    ["#!/usr/bin/perl -i.bak", "not among the allowed flags"],
    ["#!/usr/bin/perl -Mlib=/x", "not among the allowed flags"],
    ["#!/usr/bin/awk", "not known"],
    ["#!/usr/bin/awk -f /other", "not known"],
    ["#!/usr/bin/sed -f", "not among the interpreters"],
    ["#!/usr/bin/make -f", "not among the interpreters"],
    ["#!/usr/bin/deno-runner", "not among the interpreters"],
    ["#!/usr/bin/env -S uv run --with evil --script", "only `uv run --script`"],
    ["#!/usr/bin/env -S uv pip install", "only `uv run --script`"],
    [`#!/bin/bash ${"-e ".repeat(100)}`, "longer than 255 bytes"],
    ["#!/bin/bash\x1b[2J", "not plain text"],
  ])("%j is refused: %s", (line, reason) => {
    expect(called(ask(`${line}\n`))).toContain(reason);
  });

  test("an interpreter beyond the common ones needs an executable file", () => {
    expect(called(ask("#!/usr/bin/lua\n", { executable: false }))).toBe(
      "scripts/x cannot be run: lua scripts must be executable. Run chmod +x scripts/x in the skill.",
    );
    expect(called(ask("#!/usr/bin/perl\n", { executable: false }))).toEqual(["perl FILE"]);
  });

  test("it counts more than the ending, and says so where they differ", () => {
    const plan = ask("#!/bin/bash\n", { path: "scripts/x.py" });
    expect(called(plan)).toEqual(["bash FILE"]);
    expect((plan as RuntimePlan).diagnostics).toEqual([
      {
        code: "script-ending-differs",
        severity: "info",
        message:
          "The first line asks for bash, the extension .py for something else; the first line wins, as it does on the system.",
        file: "scripts/x.py",
        hint: "Give the file an extension that matches.",
      },
    ]);
    expect((ask("#!/bin/bash\n", { path: "scripts/x.sh" }) as RuntimePlan).diagnostics).toEqual([]);
  });
});

describe("an interpreter that runs what it finds in its working directory", () => {
  const places = (plan: ReturnType<typeof planRuntime>): unknown =>
    "refused" in plan
      ? plan.refused
      : plan.candidates.map(({ interpreter, onlyIn = "anywhere" }) => `${interpreter}: ${onlyIn}`);

  test("is run in the skill's folder alone, and last where there is a choice", () => {
    expect(places(ask("#!/usr/bin/env bun\n"))).toEqual(["bun: skill"]);
    expect(places(ask("#!/usr/bin/lua5.4\n"))).toEqual(["lua5.4: skill"]);
    expect(places(ask("#!/usr/bin/php\n"))).toEqual(["php: skill"]);
    expect(places(ask("", { path: "x.ts" }))).toEqual(["node: anywhere", "deno: anywhere", "bun: skill"]);
  });

  test("is told not to where it can be told", () => {
    expect(called(ask("#!/usr/bin/env Rscript\n"))).toEqual(["Rscript --vanilla FILE"]);
    expect(called(ask("#!/usr/bin/zsh\n"))).toEqual(["zsh -f FILE"]);
    expect(called(ask("#!/usr/bin/fish\n"))).toEqual(["fish --no-config FILE"]);
  });

  test("is not run where the script asks it to look there", () => {
    expect(called(ask('#!/usr/bin/awk -f\n  @include "lib.awk"\n'))).toContain("includes another file");
    expect(called(ask('#!/usr/bin/gawk -f\n@load "filefuncs"\n'))).toContain("includes another file");
    expect(called(ask("#!/usr/bin/awk -f\n/@include/ { print }\n"))).toEqual(["awk -f FILE --"]);
  });
});

describe("a first line that only perl would find", () => {
  test.each([
    [" #!/bin/echo", '"echo" after spaces'],
    ["\t \v\f#!/bin/echo", '"echo" after spaces'],
    ["\ufeff#!/bin/echo", '"echo" after spaces'],
    [":#!/bin/echo", '"echo" after spaces'],
    ["\ufeff : #!/usr/bin/perl -e0", "not among the allowed flags"],
    [" #!/usr/bin/perl -w -Mlib=/x", "not among the allowed flags"],
    [" #!/usr/bin/env -S FOO=1 perl", "sets a variable"],
    [" #!perl -d", "by an absolute path"],
  ])("%j is refused: %s", (line, reason) => {
    expect(called(ask(`${line}\nbody\n`, { path: "scripts/x.pl" }))).toContain(reason);
  });

  test("is let through when it says what the plain one might, and left alone for others", () => {
    expect(called(ask(" #!/usr/bin/perl -w\nbody\n", { path: "x.pl" }))).toEqual(["perl FILE"]);
    expect(called(ask("\n #!/bin/echo\n", { path: "x.pl" }))).toEqual(["perl FILE"]);
    expect(called(ask("\ufeff#!/bin/ruby -rx\n", { path: "x.rb" }))).toContain("not among the allowed flags");
    expect(called(ask("\ufeff#!/bin/echo\n", { path: "x.py" }))).toEqual(["python3 FILE", "python FILE"]);
  });
});

describe("a script without a first line", () => {
  test.each([
    ["x.sh", ["bash FILE", "sh FILE"]],
    ["x.bash", ["bash FILE"]],
    ["X.PY", ["python3 FILE", "python FILE"]],
    ["x.mjs", ["node FILE"]],
    ["x.cts", ["node FILE", "deno run --no-prompt --no-remote --no-npm FILE", "bun run --no-install FILE"]],
    ["x.rb", ["ruby FILE"]],
    ["x.pl", ["perl FILE"]],
  ])("%s is run by its ending", (path, expected) => {
    expect(called(ask("body\n", { path: `scripts/${path}` }))).toEqual(expected);
  });

  test.each([
    ["x", Buffer.from("echo\n"), "nothing says which interpreter runs it"],
    [".py", Buffer.from("echo\n").subarray(0, 0), undefined],
    ["x.exe", Buffer.from("MZ\0\0"), "a program (PE)"],
    ["x.sh", Buffer.from("\x7fELF\x02\x01", "latin1"), "a program (ELF)"],
    ["x", Buffer.from("cffaedfe", "hex"), "a program (Mach-O)"],
    ["x.py", Buffer.from("a\0b"), "it is binary"],
  ])("%s is refused when nothing can be known about it", (path, head, reason) => {
    const answer = called(ask(head, { path: `scripts/${path}` }));
    if (reason === undefined) expect(answer).toEqual(["python3 FILE", "python FILE"]);
    else expect(answer).toContain(reason);
  });
});

describe("a script that lists packages", () => {
  const header = (list: string): string =>
    `# /// script\n# requires-python = ">=3.11"\n${list}# ///\nimport x\n`;
  test.each([
    ["one line", '# dependencies = ["requests"]\n', true],
    ["several lines", '# dependencies = [\n#   # why\n#   "requests<3",\n# ]\n', true],
    ["a quoted key", "# 'dependencies' = ['x']\n", true],
    ["something that is not a list", "# dependencies = nonsense\n", true],
    ["an empty list", "# dependencies = []\n", false],
    ["an empty list with a comment", "# dependencies = [\n#   # none\n# ]\n", false],
    ["no list", "", false],
    ["a list of another table", '# [tool.x]\n# dependencies = ["a"]\n', false],
    ["an empty list and nothing else", "# dependencies = [] # none\n#\n# [tool.x]\n# y = 1\n", false],
    ["a list after an empty one", '# dependencies = [\n# ]\n# dependencies = ["a"]\n', true],
    ["a key with an escape", '# "depend\\u0065ncies" = ["a"]\n', true],
    ["a key that the standard does not have", '# dependency = ["a"]\n', true],
    ["text that looks like a table", '# x = """\n# [tool.x]\n# """\n# dependencies = ["a"]\n', true],
    ["a table of that name", '# [dependencies]\n# a = "1"\n', true],
    ["two headers", "# ///\n\n# /// script\n", true],
  ])("%s", (_what, list, lists) => {
    const plain = called(ask(header(list), { path: "scripts/x.py" }));
    const withLine = called(
      ask(`#!/usr/bin/env -S uv run --script\n${header(list)}`, { path: "scripts/x.py" }),
    );
    const granted = called(ask(header(list), { path: "scripts/x.py", network: "granted" }));
    if (lists) {
      expect(plain).toContain(
        "its header lists packages, which uv installs from the network, and scripts have none. With uv installed, grant",
      );
      expect(withLine).toBe(plain);
      expect(granted).toEqual(["uv run --no-config --script FILE"]);
    } else {
      expect(plain).toEqual(["python3 FILE", "python FILE"]);
      expect(withLine).toEqual(["python3 FILE"]);
      expect(granted).toEqual(plain);
    }
  });

  test("a header that is not closed is none", () => {
    expect(called(ask('# /// script\n# dependencies = ["x"]\nimport x\n', { path: "x.py" }))).toEqual([
      "python3 FILE",
      "python FILE",
    ]);
  });
});

test("with a network grant deno and bun may fetch", () => {
  expect(called(ask("#!/usr/bin/env -S deno run -N\n", { network: "granted" }))).toEqual([
    "deno run --no-prompt -N FILE",
  ]);
  expect(called(ask("#!/usr/bin/env bun\n", { network: "granted" }))).toEqual(["bun run FILE"]);
});

test("whatever a first line says, only words that are allowed reach an interpreter", () => {
  const words = fc.constantFrom(
    ..."bash sh python3 node deno bun ruby perl awk env run -S -c -e -m -r -i -o pipefail --require --import=x --eval -f -u x=y ./x -".split(
      " ",
    ),
  );
  const never = /^(?:-[a-zA-Z]*[cmr]|--require|--import.*|--eval|\.\/x|x=y|env)$/;
  fc.assert(
    fc.property(fc.array(words, { maxLength: 6 }), (parts) => {
      const plan = ask(`#!/usr/bin/${parts.join(" ")}\n`);
      if ("refused" in plan) return;
      for (const { flags } of plan.candidates) expect(flags.filter((flag) => never.test(flag))).toEqual([]);
    }),
    { numRuns: 2000 },
  );
});

test("any bytes at all give a plan or a reason", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), fc.boolean(), (bytes, marked) => {
      const head = marked ? Buffer.concat([Buffer.from("#!"), bytes]) : bytes;
      const plan = ask(head, { path: "scripts/x.py" });
      expect("refused" in plan ? plan.refused !== "" : plan.candidates.length > 0).toBe(true);
    }),
  );
});

test("Windows line endings are warned about where they break a script, and nowhere else", () => {
  const codes = (head: string): string[] => {
    const plan = ask(head);
    return "refused" in plan ? [plan.refused] : plan.diagnostics.map(({ code }) => code);
  };
  expect(codes("#!/bin/bash\r\nif true; then\r\necho x\r\nfi\r\n")).toEqual(["script-line-ends"]);
  expect(codes("#!/bin/bash\nprintf 'a\\r\\n'\n")).toEqual([]);
  expect(codes("#!/usr/bin/env python3\r\nprint(1)\r\n")).toEqual([]);
});
