import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { recover } from "../../../packages/hub/src/place/recover.ts";
import type { ChildTask } from "../../../packages/hub/src/place/testing/commit-child.ts";
import { inspectProject } from "../../../packages/hub/src/place/testing/inspect-project.ts";
import { sandboxProject } from "../../../packages/hub/src/place/testing/sandbox-project.ts";
import { createRandom } from "../library/random.ts";

type Operation = "install" | "update" | "remove";
type Versions = Readonly<Record<string, string>>;

/** How often each operation left the old or the new state, and everything that went wrong. */
export interface KillReport {
  readonly outcomes: readonly (readonly string[])[];
  readonly problems: readonly string[];
}

const NAMES = ["a", "b", "c", "d"];

/** Kills installs, updates and removals at random moments, and looks after each what the next command finds. */
export async function killCommits(options: {
  readonly folder: string;
  readonly program: string;
  readonly kills: number;
  readonly seed: number;
}): Promise<KillReport> {
  const random = createRandom(options.seed);
  const problems: string[] = [];
  const counts = new Map<Operation, { old: number; new: number; late: number }>();
  const folder = join(options.folder, "work");
  const project = sandboxProject(folder);
  const trial = await runAndKill(options.program, { folder, wanted: { a: "0" } }, Number.POSITIVE_INFINITY);
  let versions: Versions = { a: "0" };
  let longestMs = trial.commitMs;
  for (let round = 0; round < options.kills && problems.length === 0; ) {
    const { operation, wanted, next } = chooseChange(versions, round, random.next);
    const end = await runAndKill(
      options.program,
      { folder, wanted },
      Math.sqrt(random.next()) * longestMs * 1.1,
    );
    if (end.isKilled) round += 1;
    else longestMs = (longestMs + end.commitMs) / 2;
    await recover(project);
    const state = await inspectProject(project, NAMES);
    const [found, before, after] = [state.versions, versions, next].map(sortedText);
    problems.push(...state.problems.map((problem) => `round ${round}, ${operation}: ${problem}`));
    if (found !== before && found !== after)
      problems.push(`round ${round}, ${operation}: found ${found}, was ${before}`);
    if (!end.isKilled && found !== after)
      problems.push(`round ${round}, ${operation}: ended well, yet ${found}`);
    const count = counts.get(operation) ?? { old: 0, new: 0, late: 0 };
    if (!end.isKilled) count.late += 1;
    else if (found === after) count.new += 1;
    else count.old += 1;
    counts.set(operation, count);
    versions = state.versions;
  }
  const outcomes = [...counts].map(([name, count]) => [
    name,
    ...[count.old, count.new, count.late].map(String),
  ]);
  return { outcomes, problems };
}

function chooseChange(
  versions: Versions,
  round: number,
  random: () => number,
): { readonly operation: Operation; readonly wanted: ChildTask["wanted"]; readonly next: Versions } {
  const name = NAMES[Math.floor(random() * NAMES.length)] ?? "a";
  const { [name]: current, ...others } = versions;
  if (current !== undefined && random() < 0.4)
    return { operation: "remove", wanted: { [name]: null }, next: others };
  const version = `${round}-${Math.floor(random() * 1e9)}`;
  const operation = current === undefined ? "install" : "update";
  return { operation, wanted: { [name]: version }, next: { ...versions, [name]: version } };
}

async function runAndKill(
  program: string,
  task: ChildTask,
  delayMs: number,
): Promise<{ readonly isKilled: boolean; readonly commitMs: number }> {
  const child = spawn(process.execPath, [program, JSON.stringify(task)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const begin = await waitForBegin(child);
  // Timers are too coarse for a commit of milliseconds.
  while (Number(process.hrtime.bigint() - begin) / 1e6 < delayMs && child.exitCode === null)
    await new Promise(setImmediate);
  child.kill("SIGKILL");
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  return {
    isKilled: child.signalCode === "SIGKILL",
    commitMs: Number(process.hrtime.bigint() - begin) / 1e6,
  };
}

async function waitForBegin(child: ChildProcess): Promise<bigint> {
  if (child.stdout === null) throw new Error("the process has no output");
  await once(child.stdout, "data");
  child.stdout.resume();
  return process.hrtime.bigint();
}

function sortedText(versions: Versions): string {
  return JSON.stringify(Object.entries(versions).sort(([left], [right]) => (left < right ? -1 : 1)));
}
