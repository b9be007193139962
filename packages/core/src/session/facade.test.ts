import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../../kit/src/testing/temporary-directory.ts";
import { MemorySource } from "../source/memory-source.ts";
import { skillText, writeTree } from "../testing/write-tree.ts";
import { loadAndRender, SkillContextProvider } from "./facade.ts";
import { openFolder, openSession } from "./testing/open-session.ts";

test("the seed's six methods answer from a session", async () => {
  const folder = writeTree(join(temporaryDirectory(), "skills"), {
    "pdf/SKILL.md": skillText("pdf"),
    "pdf/scripts/fill.sh": "#!/bin/sh\n",
    "pdf/references/fields.md": "Fields.",
    "own/SKILL.md": "---\nname: own\ndescription: O.\ndisable-model-invocation: true\n---\nX\n",
  });
  const provider = new SkillContextProvider(await openSession(folder));
  expect(provider.getTier1Context()).toContain("<name>\npdf\n</name>");
  expect(provider.getSkillNames()).toEqual(["pdf"]);
  expect(provider.getSkill("pdf")?.manifest.description).toBe("Does pdf.");
  expect(provider.getSkill("own")).toBeUndefined();
  const first = await provider.getTier2Context("pdf");
  expect(first).toContain("Instructions.");
  expect(await provider.getTier2Context("pdf")).toBe(first);
  expect(await provider.getTier2Context("nobody")).toBeNull();
  expect(await provider.getTier3ResourceList("pdf", "scripts")).toEqual(["scripts/fill.sh"]);
  expect(await provider.getTier3ResourceList("nobody", "scripts")).toEqual([]);
  expect(await provider.getTier3Resource("pdf", "references/fields.md")).toBe("Fields.");
  expect(await provider.getTier3Resource("pdf", "../x")).toBeNull();
});

test("a skill that lacks something or is switched off is given all the same, marked as such", async () => {
  const folder = writeTree(join(temporaryDirectory(), "skills"), {
    "pdf/SKILL.md": skillText("pdf"),
    "gone/SKILL.md": "---\nname: gone\ndescription: G.\nmetadata:\n  requires: no-such-tool\n---\nX\n",
    "off/SKILL.md": skillText("off"),
    "lost/pdf/SKILL.md": skillText("pdf"),
  });
  const skills = await openFolder(folder, "skills:\n  overrides:\n    off: { enabled: false }\n");
  const provider = new SkillContextProvider(await openSession(folder, {}, skills));
  const marks = (name: string) => {
    const skill = provider.getSkill(name);
    return skill && [skill.name, skill.disabled, skill.unavailable, skill.unavailableReason];
  };
  expect(marks("pdf")).toEqual(["pdf", false, false, undefined]);
  expect(marks("gone")).toEqual(["gone", false, true, "missing commands: no-such-tool"]);
  expect(marks("off")).toEqual(["off", true, false, undefined]);
  expect(marks("nothing")).toBeUndefined();
  expect(provider.getSkill("gone")?.manifest.description).toBe("G.");
  expect(provider.getSkillNames()).toEqual(["pdf"]);
  const subset = new SkillContextProvider(await skills.session({ skills: ["pdf", "off"] }));
  expect(["pdf", "off", "gone"].map((name) => subset.getSkill(name)?.name)).toEqual([
    "pdf",
    "off",
    undefined,
  ]);
});

test("one call leads from a source to the section of a prompt, or to none", async () => {
  expect(await loadAndRender(new MemorySource({}))).toBeUndefined();
  const section = await loadAndRender(
    new MemorySource({ "alpha/SKILL.md": skillText("alpha", "Do alpha.") }),
  );
  expect(section).toContain("alpha");
  expect(section).toContain("Do alpha.");
});

test("the section of a prompt leaves out what a model may not start, and what lost its name", async () => {
  const source = new MemorySource({
    "a/pdf/SKILL.md": skillText("pdf", "First."),
    "b/pdf/SKILL.md": skillText("pdf", "Second."),
    "own/SKILL.md": "---\nname: own\ndescription: For people.\ndisable-model-invocation: true\n---\nX\n",
  });
  const section = await loadAndRender(source);
  expect(section).toContain("First.");
  expect(section).not.toContain("Second.");
  expect(section).not.toContain("For people.");
});
