import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { type BenchOptions, parseBenchOptions, USAGE } from "./bench-options.ts";
import { generateLibrary } from "./library/generate-library.ts";
import { measureDiscovery } from "./measure/measure-discovery.ts";
import { measureMemory } from "./measure/measure-memory.ts";
import { measureStartup } from "./measure/measure-startup.ts";
import { installPeers } from "./peers/install-peers.ts";
import { describePeer, measurePeer, type PeerReport } from "./peers/measure-peer.ts";
import { LIMITS } from "./report/limits.ts";
import { renderReport } from "./report/render-report.ts";
import type { PeerRow, Report } from "./report/report.ts";
import { discoveryRows, startupRows } from "./report/rows.ts";

/** Discovery reads files again that changed just before it looked, so a new library must come of age first. */
const SETTLE_MS = 3000;

const STARTUP_SKILLS = 50;

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  let options: BenchOptions;
  try {
    options = parseBenchOptions(args);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    console.error(`${error.message}\n\n${USAGE}`);
    return 2;
  }
  const workDirectory = realpathSync(mkdtempSync(join(tmpdir(), "skillet-bench-")));
  const cleanUp = (): void => rmSync(workDirectory, { recursive: true, force: true });
  // A large library must not stay behind because somebody lost patience.
  process.once("SIGINT", () => {
    cleanUp();
    process.exit(130);
  });
  try {
    const report = await runBench(options, workDirectory);
    console.log(options.output === "json" ? JSON.stringify(report, undefined, 2) : renderReport(report));
    return report.problems.length === 0 ? 0 : 1;
  } finally {
    if (options.library === "remove") cleanUp();
  }
}

async function runBench(options: BenchOptions, workDirectory: string): Promise<Report> {
  progress(`generating ${options.skills} skills`);
  const { skills: count, seed } = options;
  const library = generateLibrary({ root: join(workDirectory, "library"), count, seed });
  const small = generateLibrary({ root: join(workDirectory, "small-library"), count: STARTUP_SKILLS, seed });
  await wait(SETTLE_MS);

  progress("measuring discovery");
  const { found, times, problems } = await measureDiscovery(library, { rounds: options.runs, workDirectory });
  const discovery = discoveryRows(times, found);
  progress("measuring memory");
  const memory = await measureMemory(library.root);
  progress("measuring start-up");
  const startup = await startupOrFailure(small.root, workDirectory);
  const peers = await runPeers(options, { root: library.root, workDirectory });

  return {
    schemaVersion: 1,
    machine: {
      node: process.version,
      platform: `${process.platform} ${process.arch}`,
      cpus: availableParallelism(),
    },
    library: {
      skills: library.skills.length,
      seed,
      bytes: library.bytes,
      mix: Object.fromEntries(library.mix),
      ...(options.library === "keep" && { path: library.root }),
    },
    runs: options.runs,
    discovery,
    peers: peers.map((peer) => withRatio(peer, discovery[0]?.medianMs)),
    memory: "failure" in memory ? memory : { ...memory, limitBytes: LIMITS.memoryBytes },
    startup,
    problems,
  };
}

async function startupOrFailure(library: string, workDirectory: string): Promise<Report["startup"]> {
  const command = fileURLToPath(new URL("../../packages/cli/bin/skillet.cjs", import.meta.url));
  try {
    return startupRows(await measureStartup({ command, library, workDirectory }));
  } catch (error) {
    return { failure: error instanceof Error ? error.message : String(error) };
  }
}

async function runPeers(
  { peers }: BenchOptions,
  place: { readonly root: string; readonly workDirectory: string },
): Promise<readonly PeerReport[]> {
  if (peers.length === 0) return [];
  progress("installing peers");
  const failure = installPeers();
  if (failure !== undefined) return peers.map((peer) => ({ ...describePeer(peer), runs: 0, failure }));
  const reports: PeerReport[] = [];
  for (const peer of peers) {
    progress(`measuring ${peer.package}`);
    const workDirectory = join(place.workDirectory, "peers");
    mkdirSync(workDirectory, { recursive: true });
    reports.push(await measurePeer(peer, { root: place.root, workDirectory }));
  }
  return reports;
}

function withRatio(peer: PeerReport, baselineMs: number | undefined): PeerRow {
  if (peer.medianMs === undefined || baselineMs === undefined) return peer;
  return { ...peer, ratio: peer.medianMs / baselineMs };
}

function progress(text: string): void {
  if (process.stderr.isTTY) console.error(`… ${text}`);
}
