import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type Cost, medianCost } from "./cost.ts";
import { type Contestant, interleave } from "./interleave.ts";
import { startCommand } from "./start-command.ts";

/** What is started; the first is what all others are compared with. */
export type StartupName = "node" | "version" | "show-first" | "show-again";

/** Starts cost a hundredth of a discovery, and vary more. */
const STARTS_PER_ROUND = 3;

/** Whole processes: `node -e 0` against `skillet --version` and `skillet show` on a small library, for each build. */
export async function measureStartup(options: {
  readonly builds: readonly string[];
  readonly library: string;
  readonly workDirectory: string;
  readonly rounds: number;
}): Promise<readonly ReadonlyMap<StartupName, Cost>[]> {
  const { builds, library, workDirectory } = options;
  const home = join(workDirectory, "home");
  const node: Contestant<string> = { name: "node", turn: () => start(["-e", "0"], empty(home)) };
  const commands = builds.flatMap((build, index): readonly Contestant<string>[] => {
    const command = join(build, "packages/cli/bin/skillet.cjs");
    if (!existsSync(command)) throw new Error(`${command} does not exist; build the packages first.`);
    const show = [command, "show", "--skills-root", library];
    const usedHome = empty(join(workDirectory, `used-home-${index}`));
    start(show, usedHome);
    return [
      { name: `version ${index}`, turn: () => start([command, "--version"], empty(home)) },
      { name: `show-first ${index}`, turn: () => start(show, empty(home)) },
      { name: `show-again ${index}`, turn: () => start(show, usedHome) },
    ];
  });
  const costs = await interleave([node, ...commands], { rounds: options.rounds * STARTS_PER_ROUND });
  const costsOf = (name: string): Cost => medianCost(costs.get(name) ?? []);
  return builds.map(
    (_, index) =>
      new Map<StartupName, Cost>([
        ["node", costsOf("node")],
        ["version", costsOf(`version ${index}`)],
        ["show-first", costsOf(`show-first ${index}`)],
        ["show-again", costsOf(`show-again ${index}`)],
      ]),
  );
}

function empty(directory: string): string {
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  return directory;
}

function start(args: readonly string[], home: string): Cost {
  const env = { PATH: process.env.PATH, HOME: home, SKILLET_HOME: join(home, ".skillet") };
  const { status, errors, ...cost } = startCommand({ args, directory: home, env });
  if (status === 0) return cost;
  throw new Error(`node ${args.join(" ")} failed: ${errors.trim() || `exit ${status}`}`);
}
