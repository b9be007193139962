import { join } from "node:path";
import { expect, test } from "vitest";
import { fetchContextFor } from "../sources/http/testing/fetch-context-for.ts";
import { hubSandbox, skillText, writeFiles } from "../testing/hub-sandbox.ts";
import { findSkillsBelow } from "./skill-to-publish.ts";

const found = (folder: string): Promise<readonly string[]> => findSkillsBelow(folder, fetchContextFor([]));

test("skills are found at any depth, in byte order, and not in what a build or a package manager keeps", async () => {
  const { folder } = hubSandbox();
  writeFiles(join(folder, "all"), {
    "office/word/SKILL.md": skillText("word"),
    "office/deep/er/pdf/SKILL.md": skillText("pdf"),
    "a/SKILL.md": skillText("a"),
    "node_modules/x/SKILL.md": skillText("x"),
    "office/readme.md": "",
  });
  expect(await found(join(folder, "all"))).toEqual(["a", "office/deep/er/pdf", "office/word"]);
});

test("a skill holds no others, and an empty folder none", async () => {
  const { folder } = hubSandbox();
  writeFiles(join(folder, "one"), { "SKILL.md": skillText("one"), "in/SKILL.md": skillText("in") });
  writeFiles(join(folder, "none"), { "readme.md": "" });
  expect([await found(join(folder, "one")), await found(join(folder, "none"))]).toEqual([[], []]);
});
