import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../../../kit/src/testing/temporary-directory.ts";
import { skillText, writeTree } from "../../testing/write-tree.ts";
import type { FileListing } from "../skill-source.ts";
import { listSkillFiles } from "./list-skill-files.ts";

const NOT_UTF8 = Buffer.from([0xff]);

const pathsOf = ({ files }: FileListing): string[] => files.map(({ path }) => path);
const faultsOf = ({ diagnostics }: FileListing): string[] =>
  diagnostics.map(({ code, file, message }) => `${code} ${file}: ${message}`);

function withOddName(folder: string, name: string): Buffer {
  return Buffer.concat([Buffer.from(join(folder, name)), NOT_UTF8]);
}

// A name that is no UTF-8 cannot be made everywhere.
const isLinux = process.platform === "linux";

test.runIf(isLinux)(
  "a name that is not UTF-8 is a fault, also beside a file that is shown under the same name",
  () => {
    const folder = writeTree(temporaryDirectory(), { "SKILL.md": skillText("a"), "run\ufffd": "honest" });
    writeFileSync(withOddName(folder, "run"), "hidden");
    mkdirSync(withOddName(folder, "scripts"));
    const listing = listSkillFiles(folder, "/a");
    expect(faultsOf(listing).sort()).toEqual([
      "unreadable-skill-resource /a/run\ufffd: It has a name that is not UTF-8, and cannot be opened.",
      "unreadable-skill-resource /a/scripts\ufffd: It has a name that is not UTF-8, and cannot be opened.",
      "unreadable-skill-resource-directory /a/scripts\ufffd: The folder could not be read (ENOENT).",
    ]);
  },
);

test.runIf(isLinux)(
  "a link to a name that is not UTF-8 is a fault: another target could have the same text",
  () => {
    const folder = writeTree(temporaryDirectory(), { "SKILL.md": skillText("a") });
    symlinkSync(NOT_UTF8, join(folder, "link"));
    const listing = listSkillFiles(folder, "/a");
    expect([pathsOf(listing), faultsOf(listing)]).toEqual([
      ["SKILL.md"],
      ["unreadable-skill-resource /a/link: It is a link to a name that is not UTF-8."],
    ]);
  },
);

test("only a regular SKILL.md where skills are looked for makes a folder a skill of its own", () => {
  const folder = writeTree(temporaryDirectory(), {
    "SKILL.md": skillText("a"),
    "nested/SKILL.md": skillText("nested"),
    "nested/run.sh": "",
    "nested/deeper/SKILL.md": skillText("deeper"),
    "both/SKILL.md": skillText("both"),
    "both/skill.md": skillText("both"),
    "linked/SKILL.md": { link: "../SKILL.md" },
    "linked/run.sh": "",
    "folder/skill.md/keep": "",
    "node_modules/kit/SKILL.md": skillText("kit"),
    ".claude-plugin/SKILL.md": "",
    "misspelled/Skill.md": "",
  });
  const listing = listSkillFiles(folder, "/a");
  expect(pathsOf(listing)).toEqual([
    ".claude-plugin/SKILL.md",
    "SKILL.md",
    "folder/skill.md/keep",
    "linked/SKILL.md",
    "linked/run.sh",
    "misspelled/Skill.md",
    "node_modules/kit/SKILL.md",
  ]);
  expect([listing.nested, listing.diagnostics]).toEqual([["both/SKILL.md", "nested/SKILL.md"], []]);
});
