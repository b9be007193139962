import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { createSandbox, LAUNCHER, type Sandbox } from "../cli/sandbox.ts";

const modules = join(import.meta.dirname, "node_modules");
const isInstalled = existsSync(join(modules, ".package-lock.json"));
if (!isInstalled) console.warn("test/mcp is skipped: run `npm ci` in test/mcp first.");

// biome-ignore lint/suspicious/noExplicitAny: the SDKs are not installed where types are checked.
const load = (path: string): Promise<any> => import(pathToFileURL(join(modules, path)).href);

function place(): Sandbox {
  const sandbox = createSandbox();
  sandbox.write(
    "home/.agents/skills/greet/SKILL.md",
    "---\nname: greet\ndescription: Greets people.\n---\nWave.\n",
  );
  sandbox.write("home/.agents/skills/greet/references/words.md", "Hello.\n");
  return sandbox;
}

/** As every client of today starts a server. */
function command({ home, project }: Sandbox) {
  const env = { PATH: process.env.PATH ?? "", HOME: home };
  return { command: process.execPath, args: [LAUNCHER, "serve"], cwd: project, env, stderr: "ignore" };
}

test.runIf(isInstalled)("a client of the old SDK loads, reads and searches by tools", async () => {
  const base = "@modelcontextprotocol/sdk/dist/esm/client";
  const [{ Client }, { StdioClientTransport }] = await Promise.all([
    load(`${base}/index.js`),
    load(`${base}/stdio.js`),
  ]);
  const client = new Client({ name: "old", version: "1.0.0" });
  await client.connect(new StdioClientTransport(command(place())));
  onTestFinished(() => client.close());
  expect(client.getInstructions()).toContain("greet");
  const { tools } = await client.listTools();
  expect(tools.map(({ name }: { name: string }) => name)).toContain("load_skill");
  const loaded = await client.callTool({ name: "load_skill", arguments: { name: "greet" } });
  expect(loaded.content[0].text).toContain("Wave.");
  const file = { skill: "greet", path: "references/words.md" };
  const read = await client.callTool({ name: "read_skill_resource", arguments: file });
  expect(read.content[0].text).toBe("Hello.\n");
  const found = await client.callTool({ name: "search_skills", arguments: { query: "greet people" } });
  expect(found.content[0].text).toContain("greet");
  const { prompts } = await client.listPrompts();
  expect(prompts.map(({ name }: { name: string }) => name)).toContain("greet");
  const { resources } = await client.listResources();
  expect(resources).toContainEqual(expect.objectContaining({ uri: "skill://greet/SKILL.md" }));
});

test.runIf(isInstalled)("a client of the new SDK verifies every file by the skills extension", async () => {
  const base = "@modelcontextprotocol/client/dist";
  const [{ Client }, { StdioClientTransport }, { SkillsClient }] = await Promise.all([
    load(`${base}/index.mjs`),
    load(`${base}/stdio.mjs`),
    load(`${base}/ext/skills/index.mjs`),
  ]);
  const versionNegotiation = { mode: "auto" };
  const client = new Client({ name: "new", version: "1.0.0" }, { versionNegotiation });
  await client.connect(new StdioClientTransport(command(place())));
  onTestFinished(() => client.close());
  expect(client.getNegotiatedProtocolVersion()).toBe("2026-07-28");
  const skills = new SkillsClient(client);
  const { skills: listed } = await skills.list();
  const greet = listed.find(({ uri }: { uri: string }) => uri === "skill://greet/SKILL.md");
  expect(await skills.read(greet)).toMatchObject({ verified: true, body: "Wave.\n" });
  expect(await skills.read(greet, "references/words.md")).toMatchObject({ verified: true, text: "Hello.\n" });
  const { resources } = await skills.readDirectory("skill://greet");
  expect(resources.map(({ name }: { name: string }) => name)).toEqual(["SKILL.md", "references"]);
});
