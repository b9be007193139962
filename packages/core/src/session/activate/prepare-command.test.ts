// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are the tokens that skills are written with

import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { findRebinding, placeValues } from "./prepare-command.ts";

test.each([
  "set -- push; git 'log'",
  "\\set -- push; git 'log'",
  "s'e't -- push; git 'log'",
  "command set -- push; git 'log'",
  "shift; git 'log'",
  "eval 'set -- push'; git 'log'",
  ". ./x; git 'log'",
  "f() { git 'log'; }; f push",
  "trap 'set -- push' DEBUG; git 'log'",
  "printf -v 'a[$(id)]' x",
  "read 'a[$(id)]'",
  "if true; then set -- push; fi; git 'log'",
])("%s may not get the values that were judged", (command) => {
  expect(findRebinding(command)).toEqual(expect.any(String));
});

test.each([
  "git log 'x'",
  "grep 'a' f | sort > /dev/null",
  "for f in 'a'; do cat \"$f\"; done",
  "printf %s 'a'",
])("%s does", (command) => {
  expect(findRebinding(command)).toBeUndefined();
});

const substitution = { names: ["file"], variables: { SKILL_DIR: "/s k" } };

function place(command: string, given = "a 'b c'"): ReturnType<typeof placeValues> {
  return placeValues(command, { ...substitution, arguments: given });
}

describe("a value becomes a parameter", () => {
  test.each([
    ["git log $0", 'git log "${1}"', "git log 'a'", ["a"]],
    ['git log --author="$1 x"', 'git log --author="${1} x"', `git log --author=""'b c'" x"`, ["b c"]],
    ["echo $0 $1 $0", 'echo "${1}" "${2}" "${1}"', "echo 'a' 'b c' 'a'", ["a", "b c"]],
    ["cat ${SKILL_DIR}/x", 'cat "${1}"/x', "cat '/s k'/x", ["/s k"]],
    ["date $(date) ${HOME} $file", 'date $(date) ${HOME} "${1}"', "date $(date) ${HOME} 'a'", ["a"]],
    ["cat <<< $0 | (head) # done", 'cat <<< "${1}" | (head) # done', "cat <<< 'a' | (head) # done", ["a"]],
    ["a 'it''s' \\' $0", `a 'it''s' \\' "\${1}"`, "a 'it''s' \\' 'a'", ["a"]],
    ["grep $0 | awk '{print $7}'", `grep "\${1}" | awk '{print $7}'`, "grep 'a' | awk '{print $7}'", ["a"]],
  ])("%s", (written, command, judged, parameters) => {
    expect(place(written)).toEqual({
      command,
      judged,
      parameters,
      usesArguments: !written.includes("SKILL_DIR"),
    });
  });
});

describe("a command is refused whose shell would not read the value as one", () => {
  test.each([
    "printf %s '$ARGUMENTS'",
    "cat <<EOF\n$0\nEOF",
    "echo $'$0'",
    "echo $$0",
    'echo "$$0"',
    "echo `date $0`",
    "echo $(date $0)",
    'echo "$(date "$0")"',
    "echo $((1 + $0))",
    "[[ $0 -eq 1 ]]",
    "a[$0]=1",
    "# $0",
    'echo "$0',
    "echo ${HOME:-$0}",
    "f() { $0; }",
    "a=($0)",
    "echo $0 $7",
    'echo $0 "$@"',
    "echo $0 ${1}",
  ])("%j", (command) => {
    expect(place(command)).toEqual({ problem: expect.any(String) });
  });

  test("nor one that no process can be given", () => {
    expect(place("echo $0", "a\0b")).toEqual({ problem: "the value of $0 has a NUL in it" });
  });
});

test("without arguments, what the shell or awk would read stays, and what is empty leaves nothing", () => {
  const command = `git log $ARGUMENTS | awk '{print $1}' "$1" $file`;
  expect(placeValues(command, substitution)).toEqual({
    command: `git log  | awk '{print $1}' "$1" `,
    judged: `git log  | awk '{print $1}' "$1" `,
    parameters: [],
    usesArguments: false,
  });
});

test("an escaped token reaches the program as it is written, in single quotes too", () => {
  expect(place("awk '{print \\$1}' \\$0 \"\\$0\"")).toMatchObject({
    command: "awk '{print $1}' \\$0 \"\\$0\"",
  });
});

test("whatever the value and the quotes, a shell prints it, and the text that is judged prints the same", () => {
  const value = fc.array(
    fc.constantFrom("'", '"', "$(id)", "`id`", ";", "\\", " ", "$1", "a", "\n", "*", "~", "é"),
    { maxLength: 6 },
  );
  const template = fc.constantFrom(
    "printf '<%s>' $ARGUMENTS",
    `printf '<%s>' "$ARGUMENTS"`,
    `printf '<%s>' a$ARGUMENTS"b $ARGUMENTS"`,
  );
  fc.assert(
    fc.property(value, template, (pieces, command) => {
      const given = pieces.join("");
      const placed = place(command, given);
      if (given === "" || "problem" in placed) return "problem" in placed ? expect.unreachable() : undefined;
      const printed = run(placed.command, placed.parameters);
      expect(printed).toBe(run(placed.judged, []));
      expect(printed).toContain(given);
    }),
    { numRuns: 25 },
  );
});

function run(command: string, parameters: readonly string[]): string {
  return execFileSync("sh", ["-c", command, "sh", ...parameters], { encoding: "utf8", timeout: 60_000 });
}
