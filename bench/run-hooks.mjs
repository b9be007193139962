// What a hook costs an agent, as a multiple of an empty Node start: 200 skills, everything kept, both in turns.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildPackages } from "./prepare.mjs";

const ROUNDS = 21;
const HOOK = join(import.meta.dirname, "../packages/cli/bin/load-bundle.cjs");
const VERBS =
  "build deploy review test convert extract translate resize encrypt compress schedule migrate audit lint format parse render summarise index archive";
const THINGS = "invoices containers contracts images tables podcasts letters slides diagrams forms";

buildPackages();
const home = mkdtempSync(join(tmpdir(), "skillet-hooks-"));
const project = join(home, "project");
mkdirSync(join(project, ".git"), { recursive: true });
writeFileSync(join(home, "empty.cjs"), "");
for (const verb of VERBS.split(" "))
  for (const thing of THINGS.split(" ")) {
    const folder = join(home, ".claude/skills", `${verb}-${thing}`);
    mkdirSync(folder, { recursive: true });
    const file = join(folder, "SKILL.md");
    const header = `name: ${verb}-${thing}\ndescription: Helps to ${verb} ${thing}. Use when asked to ${verb} ${thing}.\nallowed-tools: Read Bash(git log:*)`;
    writeFileSync(
      file,
      `---\n${header}\n---\n\nLook at the ${thing} first. ${"More about it. ".repeat(60)}\n`,
    );
    utimesSync(file, 1_700_000_000, 1_700_000_000);
  }

const call = (tool_name, tool_input) => ({ tool_name, tool_input });
const CASES = [
  ["a prompt", "UserPromptSubmit", "one", { prompt: "please deploy the containers" }],
  ["a file tool", "PreToolUse", "one", call("Edit", { file_path: join(project, "a.ts") })],
  ["a command", "PreToolUse", "one", call("Bash", { command: "git status && npm test" })],
  ["a command, skill active", "PreToolUse", "two", call("Bash", { command: "git log --oneline -5" })],
  ["the skill tool", "PreToolUse", "one", call("Skill", { skill: "deploy-forms" })],
];

function start(args, input = "", expected = "") {
  const started = performance.now();
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: project,
    input,
    env: { PATH: process.env.PATH, HOME: home },
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`The hook ended with ${status}: ${stderr}`);
  const time = performance.now() - started;
  // A hook that fails steps aside, and is quick about it.
  if (stdout.includes("steps aside") || !stdout.includes(expected))
    throw new Error(`Not an answer: ${stdout}`);
  return time;
}

const send = (event, session, input) =>
  start(
    [HOOK, "claude-code", event],
    JSON.stringify({ session_id: session, cwd: project, ...input }),
    event === "UserPromptSubmit" ? "deploy-containers" : "",
  );

try {
  // Not before their folders count as settled.
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  send("SessionStart", "one", { source: "startup" });
  send("PostToolUse", "two", call("Skill", { skill: "deploy-containers" }));
  const times = new Map([["empty", []], ...CASES.map(([name]) => [name, []])]);
  for (let round = -2; round < ROUNDS; round += 1) {
    const measured = [["empty", start([join(home, "empty.cjs")])]];
    for (const [name, event, session, input] of CASES) measured.push([name, send(event, session, input)]);
    if (round >= 0) for (const [name, time] of measured) times.get(name).push(time);
  }
  const median = (list) => list.sort((left, right) => left - right)[Math.floor(list.length / 2)];
  const empty = median(times.get("empty"));
  console.log(`empty Node start: ${empty.toFixed(1)} ms`);
  for (const [name] of CASES)
    console.log(`${name.padEnd(26)} ${(median(times.get(name)) / empty).toFixed(2)} x`);
} finally {
  rmSync(home, { recursive: true, force: true });
}
