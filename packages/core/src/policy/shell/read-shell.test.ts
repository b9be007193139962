// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are expansions of a shell
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { temporaryDirectory } from "../../../../kit/src/testing/temporary-directory.ts";
import { writeTree } from "../../testing/write-tree.ts";
import { coverCommand } from "../testing/cover-command.ts";
import { LEGITIMATE } from "../testing/shell-cases.ts";
import { readArguments, readShell } from "./read-shell.ts";
import type { ShellAct } from "./shell-act.ts";

const SHELLS = ["/bin/bash", "/bin/sh", "/bin/zsh", "/bin/ksh"].filter((path) => existsSync(path));

describe("what a command is read to do", () => {
  test("lists every program, file and unclear part, however deep", () => {
    expect(
      readShell(
        'X=1 a b >out | (c "$(d)" <in; bash -c "e; sudo f") && if g; then for i in $(h); do "$j"; done; fi',
      ).map(show),
    ).toEqual([
      "unclear: X=1 sets a variable",
      "writes out",
      "a b",
      "d",
      "reads in",
      'c "$(d)"',
      "bash -c e; sudo f [e | sudo f [f]]",
      "g",
      "h",
      'unclear: it is not known which program "\\"$j\\"" starts',
    ]);
  });

  test("a program with arguments needs no shell's reading", () => {
    expect(readArguments(["git", "log", "a; rm x"]).map(show)).toEqual(["git log a; rm x"]);
    expect(readArguments(["sudo", "bash", "-c", "rm x"]).map(show)).toEqual([
      "sudo bash -c rm x [bash -c rm x [rm x]]",
    ]);
    expect(readArguments([]).map(show)).toEqual(['unclear: it is not known which program "" starts']);
    expect(readArguments(Array.from({ length: 100_000 }, () => "env")).map(show)).toEqual([
      "unclear: it is longer than 4 KiB",
    ]);
  });

  test("shells in shells and programs that start one another are read to a bounded depth", () => {
    const nested = (depth: number): string =>
      depth === 0 ? "ls" : `eval ${JSON.stringify(nested(depth - 1))}`;
    expect(JSON.stringify(readShell(nested(4)))).not.toContain("unclear");
    expect(JSON.stringify(readShell(nested(6)))).toContain("it starts shells in shells");
    expect(JSON.stringify(readShell(`${"env ".repeat(8)}ls`))).not.toContain("unclear");
    expect(JSON.stringify(readShell(`${"env ".repeat(1000)}ls`))).toContain("it is not known which program");
    expect(readShell("a;".repeat(300)).map(show)).toEqual(["unclear: it does too many things"]);
  });

  // In zsh these are variables, or a backslash that is dropped.
  test.each(["a $~b", "a x$=b", 'a "$^b"', "a $é", "a b\\", "a $~{", "$=a"])(
    "%j, which shells read in different ways, is unclear",
    (text) => expect(JSON.stringify(readShell(text))).toContain("unclear"),
  );

  test.each(["a '$~b'", "a \\$~b", 'a "\\$=b"', "a b$", "a '\\'", "a b\\\\"])("%j is clear", (text) =>
    expect(JSON.stringify(readShell(text))).not.toContain("unclear"),
  );

  // Each of these takes a parser without bounds from seconds to for ever at this length, or ends it.
  test.each(["{a,", '"$(', "$[", "<<<$(", "{", "${x:-", "`\\`"])(
    "%j without end is not even parsed",
    (part) => {
      expect(readShell(part.repeat(1_000_000)).map(show)).toEqual(["unclear: it is longer than 4 KiB"]);
      expect(readShell(part.repeat(1000).slice(0, 4096)).map(show)).toEqual(["unclear: it nests too much"]);
    },
  );
});

// Stand-ins for programs: each notes how it was called.
const NOTE = '#!/bin/sh\n{ printf "%s\\001" "${0##*/}" "$@"; printf "\\002"; } >> "$CALLS"\n';
const PROGRAMS = ["git", "evil", "rm", "status", "a"];
const REAL = ["bash", "sh", "env", "nice", "nohup", "timeout"];

