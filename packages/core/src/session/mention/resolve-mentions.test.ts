import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryDirectory } from "../../../../kit/src/testing/temporary-directory.ts";
import { skillText, writeTree } from "../../testing/write-tree.ts";
import { openSession } from "../testing/open-session.ts";
import type { ResolvedMentions } from "./resolve-mentions.ts";

/** What a message names; `FOLDER` in it is the folder of the skills. */
async function resolve(message: string): Promise<ResolvedMentions> {
  const folder = writeTree(join(temporaryDirectory(), "skills"), {
    "deploy/SKILL.md": skillText("deploy"),
    "caf/SKILL.md": skillText("caf"),
    "café/SKILL.md": skillText("café"),
  });
  return (await openSession(folder)).mentions(message.replace("FOLDER", folder));
}

async function named(message: string): Promise<string[]> {
  return (await resolve(message)).skills.map(({ skill }) => skill.name);
}

test.each([
  ["Use $café now", ["café"]],
  ["Use $cafe\u0301 now", ["café"]],
  ["Use $caf now", ["caf"]],
  ["Use [$café](/nowhere/SKILL.md) now", []],
  ["Use [$deploy](/copy (1)/deploy/SKILL.md)", []],
  ["Use [$deploy](/copy ((1/deploy/SKILL.md", []],
  ["Use [$deploy](/nowhere) and $deploy", []],
  ["Use [$x](FOLDER/deploy/SKILL.md)", ["deploy"]],
])("%s names %j", async (message, names) => {
  expect(await named(message)).toEqual(names);
});

describe("what was not looked at is reported", () => {
  test.each([
    ["behind too many mentions", `${"$nobody ".repeat(32)} $deploy`],
    ["behind too much text", `${"x ".repeat(200_000)} $deploy`],
  ])("%s", async (_, message) => {
    expect(await resolve(message)).toMatchObject({ skills: [], diagnostics: [{ code: "mentions-unread" }] });
  });
});
