import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { temporaryDirectory } from "../../../../kit/src/testing/temporary-directory.ts";
import { matchesFolder, parseIgnorePattern } from "./ignore-rules.ts";

const ENOUGH = 1_000_000;

function matches(rule: string, path: string): boolean {
  const pattern = parseIgnorePattern(rule);
  return pattern !== undefined && matchesFolder(pattern, path.split("/"), { left: ENOUGH });
}

test.each([
  ["build", ["build", "a/build"], ["builds", "build/a"]],
  ["build/", ["build", "a/build"], ["builds"]],
  ["/build", ["build"], ["a/build"]],
  ["a/build", ["a/build"], ["build", "x/a/build"]],
  ["*.tmp", ["x.tmp", "a/.tmp"], ["tmp"]],
  ["a?c", ["abc"], ["ac", "abbc"]],
  ["a/*/c", ["a/b/c"], ["a/c", "a/b/b/c"]],
  ["**/c", ["c", "a/b/c"], ["a/b"]],
  ["a/**", ["a/b", "a/b/c"], ["a"]],
  ["a/**/c", ["a/c", "a/b/c", "a/b/b/c"], ["a/b", "c"]],
  ["[a-c]x", ["ax", "cx"], ["dx", "x"]],
  ["[!a-c]x", ["dx"], ["ax"]],
  ["[]-]", ["]", "-"], ["a"]],
  ["[[:digit:]_]", ["7", "_"], ["a"]],
  ["\\#a", ["#a"], ["\\#a"]],
  ["\\!a", ["!a"], ["a"]],
  ["a\\*", ["a*"], ["ab"]],
  ["a\\ ", ["a "], ["a"]],
  ["a   ", ["a"], ["a "]],
  ["a\r", ["a"], []],
])("the rule %j speaks of %j and not of %j", (rule, yes, no) => {
  expect([yes.filter((path) => !matches(rule, path)), no.filter((path) => matches(rule, path))]).toEqual([
    [],
    [],
  ]);
});

test.each(["", "   ", "# a", "/", "!", "[a", "a\\", "[[:letters:]]"])("%j is no rule", (line) => {
  expect(parseIgnorePattern(line)).toBeUndefined();
});

test("a rule full of stars costs at most its length times the name's", () => {
  const stars = 500;
  const pattern = parseIgnorePattern(`${"*a".repeat(stars)}b`);
  const name = "a".repeat(250);
  const work = { left: ENOUGH };
  expect(pattern && matchesFolder(pattern, [name], work)).toBe(false);
  expect(ENOUGH - work.left).toBeLessThanOrEqual(2 * (2 * stars + 1) * name.length);
});

test("without work left nothing matches", () => {
  const pattern = parseIgnorePattern("a*b");
  expect(pattern && matchesFolder(pattern, ["aaab"], { left: 3 })).toBe(false);
});

// What git reads byte by byte, a slash in brackets or behind a backslash, and its shortcut for text in front of `**`
// are left out: there the two differ.
describe("git agrees", () => {
  const piece = fc.constantFrom(
    ...["a", "b", "ab", "-", "*", "?", "[a]", "[!a]", "[^b]", "[a-b]", "[]a]", "[!]a]", "[[:alpha:]]"],
    ...["[a\\]]", "[\\a-b]", "\\a", "\\*", "\\!", "!", "#", " ", "]"],
  );
  const part = fc.oneof(
    fc.array(piece, { minLength: 1, maxLength: 4 }).map((pieces) => pieces.join("").replace(/\*+/g, "*")),
    fc.constant("**"),
  );
  const rule = fc
    .tuple(
      fc.constantFrom("", "", "", "!", "/"),
      fc.array(part, { minLength: 1, maxLength: 3 }),
      fc.constantFrom("", "/"),
    )
    .map(([start, parts, end]) => `${start}${parts.join("/")}${end}`);
  const name = fc.constantFrom("a", "b", "ab", "ba", "aab", "-", "*", "a b", "!a", "#", "]", "[a]", "x");
  const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join("/"));

  test.skipIf(!hasGit())("about which of many folders one rule speaks of", () => {
    const repository = temporaryDirectory();
    execFileSync("git", ["init", "--quiet", repository]);
    execFileSync("git", ["-C", repository, "config", "core.ignorecase", "false"]);
    fc.assert(
      fc.property(rule, fc.uniqueArray(path, { minLength: 20, maxLength: 20 }), (line, paths) => {
        for (const folder of paths) mkdirSync(join(repository, folder), { recursive: true });
        writeFileSync(join(repository, ".gitignore"), `${line}\n`);
        // What hides a folder hides what is in it, and git says so of both; what shows one shows that one alone.
        const isNegated = parseIgnorePattern(line)?.negated === true;
        const isNamed = (folder: string): boolean =>
          matches(line, folder) || (!isNegated && parentsOf(folder).some((parent) => matches(line, parent)));
        expect(paths.filter(isNamed)).toEqual(askGit(repository, paths));
      }),
      { numRuns: 150 },
    );
  });
});

function parentsOf(path: string): string[] {
  const names = path.split("/");
  return names.slice(1).map((_, index) => names.slice(0, index + 1).join("/"));
}

function askGit(repository: string, paths: readonly string[]): string[] {
  const command = [
    "-C",
    repository,
    "check-ignore",
    "--no-index",
    "--verbose",
    "--non-matching",
    "-z",
    "--stdin",
  ];
  const options = { input: paths.map((path) => `${path}\0`).join(""), stdio: "pipe" } as const;
  // Four fields a path: file, line, rule, path; the exit code says only whether any was ignored.
  const fields = runGit(command, options).split("\0");
  return paths.filter((_, index) => fields[index * 4 + 2] !== "");
}

function runGit(
  command: readonly string[],
  options: { readonly input: string; readonly stdio: "pipe" },
): string {
  try {
    return execFileSync("git", command, options).toString();
  } catch (error) {
    const { status, stdout } = error as { status?: number; stdout?: Buffer };
    if (status !== 1 || stdout === undefined) throw error;
    return stdout.toString();
  }
}

function hasGit(): boolean {
  try {
    execFileSync("git", ["--version"], { stdio: "ignore" });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
}
