import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { memoryJournal } from "@skillet/core";
import { testSkills } from "@skillet/core/testing";
import { textsOf } from "@skillet/kit/json";
import { expect, test } from "vitest";
import { codex } from "./codex.ts";

// In the shapes of Codex 0.166, as its app server answers; `npm run try:agents -- codex` has the real one.
const skill = (name: string, header = ""): string =>
  `---\nname: ${name}\ndescription: Does ${name}.\n${header}---\nDo it.\n`;
const FILES = {
  "notes/SKILL.md": skill("notes", "allowed-tools: Read\n"),
  "notes/scripts/count.sh": "echo 3\n",
  "payroll/SKILL.md": skill("payroll"),
  "people/SKILL.md": skill("people", "disable-model-invocation: true\n"),
};
const DENY_PAYROLL = { policy: { rules: [{ skill: "payroll", action: "deny" as const }] } };

/** An app server that knows these skills already. */
function appServer(...paths: readonly string[]) {
  const sent: [string, unknown][] = [];
  const skills = paths.map((path) => ({
    name: "pdf",
    description: "PDF.",
    path,
    scope: "user",
    enabled: true,
    pluginId: null,
  }));
  const request = async (method: string, params: object): Promise<object> => {
    sent.push([method, params]);
    return method === "skills/list" ? { data: [{ cwd: "/work", skills, errors: [] }] } : {};
  };
  const root = (): string => {
    const params = sent.find(([method]) => method === "skills/extraRoots/set")?.[1];
    return textsOf(params, "extraRoots")[0] ?? "";
  };
  return { request, sent, root };
}

test("gives Codex what a model may use as an extra root, in the very bytes that were judged, and takes it away at the end", async () => {
  const session = await testSkills(FILES, { open: { config: DENY_PAYROLL } });
  const [skills, { request, sent, root }] = [await codex(session), appServer()];
  await skills.attach(request, { cwds: ["/work"] });
  expect(sent).toEqual([
    ["skills/list", { cwds: ["/work"], forceReload: true }],
    ["skills/extraRoots/set", { extraRoots: [root()] }],
  ]);
  expect(readFileSync(join(root(), "notes/SKILL.md"), "utf8")).toBe(FILES["notes/SKILL.md"]);
  expect(["payroll", "people"].filter((name) => existsSync(join(root(), name)))).toEqual([]);
  await skills.attach(appServer(join(root(), "notes/SKILL.md")).request);
  await skills.close();
  expect(existsSync(root())).toBe(false);
});

test("12. skills that Codex would load by itself beside these are refused, and it is told of no root", async () => {
  const skills = await codex(await testSkills(FILES));
  const { request, sent } = appServer("/home/ann/.codex/skills/.system/pdf/SKILL.md");
  await expect(skills.attach(request)).rejects.toMatchObject({ code: "native-skills-active" });
  expect(sent.map(([method]) => method)).toEqual(["skills/list"]);
  await skills.close();
});

test("9. a skill that came later is there after a refresh; 11. what a command uses is on record, with its call", async () => {
  const folder = mkdtempSync(join(tmpdir(), "skillet-codex-"));
  const write = (name: string): void => {
    mkdirSync(join(folder, name, "scripts"), { recursive: true });
    writeFileSync(join(folder, name, "SKILL.md"), skill(name));
    writeFileSync(join(folder, name, "scripts/count.sh"), "echo 3\n");
  };
  write("notes");
  const journal = memoryJournal();
  const open = { roots: [folder], sources: [] };
  const [skills, { request, root }] = [
    await codex(await testSkills({}, { records: journal, open })),
    appServer(),
  ];
  await skills.attach(request);
  write("minutes");
  await skills.refresh();
  const command = `sh ${join(root(), "minutes/scripts/count.sh")}`;
  const params = { item: { type: "commandExecution", id: "call_1", command, cwd: "/work" } };
  for (const method of ["item/started", "item/completed"]) await skills.observe({ method, params });
  const records = journal.read().map((line) => JSON.parse(line).record);
  expect(records.filter(({ kind }) => kind === "implicit-use")).toMatchObject([
    {
      name: "minutes",
      how: "script",
      digest: expect.stringMatching(/^sha256:/),
      host: "codex",
      callId: "call_1",
    },
  ]);
  await skills.close();
  rmSync(folder, { recursive: true });
});
