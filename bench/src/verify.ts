import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { parseCount } from "./bench-options.ts";
import { measureVerify } from "./measure/measure-verify.ts";
import { renderTable } from "./report/render-table.ts";

const USAGE = `Usage: node bench/run-verify.mjs [options]

  --files N       files of the installed skill (default 10000)
  --runs N        rounds of the interleaved measurement (default 9)`;

const LIMIT = 1.5;

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  let runs: number;
  let files: number;
  try {
    const { values } = parseArgs({
      args: [...args],
      options: { runs: { type: "string", default: "9" }, files: { type: "string", default: "10000" } },
    });
    runs = parseCount("--runs", values.runs);
    files = parseCount("--files", values.files);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    console.error(`${error.message}\n\n${USAGE}`);
    return 2;
  }
  const root = realpathSync(mkdtempSync(join(tmpdir(), "skillet-bench-")));
  try {
    const { rows, problems } = await measureVerify({ root, runs, files });
    console.log(
      renderTable([
        [`Verifying ${files} files`, "cpu ms", "ratio"],
        ...rows.map(({ label, cpuMs, ratio }) => [label, cpuMs.toFixed(1), ratio.toFixed(2)]),
      ]),
    );
    const worst = rows.reduce((most, { ratio }) => Math.max(most, ratio), 0);
    if (worst > LIMIT)
      problems.push(`verify takes ${worst.toFixed(2)} times a plain loop; the limit is ${LIMIT}`);
    for (const problem of problems) console.error(problem);
    return problems.length === 0 ? 0 : 1;
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}
