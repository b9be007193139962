import { spawnSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { parseArgs } from "node:util";
import { openSkills, type Session, type SkillVetter } from "@skillet/core";
import { parseCount } from "./bench-options.ts";
import { generateLibrary } from "./library/generate-library.ts";
import { median } from "./measure/median.ts";
import { renderTable } from "./report/render-table.ts";

const LIMITS = { kilobytes: 200, openMs: 2, holdMs: 50 };
const MESSAGE = "please summarise the quarterly report and send a draft to the team";

const { values } = parseArgs({
  options: {
    sessions: { type: "string", default: "1000" },
    skills: { type: "string", default: "10000" },
    seed: { type: "string", default: "1" },
    repetitions: { type: "string", default: "3" },
    /** Set for the processes that this one starts: where the library lies, and a home of their own. */
    folder: { type: "string" },
    home: { type: "string", default: "" },
  },
});
const sessionCount = parseCount("--sessions", values.sessions);
const skillCount = parseCount("--skills", values.skills);
const repetitions = parseCount("--repetitions", values.repetitions);

/** How long a phase took, and its longest piece of work without a break. */
interface Phase {
  readonly label: string;
  readonly ms: number;
  readonly holdMs: number;
}

const phases: Phase[] = [];

/**
 * Runs one phase while watching how long the event loop is held without a break, by the clock or by processor time: other
 * processes make the first longer. They slow the processor down too, so of several repetitions the steadiest counts; each is a
 * process of its own, in which nothing is compiled yet.
 */
async function phase<Result>(label: string, work: () => Promise<Result> | Result): Promise<Result> {
  // What was left by the phase before is not part of this one.
  globalThis.gc?.();
  await nextTurn();
  let holdMs = 0;
  let isOver = false;
  let last = performance.now();
  let used = process.cpuUsage();
  const look = (): void => {
    const now = performance.now();
    const { user, system } = process.cpuUsage(used);
    holdMs = Math.max(holdMs, Math.min(now - last, (user + system) / 1000));
    last = now;
    used = process.cpuUsage();
    if (!isOver) setImmediate(look);
  };
  setImmediate(look);
  const start = performance.now();
  const result = await work();
  const ms = performance.now() - start;
  isOver = true;
  look();
  phases.push({ label, ms, holdMs });
  return result;
}

const vetter: SkillVetter = {
  ruleSet: "bench",
  vet: async (skills) => skills.map(() => ({ outcome: "allow", verdict: "safe", diagnostics: [] })),
};

/** What a session takes; without a limit where the number is for people alone. */
type Sizes = readonly (readonly [label: string, value: number, most?: number])[];
interface Measured {
  readonly sizes: Sizes;
  readonly phases: readonly Phase[];
}

async function measure(folder: string, home: string): Promise<Measured> {
  const root = join(folder, "skills");
  const place = {
    workspace: folder,
    home,
    userHome: folder,
    organisationDirectory: join(folder, "organisation"),
    roots: [root],
    bundledDirectory: false as const,
  };
  await phase("openSkills, cold", () => openSkills(place));
  const skills = await phase("openSkills, from its cache", () => openSkills(place));
  await phase("a first session, nothing warm", () => skills.session());

  await phase("warm", () => skills.warm());

  const opened: Session[] = [];
  const times: number[] = [];
  const before = heapUsed();
  await phase(`${sessionCount} sessions`, async () => {
    for (let index = 0; index < sessionCount; index += 1) {
      const start = performance.now();
      opened.push(await skills.session());
      times.push(performance.now() - start);
      await nextTurn();
    }
  });
  const afterOpening = heapUsed();
  const [one] = opened as [Session];
  await phase("catalog, first", () => one.catalog());
  await phase("catalog, again", () => one.catalog());
  await phase("catalogFor, first", () => one.prompt([MESSAGE]));
  await phase("catalogFor, again", () => one.prompt([MESSAGE]));
  const afterFirst = heapUsed();
  const asked = opened.slice(0, 20);
  await phase("prompt in 20 sessions", async () => {
    for (const session of asked) {
      await session.prompt([MESSAGE]);
      await nextTurn();
    }
  });
  const afterCatalogues = heapUsed();
  const name = skills.list()[0]?.qualifiedName ?? "";
  await phase("activate", () => one.activate(name, { source: "user" }));
  const recorded = await phase("session with records", () => skills.session({ records: join(home, "run") }));
  await phase("activate and end a turn", async () => {
    await recorded.activate(name, { source: "user" });
    await recorded.turn().end();
  });
  await phase("end another turn", () => recorded.turn().end());
  await phase("reload", () => skills.reload());
  await phase("refresh one session", () => one.refresh());
  await phase("refresh another session", () => recorded.refresh());

  const vetting = await openSkills({ ...place, vetter });
  await phase("a first vetted session", () => vetting.session());
  await phase("a second vetted session", () => vetting.session());

  const perSession = (afterOpening - before) / sessionCount / 1000;
  const perCatalogue = (afterCatalogues - afterFirst) / Math.max(1, asked.length - 1) / 1000;
  const sizes: Sizes = [
    ["heap a session, KB", perSession, LIMITS.kilobytes],
    ["heap a session more after catalogFor, KB", perCatalogue, LIMITS.kilobytes],
    ["median to open one, ms", median(times), LIMITS.openMs],
    ["slowest to open, ms", Math.max(...times)],
  ];
  return { sizes, phases };
}

function report(all: readonly Measured[]): void {
  const rows = (all[0]?.sizes ?? []).map(([label, , most], row) => {
    const least = Math.min(...all.map(({ sizes }) => sizes[row]?.[1] ?? Number.NaN));
    return [label, least.toFixed(2), most === undefined ? "" : limit(least, most)];
  });
  console.log(renderTable([[`${skillCount} skills`, "", "limit"], ...rows]));
  const holds = (all[0]?.phases ?? []).map(({ label }, row) => {
    const each = all.flatMap((one) => one.phases[row] ?? []);
    const least = Math.min(...each.map(({ holdMs }) => holdMs));
    const every = each.map(({ holdMs }) => holdMs.toFixed(0)).join(" ");
    const ms = Math.min(...each.map((one) => one.ms));
    return [label, ms.toFixed(1), least.toFixed(1), every, limit(least, LIMITS.holdMs)];
  });
  console.log(
    renderTable([["phase", "ms", `longest hold, ms, best of ${all.length}`, "each", "limit"], ...holds]),
  );
}

function limit(value: number, most: number): string {
  return `<= ${most} ${value <= most ? "ok" : "EXCEEDED"}`;
}

function heapUsed(): number {
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, external, arrayBuffers } = process.memoryUsage();
  return heapUsed + external + arrayBuffers;
}

