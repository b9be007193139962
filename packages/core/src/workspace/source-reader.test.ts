import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../../kit/src/testing/temporary-directory.ts";
import { openFolder } from "../session/testing/open-session.ts";
import { skillText, writeTree } from "../testing/write-tree.ts";
import type { Skills } from "./skills.ts";

test("a skill inside another one is a fault of it until a reload has found it", async () => {
  const root = writeTree(join(temporaryDirectory(), "skills"), {
    "outer/SKILL.md": skillText("outer", "Holds another."),
    "outer/inner/notes.md": "Notes.\n",
  });
  const skills = await openFolder(root);
  const look = async (): Promise<unknown> => {
    const { resources, diagnostics } = await skills.reader.indexResources(
      skills.list().find(({ name }) => name === "outer")!,
    );
    return { files: resources.map(({ path }) => path), faults: diagnostics.map(({ code }) => code) };
  };
  expect(await look()).toEqual({ files: ["inner/notes.md"], faults: [] });
  writeTree(root, { "outer/inner/SKILL.md": skillText("inner", "Is held.") });
  expect(await look()).toEqual({ files: [], faults: ["nested-skill-not-found"] });
  await skills.reload();
  expect(await look()).toEqual({ files: [], faults: [] });
});

test("a skill of another registry is refused, by whatever reads", async () => {
  const open = (): Promise<Skills> =>
    openFolder(writeTree(join(temporaryDirectory(), "skills"), { "a/SKILL.md": skillText("a", "Does it.") }));
  const [skills, others] = [await open(), await open()];
  const [stranger] = others.list();
  const refused = expect.objectContaining({ code: "skill-not-here" });
  expect(() => skills.reader.readText(stranger!)).toThrow(refused);
  expect(() => skills.reader.indexResources(stranger!)).toThrow(refused);
  expect(() => skills.reader.verifyTrust(stranger!)).toThrow(refused);
  expect(() => skills.reader.stamp(stranger!)).toThrow(refused);
});
