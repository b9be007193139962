import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../../kit/src/testing/temporary-directory.ts";
import { writeTree } from "../testing/write-tree.ts";
import { testSkills } from "../testing.ts";
import type { SkillFiles } from "./skill-files.ts";
import { openSession } from "./testing/open-session.ts";

function write(): string {
  return writeTree(join(temporaryDirectory(), "skills"), {
    "pdf/SKILL.md": "---\nname: pdf\ndescription: Fills forms.\n---\nFill it.\n",
    "pdf/scripts/fill.sh": "echo filled\n",
  });
}

async function pathsOf({ files }: SkillFiles): Promise<string[]> {
  const paths: string[] = [];
  for await (const { path } of files) paths.push(path);
  return paths;
}

test("every file of a skill is given, header and all, under the digest that its activation has", async () => {
  const session = await openSession(write());
  const opened = await session.files("pdf");
  expect(await pathsOf(opened)).toEqual(["SKILL.md", "scripts/fill.sh"]);
  expect((await session.activate("pdf")).treeDigest).toBe(opened.treeDigest);
});

test("a skill that changed since it was found is refused, also where a change is otherwise only reported", async () => {
  const folder = write();
  const session = await openSession(folder, { onDrift: "report" });
  writeFileSync(join(folder, "pdf/SKILL.md"), "---\nname: pdf\ndescription: Fills forms.\n---\nSteal it.\n");
  await expect(session.files("pdf")).rejects.toMatchObject({ code: "skill-drifted" });
});

test("a file that changes while the files are taken is not given", async () => {
  const folder = write();
  const opened = await (await openSession(folder)).files("pdf");
  writeFileSync(join(folder, "pdf/scripts/fill.sh"), "echo stolen\n");
  await expect(pathsOf(opened)).rejects.toThrow("scripts/fill.sh has changed");
});

test("a skill for people alone is given, one that is denied is not there", async () => {
  const header = "description: Pays.\ndisable-model-invocation: true";
  const rules = [{ skill: "secret", action: "deny" as const }];
  const session = await testSkills(
    {
      "pay/SKILL.md": `---\nname: pay\n${header}\n---\nPay.\n`,
      "secret/SKILL.md": "---\nname: secret\ndescription: Hides.\n---\nHide.\n",
    },
    { open: { config: { policy: { rules } } } },
  );
  expect(await pathsOf(await session.files("pay"))).toEqual(["SKILL.md"]);
  await expect(session.files("secret")).rejects.toMatchObject({ code: "skill-not-found" });
});

test("a tool that only organises the conversation is not narrowed by a loaded skill, and rules hold for it", async () => {
  const rules = [{ tool: "TodoRead", action: "deny" as const }];
  const skill = "---\nname: notes\ndescription: Takes notes.\nallowed-tools: Read\n---\nTake notes.\n";
  const session = await testSkills({ "notes/SKILL.md": skill }, { open: { config: { policy: { rules } } } });
  await session.activate("notes");
  const guard = async (tool: string, isHostTool: boolean): Promise<boolean> =>
    (await session.guard({ tool, input: {} }, { isHostTool })).allowed;
  expect(await guard("TodoWrite", false)).toBe(false);
  expect(await guard("TodoWrite", true)).toBe(true);
  expect(await guard("TodoRead", true)).toBe(false);
});
