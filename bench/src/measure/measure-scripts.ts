import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ScriptRun, Session } from "@skillet/core";
import { costOf, medianCost } from "./cost.ts";
import { interleave } from "./interleave.ts";
import { median } from "./median.ts";
import { openScripts } from "./open-scripts.ts";
import { removeFolder } from "./remove-folder.ts";

/** One thing that was timed; the ratio is to the first of its group. */
export interface ScriptRow {
  readonly group: string;
  readonly label: string;
  readonly medianMs: number;
  readonly ratio: number;
}

/** How long it took until a call settled whose script was to be ended after 300 ms. */
export interface DeadlineRow {
  readonly label: string;
  readonly medianMs: number;
  readonly worstMs: number;
}

const DEADLINE_MS = 300;
const FILES = 200;
const FILE_BYTES = 4096;

const SCRIPTS: Readonly<Record<string, string>> = {
  "true.sh": "#!/bin/sh\ntrue\n",
  "pass.py": "#!/usr/bin/env python3\npass\n",
  "wait.sh": "#!/bin/sh\nsleep 5 & wait\n",
  "setsid.sh": "#!/bin/sh\nsetsid sh -c 'sleep 5; sleep 5' & wait\n",
};

/** Runs scripts in the sandbox and the same programs without it, in one process. */
export async function measureScripts(options: { readonly root: string; readonly runs: number }): Promise<{
  readonly rows: readonly ScriptRow[];
  readonly deadlines: readonly DeadlineRow[];
  readonly problems: readonly string[];
}> {
  const { root, runs } = options;
  const problems: string[] = [];
  const skills = writeSkills(root);
  const session = await openScripts({ skills, home: join(root, "home"), names: Object.keys(SCRIPTS) });
  const run = (script: string): Promise<void> => runScript(session, "small", script, problems);
  // The first run proves the sandbox and stages the skill.
  await run("true.sh");
  const small = join(skills, "small/scripts");
  const rows = [
    ...(await compare("true", runs, [
      { name: "plain true", run: () => start(["true"]) },
      { name: "plain sh true.sh", run: () => start(["sh", join(small, "true.sh")]) },
      { name: "true.sh in the sandbox", run: () => run("true.sh") },
    ])),
    ...(await compare("python3", runs, [
      { name: "plain python3 -c pass", run: () => start([PYTHON, "-c", "pass"]) },
      { name: "plain python3 pass.py", run: () => start([PYTHON, join(small, "pass.py")]) },
      { name: "pass.py in the sandbox", run: () => run("pass.py") },
    ])),
    ...(await measureStaging(root, skills, runs, problems)),
  ];
  const deadlines: DeadlineRow[] = [];
  for (const script of ["wait.sh", "setsid.sh"])
    deadlines.push(await measureDeadline(session, script, runs, problems));
  return { rows, deadlines, problems };
}

// Not a shim of a version manager, which would be slower than everything that is compared here.
const PYTHON = "/usr/bin/python3";

// Time on the clock: what a run waits for are processes of the system, whose processor time is not its own.
async function compare(
  group: string,
  rounds: number,
  contestants: readonly { readonly name: string; readonly run: () => Promise<void> }[],
): Promise<readonly ScriptRow[]> {
  const turns = contestants.map(({ name, run }) => ({ name, turn: () => costOf(run) }));
  const rows = [...(await interleave(turns, { rounds }))].map(([label, costs]) => ({
    label,
    medianMs: medianCost(costs).wallMs,
  }));
  const baseline = rows[0]?.medianMs ?? Number.NaN;
  return rows.map((row) => ({ group, ...row, ratio: row.medianMs / baseline }));
}

async function measureStaging(
  root: string,
  skills: string,
  rounds: number,
  problems: string[],
): Promise<readonly ScriptRow[]> {
  let home = "";
  let session: Session | undefined;
  const fresh = async (): Promise<Session> => {
    home = mkdtempSync(join(root, "home-"));
    const opened = await openScripts({ skills, home, names: ["true.sh"] });
    await runScript(opened, "small", "true.sh", problems);
    return opened;
  };
  const times: Record<"copy" | "small" | "first" | "again", number[]> = {
    copy: [],
    small: [],
    first: [],
    again: [],
  };
  const texts = fileTexts();
  for (let round = 0; round < rounds; round++) {
    session = await fresh();
    const opened = session;
    const plain = join(home, "plain");
    mkdirSync(plain);
    times.copy.push(await wallMs(() => writeTexts(plain, texts)));
    times.small.push(await wallMs(() => runScript(opened, "small", "true.sh", problems)));
    times.first.push(await wallMs(() => runScript(opened, "large", "true.sh", problems)));
    times.again.push(await wallMs(() => runScript(opened, "large", "true.sh", problems)));
    removeFolder(home);
  }
  const baseline = median(times.copy);
  const row = (label: string, values: readonly number[]): ScriptRow => ({
    group: "staging",
    label,
    medianMs: median(values),
    ratio: median(values) / baseline,
  });
  return [
    row(`writing ${FILES} files, nothing else`, times.copy),
    row("a run of a skill of 5 files", times.small),
    row(`first run of a skill of ${FILES} files`, times.first),
    row("the same again", times.again),
  ];
}

async function measureDeadline(
  session: Session,
  script: string,
  rounds: number,
  problems: string[],
): Promise<DeadlineRow> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++)
    times.push(
      await wallMs(async () => {
        const result = await session.run("small", `scripts/${script}`, [], { timeoutMs: DEADLINE_MS });
        if (result.status !== "timed-out")
          problems.push(`${script} was ${result.status} instead of timed-out`);
      }),
    );
  return { label: script, medianMs: median(times), worstMs: Math.max(...times) };
}

async function runScript(session: Session, skill: string, script: string, problems: string[]): Promise<void> {
  const result = await session.run(skill, `scripts/${script}`);
  if (!isFine(result)) problems.push(`${skill}:${script}: ${describe(result)}`);
}

async function wallMs(run: () => unknown): Promise<number> {
  return (await costOf(run)).wallMs;
}

function isFine(result: ScriptRun): boolean {
  return result.status === "executed" && result.exitCode === 0 && result.sandbox.strength !== "none";
}

function describe(result: ScriptRun): string {
  return result.status === "refused" ? result.message : `${result.status}, exit code ${result.exitCode}`;
}

function writeSkills(root: string): string {
  const skills = join(root, "skills");
  for (const name of ["small", "large"]) {
    write(
      join(skills, name, "SKILL.md"),
      `---\nname: ${name}\ndescription: Runs scripts.\n---\n\nRun them.\n`,
    );
    for (const [script, text] of Object.entries(SCRIPTS)) write(join(skills, name, "scripts", script), text);
  }
  const assets = join(skills, "large/assets");
  mkdirSync(assets);
  writeTexts(assets, fileTexts());
  return skills;
}

function fileTexts(): readonly string[] {
  return Array.from({ length: FILES }, (_, index) => `${index} `.repeat(FILE_BYTES).slice(0, FILE_BYTES));
}

function writeTexts(folder: string, texts: readonly string[]): void {
  for (const [index, text] of texts.entries()) writeFileSync(join(folder, `file-${index}.txt`), text);
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

function start([program = "", ...args]: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"] });
    child.on("error", reject);
    child.on("close", () => resolve());
  });
}
