import { linkSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../../../kit/src/testing/temporary-directory.ts";
import { skillText, writeTree } from "../../testing/write-tree.ts";
import type { SkillListing } from "../skill-source.ts";
import { LocalSource } from "./local-source.ts";

async function search(
  root: string,
): Promise<{ readonly skills: readonly string[]; readonly diagnostics: SkillListing["diagnostics"] }> {
  const { folders, diagnostics } = await new LocalSource(root).listSkills();
  return { skills: folders.map(({ path }) => path), diagnostics };
}

const numbered = (count: number, rule: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => rule(index)).join("\n");

test("a thousand rules hold in a folder; those beyond are counted, with the line of the first", async () => {
  const root = writeTree(temporaryDirectory(), {
    ".gitignore": numbered(999, (index) => `rule-${index}`),
    "rule-998/SKILL.md": skillText("hidden"),
    "group/.skilletignore": "# Room for one more.\n\nhidden\nshown\n",
    "group/hidden/SKILL.md": skillText("hidden"),
    "group/shown/SKILL.md": skillText("shown"),
  });
  const { skills, diagnostics } = await search(root);
  expect(skills).toEqual(["group/shown"]);
  expect(diagnostics.filter(({ code }) => code === "ignore-limit")).toEqual([
    {
      code: "ignore-limit",
      severity: "warning",
      message:
        "1 of its rules were not applied: a rule has at most 4096 characters, and at most 1000 rules hold in a folder.",
      file: join(root, "group/.skilletignore"),
      range: { line: 4, column: 1 },
      hint: "Remove rules, or write one pattern for many names.",
    },
  ]);
});

test.each([["?".repeat(200_000)], ["(".repeat(100_000)], ["a/".repeat(100_000)]])(
  "a rule longer than any path is left out, and the others hold",
  async (rule) => {
    const root = writeTree(temporaryDirectory(), {
      ".gitignore": `${rule}\nhidden\n`,
      "hidden/SKILL.md": skillText("hidden"),
      "shown/SKILL.md": skillText("shown"),
    });
    const { skills, diagnostics } = await search(root);
    expect(skills).toEqual(["shown"]);
    expect(diagnostics.map(({ code, range }) => [code, range?.line])).toEqual([
      ["ignore-limit", 1],
      ["ignored", undefined],
    ]);
  },
);

test("ignore files are read and applied until the work for one root is used up, which is reported", async () => {
  const root = temporaryDirectory();
  const large = join(root, "large");
  writeFileSync(large, `hidden\n#${"x".repeat(255 * 1024)}`);
  // One file under many names: four hundred million bytes to be read, and a quarter of a million on disk.
  for (let index = 0; index < 1_600; index++) {
    const folder = join(root, `group-${String(index).padStart(4, "0")}`);
    mkdirSync(join(folder, "hidden"), { recursive: true });
    linkSync(large, join(folder, ".gitignore"));
  }
  writeTree(root, {
    "group-0000/hidden/SKILL.md": skillText("hidden"),
    "group-1599/hidden/SKILL.md": skillText("late"),
  });
  const { skills, diagnostics } = await search(root);
  expect(skills).toEqual(["group-1599/hidden"]);
  expect(diagnostics.filter(({ code }) => code === "ignore-limit")).toEqual([
    {
      code: "ignore-limit",
      severity: "warning",
      message: "The ignore files below it take too much work, so from some folder on they were not applied.",
      file: root,
      hint: "Remove rules, above all those with many * in them.",
    },
  ]);
});
