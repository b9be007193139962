import { parseArgs } from "node:util";
import type { Verdict } from "@skillet/scan";
import { renderTable } from "./report/render-table.ts";
import { judge } from "./scan/judged.ts";
import { createProgress } from "./scan/progress.ts";
import { formatRate, rateOf } from "./scan/rate.ts";
import { renderMisses } from "./scan/render-score.ts";
import { renderSpeed, speedOf } from "./scan/render-speed.ts";
import { readScanSets, type ScanSet } from "./scan/scan-sets.ts";
import { isFlagged, type JudgedRow } from "./scan/score.ts";

const USAGE = `Usage: npm run eval:scan-sets -- DIR [--misses] [--only TEXT]

  DIR         a folder with pairs-dev, honest-dev and scan-dev
  --misses    list what was missed and flagged wrongly, of the sets that may be looked at
  --only TEXT only the sets whose name has this text`;

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { misses: { type: "boolean", default: false }, only: { type: "string", default: "" } },
    });
    const [folder] = positionals;
    if (folder === undefined || positionals.length > 1) throw new TypeError("One folder is needed.");
    const sets = readScanSets(folder).filter(({ name }) => name.includes(values.only));
    const total = sets.reduce((sum, { rows }) => sum + rows.length, 0);
    const progress = createProgress(total);
    const judged: { readonly set: ScanSet; readonly rows: readonly JudgedRow[] }[] = [];
    for (const set of sets) {
      const rows: JudgedRow[] = [];
      for (const row of set.rows) {
        rows.push({ ...row, ...(await judge(row.files())) });
        progress.step();
      }
      judged.push({ set, rows });
    }
    progress.end();
    console.log(
      renderTable([
        ["set", "attacks", "honest", "at", "recall", "false alarms", "F1"],
        ...judged.flatMap(({ set, rows }) => [
          setRow(set.name, rows, "dangerous"),
          setRow("", rows, "caution"),
        ]),
      ]),
    );
    console.log(
      "The weights of CX3 were fitted on these rows; for rows that they were not: npm run fit:scan.",
    );
    console.log(renderSpeed(speedOf(judged.flatMap(({ rows }) => rows))));
    if (values.misses)
      for (const { set, rows } of judged) if (set.isOpen) console.log(`\n${set.name}\n${renderMisses(rows)}`);
    return 0;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    console.error(`${error.message}\n${USAGE}`);
    return 2;
  }
}

function setRow(name: string, rows: readonly JudgedRow[], threshold: Verdict): string[] {
  const attacks = rows.filter(({ label }) => label === "malicious");
  const honest = rows.filter(({ label }) => label !== "malicious");
  const found = attacks.filter((row) => isFlagged(row, threshold)).length;
  const wrong = honest.filter((row) => isFlagged(row, threshold)).length;
  const f1 = (2 * found) / Math.max(1, found + wrong + attacks.length);
  return [
    name,
    name === "" ? "" : String(attacks.length),
    name === "" ? "" : String(honest.length),
    threshold,
    formatRate(rateOf(found, attacks.length)),
    formatRate(rateOf(wrong, honest.length)),
    attacks.length === 0 ? "-" : f1.toFixed(3),
  ];
}
