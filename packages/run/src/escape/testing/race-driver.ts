import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Worker } from "node:worker_threads";
import { openSkills } from "@skillet/core";
import { createRunner } from "../../create-runner.ts";
import { bubblewrap } from "../../sandbox/bubblewrap/bubblewrap.ts";

/** A race between a session that runs a script and an attacker who swaps it. */
export interface RaceRequest {
  readonly root: string;
  readonly home: string;
  readonly workspace: string;
  readonly rounds: number;
  /** The file that is swapped, relative to the skill's folder. */
  readonly file: string;
  readonly evil: string;
}

/** How often each result occurred, by the script's output or the refusal code. */
export type RaceResult = Readonly<Record<string, number>>;

// Swaps by rename and by writing in place, as fast as it can, until it is terminated.
const SWAPPER = `
const { renameSync, writeFileSync } = require("node:fs");
const { workerData: { file, good, evil } } = require("node:worker_threads");
for (let round = 0; ; round++) {
  const text = round % 2 === 0 ? evil : good;
  if (round % 4 < 2) writeFileSync(file, text);
  else { writeFileSync(file + ".new~", text); renameSync(file + ".new~", file); }
}`;

const request: RaceRequest = JSON.parse(await firstLine());
const file = join(request.root, "racer", request.file);
const runner = createRunner({
  sandbox: bubblewrap(),
  home: request.home,
  allow: ["racer:scripts/race.sh"],
});
const skills = await openSkills({
  workspace: request.workspace,
  roots: [request.root],
});
const session = await skills.session({ runner });
await session.activate("racer", { source: "user" });

const swapper = new Worker(SWAPPER, {
  eval: true,
  workerData: { file, good: readFileSync(file, "utf8"), evil: request.evil },
});
const counts = new Map<string, number>();
const count = (what: string): void => void counts.set(what, (counts.get(what) ?? 0) + 1);
for (let round = 0; round < request.rounds; round += 2) await Promise.all([race(), race()]);
await swapper.terminate();
process.stdout.write(`${JSON.stringify(Object.fromEntries(counts))}\n`);
if (process.argv[2] !== undefined) rmSync(process.argv[2], { recursive: true, force: true });

async function race(): Promise<void> {
  const run = await session.run("racer", "scripts/race.sh");
  count(run.status === "refused" ? run.code : `${run.status} ${run.stdout}`);
}

async function firstLine(): Promise<string> {
  for await (const line of createInterface({ input: process.stdin })) return line;
  throw new Error("There is no request.");
}
