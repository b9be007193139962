import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { type BenchOptions, parseBenchOptions, USAGE } from "./bench-options.ts";
import { generateLibrary } from "./library/generate-library.ts";
import { installPeers } from "./loaders/install-peers.ts";
import type { Peer } from "./loaders/loader.ts";
import { checkResults } from "./measure/check-results.ts";
import { measureDiscovery, measureFresh } from "./measure/measure-discovery.ts";
import { measureStartup } from "./measure/measure-startup.ts";
import { discover } from "./measure/product.ts";
import { LIMITS } from "./report/limits.ts";
import { renderReport } from "./report/render-report.ts";
import type { Report } from "./report/report.ts";
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
  const { skills: count, seed, runs, against } = options;
  const library = generateLibrary({ root: join(workDirectory, "library"), count, seed });
  const small = generateLibrary({ root: join(workDirectory, "small-library"), count: STARTUP_SKILLS, seed });
  await wait(SETTLE_MS);

  progress("checking results");
  const cache = join(workDirectory, "cache");
  const cold = await discover(library.root, cache);
  const problems = checkResults(library, { cold, warm: await discover(library.root, cache) });
  const peers = options.peers.length === 0 ? [] : choosePeers(options);
  const checkout = fileURLToPath(new URL("../..", import.meta.url));
  const builds = [checkout, ...(against === undefined ? [] : [resolve(against)])];
  const place = { root: library.root, builds, workDirectory };
  progress("measuring discovery");
  const discovery = discoveryRows(await measureDiscovery({ ...place, peers, rounds: runs }));
  const fresh = await measureFresh({ ...place, build: checkout });
  progress("measuring start-up");
  const startup = startupRows(await measureStartup({ ...place, library: small.root, rounds: runs }));
  return {
    schemaVersion: 2,
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
    runs,
    discovery,
    peers: peers.map(({ package: name, how }) => ({ package: name, how })),
    fresh: { ...fresh, limitBytes: LIMITS.memoryBytes },
    startup,
    problems,
  };
}

function choosePeers({ peers }: BenchOptions): readonly Peer[] {
  progress("installing peers");
  const failure = installPeers();
  if (failure === undefined) return peers;
  console.error(`Other clients are left out: ${failure}`);
  return [];
}

function progress(text: string): void {
  if (process.stderr.isTTY) console.error(`… ${text}`);
}
