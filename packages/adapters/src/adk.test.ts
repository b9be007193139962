import { memoryJournal } from "@skillet/core";
import { fakeRunner, testSkills } from "@skillet/core/testing";
import { expect, test } from "vitest";
import { adk } from "./adk.ts";

const LOGO = Buffer.from("89504e47ff00", "hex");
const FILES = {
  "notes/SKILL.md":
    "---\nname: notes\ndescription: Writes notes of meetings.\nlicense: MIT\nallowed-tools: Read\n---\nTake notes.\n",
  "notes/references/guide.md": "Ten lines.\n",
  "notes/assets/logo.png": LOGO,
  "notes/scripts/count.sh": "echo 3\n",
  "payroll/SKILL.md": "---\nname: payroll\ndescription: Pays people.\n---\nPay.\n",
};
const DENY_PAYROLL = { policy: { rules: [{ skill: "payroll", action: "deny" as const }] } };

async function open() {
  const records = memoryJournal();
  const runner = fakeRunner({ "notes:scripts/count.sh": ({ args }) => `3 ${args.join(" ")}\n` });
  const session = await testSkills(FILES, { records, runner, open: { config: DENY_PAYROLL } });
  const skills = await adk(session, { instruction: "Be brief." });
  const call = (name: string, args: Record<string, unknown>) =>
    skills.agent.beforeToolCallback({ tool: { name }, args, context: { functionCallId: "call_1" } });
  return { ...skills, session, call, kinds: () => records.read().map((line) => JSON.parse(line).record) };
}

test("the registry gives skills whole, as they were found, and those alone that a model may use", async () => {
  const { registry } = await open();
  const { frontmatter, instructions, resources } = await registry.getSkill("notes");
  expect(frontmatter).toEqual({ name: "notes", description: "Writes notes of meetings.", license: "MIT" });
  expect(instructions).toContain("Take notes.");
  expect(resources.references["guide.md"]).toBe("Ten lines.\n");
  expect(resources.assets["logo.png"]).toEqual(LOGO);
  expect(resources.scripts["count.sh"]).toEqual({ src: "echo 3\n" });
  const failure = (name: string) => registry.getSkill(name).catch(({ message }: Error) => message);
  expect(await failure("payroll")).toBe(
    (await failure("pianola")).toString().replaceAll("pianola", "payroll"),
  );
});

test("of two skills of one name the registry gives the files of the one that it loads", async () => {
  const skill = (text: string) => `---\nname: notes\ndescription: ${text}\n---\n${text}\n`;
  const files = { "notes/SKILL.md": skill("First."), "notes/references/a.md": "First." };
  const more = { "more/notes/SKILL.md": skill("Second."), "more/notes/references/a.md": "Second." };
  const { snapshot } = await testSkills({ ...more, ...files });
  for (const name of ["notes", ...snapshot.skills.map(({ qualifiedName }) => qualifiedName)]) {
    const { registry } = await adk(await testSkills({ ...more, ...files }));
    const { instructions, resources, frontmatter } = await registry.getSkill(name);
    expect(instructions).toContain(`\n${frontmatter.description}\n`);
    expect(resources.references["a.md"]).toBe(frontmatter.description);
  }
});

test("the registry finds skills by what they are for, without those that are denied", async () => {
  const { registry } = await open();
  expect(await registry.searchSkills("write notes of a meeting")).toEqual([
    { name: "notes", description: "Writes notes of meetings." },
  ]);
  expect(await registry.searchSkills("pay people")).toEqual([]);
});

test("the toolset's calls go through the session, and other tools are held to what a loaded skill covers", async () => {
  const { agent, call, kinds } = await open();
  await agent.beforeAgentCallback();
  expect(agent.instruction).toMatch(/^Be brief\.[\s\S]*Writes notes of meetings\./);
  expect(await call("write", { path: "a" })).toBeUndefined();
  expect(await call("load_skill", { name: "notes" })).toEqual({
    result: expect.stringContaining("Take notes."),
  });
  expect(await call("load_skill_resource", { skill_name: "notes", path: "references/guide.md" })).toEqual({
    result: expect.stringContaining("Ten lines."),
  });
  const script = { skill_name: "notes", script_path: "scripts/count.sh", args: { of: "a.md" } };
  expect(await call("run_skill_script", script)).toEqual({ result: expect.stringContaining("3 --of a.md") });
  expect(await call("search_skills", { query: "x" })).toBeUndefined();
  expect(await call("write", { path: "a" })).toEqual({
    error: expect.stringContaining("notes does not cover it"),
  });
  await agent.beforeAgentCallback();
  expect(await call("write", { path: "a" })).toBeUndefined();
  const records = kinds().filter(({ kind }) => !["policy", "turn-ended"].includes(kind));
  expect(records.map(({ kind }) => kind)).toEqual([
    "activation",
    "resource-read",
    "script-execution",
    "refusal",
  ]);
  for (const record of records) expect(record).toMatchObject({ host: "adk", callId: "call_1" });
});

test("what the operator must fix is thrown, and no model is told", async () => {
  const { session, call } = await open();
  await session.close();
  await expect(call("load_skill", { name: "notes" })).rejects.toThrow(/session has ended/i);
});
