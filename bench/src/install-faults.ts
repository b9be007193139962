import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { parseCount } from "./bench-options.ts";
import { killCommits } from "./measure/kill-commits.ts";
import { renderTable } from "./report/render-table.ts";

const USAGE = `Usage: node bench/run-install-faults.mjs [options]

  --kills N       processes that are killed at a random moment (default 500)
  --seed N        of the random moments (default 1)`;

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  let kills: number;
  let seed: number;
  try {
    const { values } = parseArgs({
      args: [...args],
      options: { kills: { type: "string", default: "500" }, seed: { type: "string", default: "1" } },
    });
    kills = parseCount("--kills", values.kills);
    seed = parseCount("--seed", values.seed);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    console.error(`${error.message}\n\n${USAGE}`);
    return 2;
  }
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "skillet-bench-")));
  try {
    const program = fileURLToPath(new URL("commit-child.js", import.meta.url));
    const { outcomes, problems } = await killCommits({ folder, program, kills, seed });
    console.log(renderTable([["What was killed", "old", "new", "too late"], ...outcomes]));
    for (const problem of problems) console.error(problem);
    console.log(problems.length === 0 ? "\nEvery time the old or the new version, whole." : "");
    return problems.length === 0 ? 0 : 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
