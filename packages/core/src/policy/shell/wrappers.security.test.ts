import { findRow, PROGRAM_NAMES } from "@skillet/shell/programs";
import { describe, expect, test } from "vitest";
import { coverCommand } from "../testing/cover-command.ts";

const WRAPPERS = PROGRAM_NAMES.flatMap((name) => {
  const { starts } = findRow(name) ?? {};
  if (starts === undefined) return [];
  const [subcommand] = starts.subcommands ?? [];
  const lead = subcommand === undefined ? name : `${name} ${subcommand}`;
  return [[`${lead}${" 1".repeat(starts.operands ?? 0)}`, starts] as const];
});

describe("a rule for what is started", () => {
  test.each(WRAPPERS)("covers it after `%s` only where that adds nothing", (wrapper, { isTransparent }) => {
    const cover = coverCommand(`${wrapper} git status`, "Bash(git status:*)");
    expect(cover === "covered").toBe(isTransparent === true);
  });
});

describe("a rule for a wrapper", () => {
  test.each(WRAPPERS)("`%s` does not cover what it starts", (wrapper) => {
    expect(coverCommand(`${wrapper} git status`, `Bash(${wrapper.split(" ")[0]}:*)`)).not.toBe("covered");
  });
});
