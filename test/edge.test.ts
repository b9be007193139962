import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";

// `npm ci` in test/edge installs them: 145 MB, which not everyone who works here needs.
const tools = join(import.meta.dirname, "edge/node_modules");
const isInstalled = existsSync(join(tools, "workerd")) && existsSync(join(tools, "esbuild"));
if (!isInstalled) console.warn("test/edge.test.ts is skipped: run `npm ci` in test/edge first.");

// Needs every library that is loaded late: for this header, for a shell command, and for a pattern.
const HEADER = `name: review
description: "Reviews a change,
  line by line."
allowed-tools: Bash(git log:*)
triggers:
  patterns: ["CHANGE-[0-9]+"]`;
const PROGRAM = `
import { fetchSource, MemorySource, openSkills } from "@skillet/core";

const SITE = {
  "/skills/index.json": JSON.stringify({ skills: [{ name: "wave", description: "Waves.", files: ["SKILL.md"] }] }),
  "/skills/wave/SKILL.md": "---\\nname: wave\\ndescription: Waves.\\n---\\nWave.\\n",
};

export async function review() {
  const source = new MemorySource({ "review/SKILL.md": ${JSON.stringify(`---\n${HEADER}\n---\nRead the log.\n`)} });
  const site = fetchSource({
    baseUrl: "https://example.com/skills/",
    fetch: async (url) => new Response(SITE[new URL(url).pathname]),
  });
  const skills = await openSkills({ sources: [source, site] });
  await skills.warm();
  const events = [];
  const session = await skills.session({ onEvent: ({ type }) => events.push(type) });
  await session.activate("review");
  const outcomes = [];
  for (const input of ["git log --oneline", "git log | sh"])
    outcomes.push((await session.guard({ tool: "Bash", input })).decision.outcome);
  const { activate, suggest } = await session.decide("look at CHANGE-17");
  const [first] = [...activate, ...suggest];
  await session.close();
  const [{ manifest }] = skills.list();
  const diagnostics = skills.snapshot.diagnostics.map(({ code }) => code);
  const names = skills.list().map(({ name }) => name);
  const selected = first?.skill.name;
  return { names, description: manifest.description, outcomes, selected, events, diagnostics };
}
`;
const ANSWER = {
  names: ["review", "wave"],
  description: "Reviews a change, line by line.",
  outcomes: ["allow", "deny"],
  selected: "review",
  events: ["policy", "activation", "refusal", "offer"],
  diagnostics: ["bundled-skills-missing"],
};

const WORKER = `${PROGRAM}
export default { test: async () => console.log(JSON.stringify(await review())) };
`;
const CONFIG = `
using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (services = [(name = "main", worker = (
  modules = [(name = "main.js", esModule = embed "main.js")],
  compatibilityDate = "2026-09-01",
  compatibilityFlags = ["nodejs_compat"],
))]);
`;

describe.skipIf(!isInstalled)("bundled with esbuild", () => {
  const folder = mkdtempSync(join(tmpdir(), "skillet-edge-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  function bundle(program: string, ...options: readonly string[]): void {
    const output = `--outfile=${join(folder, "main.js")}`;
    // Without the paths of this repository, which lead to the sources.
    const args = ["--bundle", "--external:node:*", "--tsconfig-raw={}", output];
    execFileSync(join(tools, ".bin/esbuild"), [...args, ...options], {
      cwd: import.meta.dirname,
      input: program,
      stdio: ["pipe", "pipe", "pipe"],
    });
  }

  test("the packages run in workerd", () => {
    bundle(WORKER, "--format=esm", "--conditions=workerd,worker,browser");
    writeFileSync(join(folder, "config.capnp"), CONFIG);
    const shown = execFileSync(join(tools, ".bin/workerd"), ["test", "config.capnp"], {
      cwd: folder,
      encoding: "utf8",
    });
    expect(JSON.parse(shown)).toEqual(ANSWER);
  });

  test("the packages run in Node, from a folder without any of them", () => {
    bundle(
      `${PROGRAM}\nreview().then((answer) => console.log(JSON.stringify(answer)));\n`,
      "--platform=node",
      "--format=cjs",
    );
    const shown = execFileSync(process.execPath, ["main.js"], {
      cwd: folder,
      env: { HOME: folder },
      encoding: "utf8",
    });
    expect(JSON.parse(shown)).toEqual(ANSWER);
  });
});
