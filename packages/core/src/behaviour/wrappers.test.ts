import { findRow, PROGRAM_NAMES } from "@skillet/shell/programs";
import { expect, test } from "vitest";
import { createUseDetector } from "./create-use-detector.ts";
import { SKILLS } from "./testing/skills-in-use.ts";

const SCRIPT = "/project/.skills/pdf/scripts/fill.py";
const detector = createUseDetector(SKILLS, { canonical: (path) => path, home: "/home/me", variables: {} });

// Programs that start no command by its words.
const OTHER_WAYS: ReadonlySet<string> = new Set([
  "at",
  "batch",
  "expect",
  "nodemon",
  "start",
  "concurrently",
]);

const WRAPPERS = PROGRAM_NAMES.flatMap((name) => {
  const { starts } = findRow(name) ?? {};
  if (starts === undefined || OTHER_WAYS.has(name)) return [];
  const [subcommand] = starts.subcommands ?? [];
  const lead = subcommand === undefined ? name : `${name} ${subcommand}`;
  const operand = " 1".repeat(starts.operands ?? 0);
  const valued = [...(starts.valued ?? [])].filter(
    // As a word of the shell `time` takes none of them.
    (option) =>
      name !== "time" && !starts.text?.has(option) && !/^(?:-m|--module|-I|--replace)$/.test(option),
  );
  return [`${lead}${operand}`, ...valued.map((option) => `${lead} ${option} 5${operand}`)];
});

test.each(WRAPPERS)("a script that `%s` starts is seen", (wrapper) => {
  const uses = detector.detect({ kind: "command", command: `${wrapper} python ${SCRIPT}`, cwd: "/project" });
  expect(uses.map(({ skill, how }) => `${skill.name} ${how}`)).toContain("pdf script");
});
