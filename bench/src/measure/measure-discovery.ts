import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Peer } from "../loaders/loader.ts";
import type { OwnName } from "../loaders/own-loaders.ts";
import { type Cost, medianCost } from "./cost.ts";
import { interleave } from "./interleave.ts";
import { LoaderProcess } from "./loader-process.ts";

/** The rows of the table. */
export type DiscoveryName = Exclude<OwnName, "fresh">;

/** The first is what all others are compared with. */
const DISCOVERY_NAMES: readonly DiscoveryName[] = [
  "loop",
  "loop-utf8",
  "cold",
  "cold-without-cache",
  "warm",
  "warm-described",
];

/** What a loader found and cost, or why it did neither. */
export type Measured = (Cost & { readonly found: number }) | { readonly failure: string };

/** The costs of every loader: of Skillet one for each build, in the order of the builds. */
export interface DiscoveryCosts {
  readonly own: ReadonlyMap<DiscoveryName, readonly Measured[]>;
  readonly peers: ReadonlyMap<Peer, Measured>;
}

/** Measures every loader in a process of its own, in turns. */
export async function measureDiscovery(options: {
  readonly root: string;
  readonly builds: readonly string[];
  readonly peers: readonly Peer[];
  readonly rounds: number;
  readonly workDirectory: string;
}): Promise<DiscoveryCosts> {
  const { root, builds, peers, rounds } = options;
  const running: LoaderProcess[] = [];
  const start = (name: string, build: string): Runner => {
    const workDirectory = join(options.workDirectory, `loader-${running.length}`);
    mkdirSync(workDirectory);
    const loader = new LoaderProcess([name, root, workDirectory, build], environment(workDirectory));
    running.push(loader);
    return { id: String(running.length), loader };
  };
  try {
    const own = DISCOVERY_NAMES.map((name) => {
      // A loop is nobody's build.
      const measured = name.startsWith("loop") ? builds.slice(0, 1) : builds;
      return [name, measured.map((build) => start(name, build))] as const;
    });
    const others = peers.map((peer) => [peer, start(peer.name, builds[0] ?? "")] as const);
    const measured = await runAll(
      [...own.flatMap(([, runners]) => runners), ...others.map(([, one]) => one)],
      rounds,
    );
    const resultOf = ({ id }: Runner): Measured => measured.get(id) ?? { failure: "it was not run" };
    return {
      own: new Map(own.map(([name, runners]) => [name, runners.map(resultOf)])),
      peers: new Map(others.map(([peer, runner]) => [peer, resultOf(runner)])),
    };
  } finally {
    for (const loader of running) loader.stop();
  }
}

interface Runner {
  readonly id: string;
  readonly loader: LoaderProcess;
}

/** A first turn each, which does not count, and says what is found and which loaders do not work here. */
async function runAll(runners: readonly Runner[], rounds: number): Promise<ReadonlyMap<string, Measured>> {
  const results = new Map<string, Measured>();
  const found = new Map<string, number>();
  for (const { id, loader } of runners) {
    try {
      found.set(id, (await loader.turn()).found);
    } catch (error) {
      results.set(id, { failure: error instanceof Error ? error.message : String(error) });
    }
  }
  const contestants = runners
    .filter(({ id }) => found.has(id))
    .map(({ id, loader }) => ({ name: id, turn: () => loader.turn() }));
  for (const [id, costs] of await interleave(contestants, { rounds }))
    results.set(id, { ...medianCost(costs), found: found.get(id) ?? 0 });
  return results;
}

/** The first calls of a process that did nothing before. */
export async function measureFresh(options: {
  readonly root: string;
  readonly build: string;
  readonly workDirectory: string;
}): Promise<{ readonly cold: Cost; readonly warm: Cost; readonly peakBytes: number }> {
  const workDirectory = join(options.workDirectory, "fresh");
  mkdirSync(workDirectory);
  const loader = new LoaderProcess(
    ["fresh", options.root, workDirectory, options.build],
    environment(workDirectory),
  );
  try {
    const cold = await loader.turn();
    const warm = await loader.turn();
    return { cold, warm, peakBytes: warm.peakBytes };
  } finally {
    loader.stop();
  }
}

/** An empty home, so that the skills of whoever runs this are not counted, and no telemetry. */
function environment(home: string): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, HOME: home, CI: "1", DO_NOT_TRACK: "1", DISABLE_TELEMETRY: "1" };
}