describe.each(SHELLS)("in a real shell, %s,", (shell) => {
  const run = (
    commands: readonly string[],
  ): { calls: readonly string[][]; files: readonly string[]; statuses: readonly (number | null)[] } => {
    const root = temporaryDirectory();
    const calls = join(root, "calls");
    const bin = join(root, "bin");
    writeTree(bin, Object.fromEntries(PROGRAMS.map((name) => [name, { text: NOTE, mode: 0o755 }])));
    for (const name of REAL) {
      const link = execFileSync("/bin/sh", ["-c", `command -v ${name}`], { encoding: "utf8" }).trim();
      writeTree(bin, { [name]: { link } });
    }
    const work = join(root, "work");
    mkdirSync(work);
    // Names that globs and variables may bring in.
    writeTree(work, { "--output=x": "", "-x": "", a: "", b: "", rm: "" });
    const environment = {
      PATH: bin,
      CALLS: calls,
      HOME: root,
      x: "--output=x",
      Y: "a; evil",
      NAME: "--exec=evil",
    };
    const options = { cwd: work, env: environment, input: "", timeout: 60_000 };
    const statuses = commands.map((command) => spawnSync(shell, ["-c", command], options).status);
    const noted = existsSync(calls) ? readFileSync(calls, "utf8").split("\u0002") : [];
    return {
      calls: noted.filter((line) => line !== "").map((line) => line.split("\u0001").slice(0, -1)),
      files: readdirSync(work).sort(),
      statuses,
    };
  };
  const isStatus = ([program, subcommand, ...rest]: readonly string[]): boolean =>
    program === "git" && subcommand === "status" && !rest.some((word) => /^--(?:o|ex)/.test(word));
  const unchanged = ["--output=x", "-x", "a", "b", "rm"];

  test("commands that are covered run what their rule says, and nothing else", () => {
    const { calls, files } = run(LEGITIMATE.filter((command) => !command.startsWith("while")));
    expect(calls.filter((call) => !isStatus(call))).toEqual([]);
    expect(calls.length).toBeGreaterThan(LEGITIMATE.length);
    expect(files).toEqual(unchanged);
  });

  test("so do commands that are put together at random, as far as they are covered", () => {
    const covered = fc
      .sample(arbitraryCommand(), { numRuns: 6000, seed: 20_261_115 })
      .filter((command) => coverCommand(command, "Bash(git status:*)") === "covered");
    const some = [...new Set(covered)].slice(0, 250);
    expect(some.length).toBeGreaterThan(150);
    const { calls, files } = run(some);
    expect(calls.filter((call) => !isStatus(call))).toEqual([]);
    expect(calls.length).toBeGreaterThan(100);
    expect(files).toEqual(unchanged);
  });

  test("words that are known become exactly what they are known to be", () => {
    const word = fc
      .array(
        fc.constantFrom(
          ..."ab'\"\\$`*?[]{},~#!^=/.-@%+:é".split(""),
          "''",
          "'b'",
          '"c d"',
          "\\ ",
          "\\n",
          "$'e'",
        ),
        {
          minLength: 1,
          maxLength: 6,
        },
      )
      .map((parts) => parts.join(""));
    const read = fc
      .sample(fc.array(word, { minLength: 1, maxLength: 3 }), { numRuns: 4000, seed: 20_261_115 })
      .map((words) => `git status ${words.join(" ")}`)
      .flatMap((command) => {
        const [act, ...more] = readShell(command);
        if (act?.kind !== "command" || more.length > 0) return [];
        const values = act.words.map((one) => (one.kind === "known" ? one.value : undefined));
        return values.includes(undefined) ? [] : [{ command, values }];
      })
      .slice(0, 250);
    expect(read.length).toBe(250);
    const { calls, statuses } = run(read.map(({ command }) => command));
    // zsh refuses braces and patterns that others take for text, and then runs nothing.
    const accepted = read.filter((_, index) => statuses[index] === 0);
    expect(calls).toEqual(accepted.map(({ values }) => values));
    expect(accepted.length).toBeGreaterThan(shell === "/bin/zsh" ? 150 : 249);
  });
});

function arbitraryCommand(): fc.Arbitrary<string> {
  const word = fc.constantFrom(
    ...'a -s --short src/* * ~ $x "$x" "a$x" \'b c\' \\; $Y ${x} a{b,c} {a,--output=x} $(git status) "a$(git status)"'.split(
      / (?!status|c')/,
    ),
    "<(git status)",
    "`git status`",
    "a\\\n",
    "\\\n",
    "$'\\n'",
    '"$@"',
  );
  const { command } = fc.letrec<{ command: string; simple: string }>((tie) => ({
    simple: fc
      .tuple(
        fc.constantFrom("", "", "", "LANG=C ", "env ", "nice ", "timeout 5 ", "exec ", "PATH=/x ", "./"),
        fc.constantFrom(
          "git status",
          "git status",
          "git 'status'",
          "g\\it status",
          "evil",
          "git evil",
          "git",
        ),
        fc.array(word, { maxLength: 3 }),
        fc.constantFrom(
          "",
          "",
          "",
          " >/dev/null",
          " 2>&1",
          " >x",
          " <<< a",
          " <<E\n$(git status)\nE",
          " # note",
        ),
      )
      .map(
        ([prefix, program, words, redirection]) => `${prefix}${[program, ...words].join(" ")}${redirection}`,
      ),
    command: fc.oneof(
      { depthSize: "small", maxDepth: 3 },
      tie("simple"),
      fc
        .tuple(
          fc.constantFrom(
            ..."A; B|A && B|A || B|A & B|A\nB|(A)|{ A; }|! A|if A; then B; fi|for i in a b; do A; done|case a in a) A;; esac".split(
              "|",
            ),
            ...[
              "A | B",
              "A |& B",
              "eval 'A'",
              "bash -c 'A'",
              'bash -c "A"',
              '[[ -n "$x" ]] && A',
              "A `B`",
              "f() { A; }; B",
            ],
          ),
          tie("command"),
          tie("command"),
        )
        .map(([shape, one, other]) => shape.replace(/[AB]/g, (letter) => (letter === "A" ? one : other))),
    ),
  }));
  return command;
}

function show(act: ShellAct): string {
  if (act.kind === "unclear") return `unclear: ${act.reason}`;
  if (act.kind !== "command") return `${act.kind}s ${act.path}`;
  const words = act.words.map((word) => (word.kind === "known" ? word.value : word.text)).join(" ");
  return act.runs === undefined ? words : `${words} [${act.runs.acts.map(show).join(" | ")}]`;
}
