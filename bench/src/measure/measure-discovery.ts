import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Library } from "../library/generate-library.ts";
import { checkResults } from "./check-results.ts";
import { type Contestant, interleave } from "./interleave.ts";
import { discover, type Snapshot } from "./product.ts";

/** What is timed; the first is what all others are compared with. */
export type DiscoveryName = "loop" | "loop-utf8" | "cold" | "cold-without-cache" | "warm" | "warm-described";

/** Times of each contestant in milliseconds, one per round, and what was wrong with the results. */
export interface DiscoveryTimes {
  readonly found: number;
  readonly problems: readonly string[];
  readonly times: ReadonlyMap<DiscoveryName, readonly number[]>;
}

/** Checks that discovery is right, then times it against a loop that reads the same files. */
export async function measureDiscovery(
  library: Library,
  options: { readonly rounds: number; readonly workDirectory: string },
): Promise<DiscoveryTimes> {
  const warmCache = join(options.workDirectory, "cache-warm");
  const coldCache = join(options.workDirectory, "cache-cold");
  const cold = await discover(library.root, warmCache);
  const warm = await discover(library.root, warmCache);
  const problems = checkResults(library, { cold, warm });

  const paths = library.skills.map(({ path }) => path);
  const contestants: readonly Contestant<DiscoveryName>[] = [
    { name: "loop", run: () => readAll(paths) },
    { name: "loop-utf8", run: () => readAllAsText(paths) },
    { name: "cold", prepare: () => empty(coldCache), run: () => discover(library.root, coldCache) },
    { name: "cold-without-cache", run: () => discover(library.root, undefined) },
    { name: "warm", run: () => discover(library.root, warmCache) },
    { name: "warm-described", run: async () => readDescriptions(await discover(library.root, warmCache)) },
  ];
  const times = await interleave(contestants, { rounds: options.rounds });
  return { found: cold.skills.length, problems, times };
}

function readAll(paths: readonly string[]): void {
  for (const path of paths) readFileSync(path);
}

function readAllAsText(paths: readonly string[]): void {
  for (const path of paths) readFileSync(path, "utf8");
}

/** Headers that are parsed when somebody asks are parsed here. */
function readDescriptions({ skills }: Snapshot): number {
  return skills.reduce((sum, skill) => sum + skill.manifest.description.length, 0);
}

function empty(directory: string): void {
  rmSync(directory, { recursive: true, force: true });
}
