import { mkdtempSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { removeTree } from "@skillet/kit/files";
import { afterEach, beforeEach, expect, test } from "vitest";
import { stageSkill, withStagedSkill } from "./stage-skill.ts";
import { type Content, CountedFiles, digestOf, treeFiles } from "./testing/tree-files.ts";

let root: string;
let directory: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "skillet-spellings-")));
  directory = join(root, "home", "cache", "staged");
});
afterEach(() => removeTree(root));

// One letter in three spellings that Unicode holds for equal.
const composed = "\u00c5";
const sign = "\u212b";
const decomposed = "A\u030a";

const stage = (tree: Record<string, Content>) => {
  const files = treeFiles({ "SKILL.md": "# x\n", ...tree });
  return stageSkill({ digest: digestOf(files), files: new CountedFiles(files), directory });
};
const script = (name: string): Record<string, Content> => ({
  [`scripts/${name}.sh`]: { executable: "#!/bin/sh\n" },
});

test.each([
  ["files", { [`scripts/${decomposed}.sh`]: "harm", [`scripts/${composed}.sh`]: "help" }],
  ["files with a sign", { [`scripts/${composed}.sh`]: "harm", [`scripts/${sign}.sh`]: "help" }],
  ["folders", { [`${composed}/a.sh`]: "a", [`${decomposed}/b.sh`]: "b" }],
  ["a file and a folder", { [composed]: "a", [`${decomposed}/b.sh`]: "b" }],
  ["plain letters", { "K.sh": "a", "\u212a.sh": "b" }],
])("a tree in which only Unicode tells %s apart is refused, and nothing is left", async (_what, tree) => {
  await expect(stage(tree)).rejects.toMatchObject({ code: "staging-path-refused" });
  expect(readdirSync(directory)).toEqual([]);
});

test("a copy is reused only for the paths that it was written with, and otherwise staged anew", async () => {
  const first = await stage(script(composed));
  const second = await stage(script(decomposed));
  expect(second.skill).toEqual(first.skill);
  expect(readdirSync(join(second.skill.directory, "scripts"))).toEqual([`${decomposed}.sh`]);
  expect(readFileSync(join(second.skill.directory, `scripts/${decomposed}.sh`), "utf8")).toBe("#!/bin/sh\n");
});

test("a copy that was staged anew in another spelling is not run for the caller that staged it first", async () => {
  const first = await stage(script(composed));
  await stage(script(sign));
  expect(
    await withStagedSkill(
      first,
      () => new Date(),
      async () => "ran",
    ),
  ).toBe("changed");
});
