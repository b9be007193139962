import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";
import type { Place } from "./place.ts";

const CORE = join(import.meta.dirname, "../../packages/core/dist/index.js");

// Reloads without end and says what each reload gave; after a line of input it compares the next whole reload with a search
// that knows no cache, and goes on. A reload that had begun before the line may have read files as they were then.
const READER = `
  import { createInterface } from "node:readline";
  const [core, workspace, userHome, root] = process.argv.slice(1);
  const { openSkills, snapshotToJson } = await import(core);
  const options = {
    workspace, userHome, environment: { HOME: userHome }, organisationDirectory: root + "/organisation",
    bundledDirectory: false,
  };
  const plain = (skills) => JSON.stringify(snapshotToJson(skills.snapshot));
  const say = (word) => process.stdout.write(word.replaceAll("\\n", " ") + "\\n");
  let asked = false;
  createInterface({ input: process.stdin }).on("line", () => { asked = true; });
  let skills;
  for (;;) {
    try {
      const isAsked = asked;
      asked = false;
      if (skills === undefined) skills = await openSkills(options);
      else await skills.reload();
      if (isAsked) {
        const cold = await openSkills({ ...options, cacheDirectory: false });
        say(plain(skills) === plain(cold) ? "same" : "different " + plain(skills) + " " + plain(cold));
      } else say("reloaded");
    } catch (error) {
      say("failed " + error.message);
    }
    await new Promise((resolve) => setImmediate(resolve));
  }`;

/** A process that reloads without end, and what it said about it. */
export interface Reader {
  /** Resolves after the next reload. */
  nextReload(): Promise<void>;
  /** Whether what it has, and what a search without a cache gives, are the same now that nobody writes. */
  compare(): Promise<string>;
  readonly failures: readonly string[];
}

/** Starts a process that reloads the place's skills over the place's cache; it ends with the test. */
export function startReader(place: Place): Reader {
  const args = [CORE, place.project, place.home, place.root];
  const child: ChildProcessWithoutNullStreams = spawn(
    process.execPath,
    ["--input-type=module", "--eval", READER, "--", ...args],
    { stdio: "pipe" },
  );
  onTestFinished(async () => {
    const ended = once(child, "close");
    child.kill("SIGKILL");
    await ended;
  });
  const failures: string[] = [];
  let waiting: { readonly wanted: readonly string[]; readonly resolve: (line: string) => void }[] = [];
  const hear = (line: string): void => {
    const [word = ""] = line.split(" ", 1);
    if (word === "failed") failures.push(line);
    const answered = waiting.filter(({ wanted }) => wanted.includes(word));
    waiting = waiting.filter((one) => !answered.includes(one));
    for (const { resolve } of answered) resolve(line);
  };
  createInterface({ input: child.stdout }).on("line", hear);
  child.stderr.setEncoding("utf8").on("data", (text: string) => failures.push(text));
  const next = (...wanted: readonly string[]): Promise<string> =>
    new Promise((resolve) => {
      waiting.push({ wanted, resolve });
    });
  return {
    failures,
    nextReload: async () => void (await next("reloaded", "failed")),
    compare: () => {
      const answer = next("same", "different");
      child.stdin.write("compare\n");
      return answer;
    },
  };
}

/**
 * Changes files while the readers reload, stops and lets them compare, a few times over; returns what they said.
 *
 * Nothing waits for a time: writing goes on until every reader has reloaded often enough.
 */
export async function changeWhileReading(
  readers: readonly Reader[],
  change: () => void,
): Promise<{ readonly answers: readonly string[]; readonly failures: readonly string[] }> {
  const answers: string[] = [];
  await Promise.all(readers.map((reader) => reader.nextReload()));
  for (let round = 0; round < ROUNDS; round++) {
    let reading = true;
    const reloads = readers.map(async (reader) => {
      for (let count = 0; count < RELOADS_A_ROUND; count++) await reader.nextReload();
    });
    void Promise.all(reloads).then(() => {
      reading = false;
    });
    while (reading) {
      for (let count = 0; count < CHANGES_A_TURN; count++) change();
      await new Promise((resolve) => setImmediate(resolve));
    }
    for (const reader of readers) answers.push(await reader.compare());
  }
  return { answers, failures: readers.flatMap(({ failures }) => failures) };
}

const ROUNDS = 6;
const RELOADS_A_ROUND = 20;
const CHANGES_A_TURN = 10;

/** What readers say when nothing went wrong. */
export function agreement(readers: readonly Reader[]): {
  readonly answers: readonly string[];
  readonly failures: readonly string[];
} {
  return { answers: Array.from({ length: ROUNDS * readers.length }, () => "same"), failures: [] };
}

/** Numbers that look random and are the same in every run. */
export function createRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    return (state >> 8) % below;
  };
}
