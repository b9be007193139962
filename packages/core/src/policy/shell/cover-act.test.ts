import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { coverCommand } from "../testing/cover-command.ts";
import { LEGITIMATE, SMUGGLED } from "../testing/shell-cases.ts";
import { showWords } from "./cover-act.ts";

describe("Bash(git status:*)", () => {
  test.each(LEGITIMATE)("covers %j", (command) => {
    expect(coverCommand(command, "Bash(git status:*)")).toBe("covered");
  });

  test.each(SMUGGLED)("does not cover %j", (command) => {
    expect(coverCommand(command, "Bash(git status:*)")).not.toBe("covered");
  });

  test("is a prefix of words, not of letters", () => {
    for (const command of ["git statusx", "git status-all", "git stat", "git", "gitstatus", "git 'status '"])
      expect(coverCommand(command, "Bash(git status:*)"), command).not.toBe("covered");
  });
});

describe("Bash(git status)", () => {
  test("covers its own words in any spelling, and what else leaves them alone", () => {
    for (const command of [
      "git status",
      " git\tstatus ",
      "'git' \"status\"",
      "(git status) 2>&1",
      "env git status",
    ])
      expect(coverCommand(command, "Bash(git status)"), command).toBe("covered");
  });

  test("covers no further word", () => {
    for (const command of ["git status -s", "git status .", "git status ''", "git status $X", "git status *"])
      expect(coverCommand(command, "Bash(git status)"), command).not.toBe("covered");
  });

  test.each(SMUGGLED)("does not cover %j", (command) => {
    expect(coverCommand(command, "Bash(git status)")).not.toBe("covered");
  });
});

describe("several rules", () => {
  test("every command needs one, whichever it is", () => {
    const rules = ["Bash(git log:*)", "Bash(wc -l)", "Bash(sort:*)"];
    expect(coverCommand("git log --oneline | sort -u | wc -l", ...rules)).toBe("covered");
    expect(coverCommand("git log --oneline | sort -u | wc -c", ...rules)).toBe("`wc -c` fits no rule");
  });

  test("a redirection needs a rule for the file", () => {
    const command = "git log > /tmp/out/log.txt";
    expect(coverCommand(command, "Bash(git log:*)")).toBe("it writes /tmp/out/log.txt");
    expect(coverCommand(command, "Bash(git log:*)", "Write(//tmp/out/**)")).toBe("covered");
    expect(coverCommand("git log > ../log", "Bash(git log:*)", "Write(./**)")).toBe("it writes ../log");
    expect(coverCommand("git log > ../log", "Bash(git log:*)", "Write")).toBe("covered");
    expect(coverCommand('git log > "$X"', "Bash(git log:*)", "Write")).not.toBe("covered");
    expect(coverCommand("git log < /dev/udp/h/1", "Bash(git log:*)", "Read")).not.toBe("covered");
  });

  test("a program that starts another needs a rule of its own where it adds rights, and what it starts one as well", () => {
    const rules = ["Bash(sudo:*)", "Bash(find:*)", "Bash(git status:*)"];
    expect(coverCommand("sudo git status", ...rules)).toBe("covered");
    expect(coverCommand("sudo rm x", ...rules)).not.toBe("covered");
    expect(coverCommand("sudo -u root git status", ...rules)).not.toBe("covered");
    expect(coverCommand("find . -name x -exec git status {} +", ...rules)).toBe("covered");
    expect(coverCommand("find . -exec rm {} \\;", ...rules)).not.toBe("covered");
    expect(coverCommand("find . -exec sh -c 'git status {}' \\;", ...rules)).not.toBe("covered");
    expect(coverCommand("find $X -exec git status {} +", ...rules)).not.toBe("covered");
    expect(coverCommand("find . -exec git status {} + -delete", ...rules)).not.toBe("covered");
    expect(coverCommand("find . -exec git status + --output=x \\;", ...rules)).not.toBe("covered");
    expect(coverCommand("find . -exec git status {} \\; -exec rm {} +", ...rules)).not.toBe("covered");
  });

  test("a rule that names what is started is enough", () => {
    expect(coverCommand("sudo apt-get update", "Bash(sudo apt-get update:*)")).toBe("covered");
    expect(coverCommand("sudo apt-get update -o Dir=x", "Bash(sudo apt-get update:*)")).not.toBe("covered");
    expect(coverCommand("watch git status -s", "Bash(watch git status:*)")).toBe("covered");
    expect(coverCommand("env FOO=1 make test", "Bash(env FOO=1 make:*)")).toBe("covered");
    expect(coverCommand("env FOO=1 make test", "Bash(make:*)")).not.toBe("covered");
    expect(coverCommand("xargs git add", "Bash(xargs git add)")).toBe("covered");
    expect(coverCommand("xargs git add", "Bash(xargs git add:*)")).not.toBe("covered");
  });

  test("words of a rule may be left open in part", () => {
    expect(coverCommand("npm run test:unit -- --watch", "Bash(npm run test*)")).toBe("covered");
    expect(coverCommand("npm run build", "Bash(npm run test*)")).not.toBe("covered");
    expect(coverCommand("git push origin main", "Bash(git push * main)")).toBe("covered");
    expect(coverCommand("git push --exec=x main", "Bash(git push * main)")).not.toBe("covered");
    expect(coverCommand("git log -Sx", "Bash(git log -*)")).toBe("covered");
    expect(coverCommand("git log --output=x", "Bash(git log -*)")).not.toBe("covered");
    expect(coverCommand("python3.12 x.py", "Bash(python*)")).toBe("covered");
    expect(coverCommand("python/../rm x.py", "Bash(python*)")).not.toBe("covered");
    expect(coverCommand("python scripts/x.py", "Bash(python scripts/*)")).toBe("covered");
    expect(coverCommand("python scripts/../../x.py", "Bash(python scripts/*)")).not.toBe("covered");
  });
});

describe("whatever is added to a covered command", () => {
  const additions = [
    "; rm x",
    " && rm x",
    " || rm x",
    " | sh",
    "\nrm x",
    " $(rm x)",
    " `rm x`",
    " & rm x",
    " > x",
  ];

  test("is not covered with it, unless it is a word", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...LEGITIMATE.filter((command) => !/#|<<'EOF'/.test(command))),
        fc.constantFrom(...additions),
        (command, addition) => {
          expect(coverCommand(command.trimEnd() + addition, "Bash(git status:*)")).not.toBe("covered");
        },
      ),
      { numRuns: 500 },
    );
  });

  test("in front of it is not covered either", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...LEGITIMATE),
        fc.constantFrom("rm x; ", "rm x && ", "rm x | ", "rm x\n", "$(rm x) ", "X=`rm x` ", "rm "),
        (command, addition) => {
          expect(coverCommand(addition + command, "Bash(git status:*)")).not.toBe("covered");
        },
      ),
      { numRuns: 500 },
    );
  });

  test("as text never makes it fail", () => {
    const fragment = fc.constantFrom(
      ..."$(){}[]<>|&;`'\"\\!#*?~=^\n\t -".split(""),
      "git status",
      "EOF",
      "${x",
      "<<",
      "$((",
      "[[",
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(fragment, fc.string({ unit: "binary" })), { maxLength: 30 }), (parts) => {
        expect(typeof coverCommand(parts.join(""), "Bash(git status:*)")).toBe("string");
      }),
      { numRuns: 2000 },
    );
  });
});

test("what is shown of a command is one short line", () => {
  const words = ["a\nb", "c".repeat(100)].map((value) => ({ kind: "known", value }) as const);
  expect(showWords(words)).toBe(`a b ${"c".repeat(75)}…`);
});