/** Measures in a process of its own. */
function repeat(folder: string, repetition: number): Measured {
  const given = ["--sessions", values.sessions, "--skills", values.skills, "--folder", folder];
  const own = [...given, "--home", join(folder, `home-${repetition}`)];
  const { stdout, status } = spawnSync(
    process.execPath,
    ["--expose-gc", ...process.argv.slice(1, 2), ...own],
    {
      stdio: ["ignore", "pipe", "inherit"],
      maxBuffer: 2 ** 24,
    },
  );
  if (status !== 0) throw new Error(`A repetition ended with ${status}.`);
  return JSON.parse(stdout.toString());
}

async function run(): Promise<void> {
  if (values.folder !== undefined) {
    console.log(JSON.stringify(await measure(values.folder, values.home)));
    return;
  }
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "skillet-sessions-")));
  const cleanUp = (): void => rmSync(folder, { recursive: true, force: true });
  // A large library must not stay behind when the bench is interrupted.
  process.once("SIGINT", () => {
    cleanUp();
    process.exit(130);
  });
  try {
    const seed = parseCount("--seed", values.seed);
    generateLibrary({ root: join(folder, "skills"), count: skillCount, seed });
    report(Array.from({ length: repetitions }, (_, repetition) => repeat(folder, repetition)));
  } finally {
    cleanUp();
  }
}

await run();
