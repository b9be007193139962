import { mkdtempSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { parseCount } from "./bench-options.ts";
import { measureScripts } from "./measure/measure-scripts.ts";
import { removeFolder } from "./measure/remove-folder.ts";
import { LIMITS } from "./report/limits.ts";
import { renderTable } from "./report/render-table.ts";

const USAGE = `Usage: npm run bench:run -- [options]

  --runs N        rounds of the interleaved measurement (default 15)`;

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  let runs: number;
  try {
    const { values } = parseArgs({ args: [...args], options: { runs: { type: "string", default: "15" } } });
    runs = parseCount("--runs", values.runs);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    console.error(`${error.message}\n\n${USAGE}`);
    return 2;
  }
  const root = realpathSync(mkdtempSync(join(tmpdir(), "skillet-bench-")));
  try {
    const { rows, deadlines, problems } = await measureScripts({ root, runs });
    console.log(
      renderTable([
        ["Scripts", "median ms", "ratio"],
        ...rows.map(({ label, medianMs, ratio }) => [label, medianMs.toFixed(1), ratio.toFixed(2)]),
      ]),
    );
    console.log(
      `\n${renderTable([
        ["Ended after 300 ms, settled after", "median ms", "worst ms", "limit"],
        ...deadlines.map(({ label, medianMs, worstMs }) => [
          label,
          medianMs.toFixed(0),
          worstMs.toFixed(0),
          `<= ${LIMITS.deadlineMs} ${worstMs <= LIMITS.deadlineMs ? "ok" : "EXCEEDED"}`,
        ]),
      ])}`,
    );
    console.log(
      problems.length === 0
        ? "\nResults are right."
        : `\nWRONG RESULTS:\n${[...new Set(problems)].join("\n")}`,
    );
    return problems.length === 0 ? 0 : 1;
  } finally {
    removeFolder(root);
  }
}
