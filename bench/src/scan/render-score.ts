import { renderTable } from "../report/render-table.ts";
import { formatRate } from "./rate.ts";
import { isFlagged, type JudgedRow, type Score, type Separation, type StratumScore } from "./score.ts";

/** What is wanted of a stratum at `dangerous`, and of benign rows at most at either threshold. */
const WANTED: ReadonlyMap<string, string> = new Map([
  ["wild", "dangerous ≥ 0.95"],
  ["wild-renamed", "dangerous ≥ 0.90"],
  ["wild-social", "dangerous ≥ 0.85"],
  ["evasive", "dangerous ≥ 0.75"],
  ["synthetic", "dangerous ≥ 0.80"],
  ["benign", "≤ 0.02, ≤ 0.05"],
  ["benign-tricky", "≤ 0.08, ≤ 0.20"],
]);

/** The tables of a score. */
export function renderScore(score: Score): string {
  const { dangerous, caution, withoutSemantic, pairs } = score;
  return [
    renderTable([
      ["stratum", "rows", "groups", "dangerous", "by group", "caution or worse", "by group", "wanted"],
      ...[...score.strata, ...score.twins, ...score.benign].map(stratumRow),
    ]),
    "",
    renderTable([
      ["", "recall", "precision", "F1"],
      ["at dangerous", ...separationCells(dangerous)],
      ["at caution or worse", ...separationCells(caution)],
      ["at dangerous, without nl-semantic", ...separationCells(withoutSemantic.dangerous)],
      ["at caution or worse, without nl-semantic", ...separationCells(withoutSemantic.caution)],
    ]),
    "",
    `Injected skills told from their clean twins: ${pairs.hits} of ${pairs.total}, ${formatRate(pairs)}`,
  ].join("\n");
}

/** The malicious rows that were not called dangerous, and the benign ones that were flagged, worst first. */
export function renderMisses(rows: readonly JudgedRow[]): string {
  const missed = rows.filter((row) => row.label === "malicious" && !isFlagged(row, "dangerous"));
  const wrong = rows.filter((row) => row.label !== "malicious" && isFlagged(row, "caution"));
  return [
    `Missed at dangerous (${missed.length})`,
    renderRows(missed),
    "",
    `Flagged, though benign (${wrong.length})`,
    renderRows([...wrong].sort((left, right) => (left.verdict < right.verdict ? 1 : -1))),
  ].join("\n");
}

function renderRows(rows: readonly JudgedRow[]): string {
  return rows
    .map(({ id, stratum, verdict, rules, places }) =>
      [
        `  ${verdict.padEnd(9)}`,
        stratum.padEnd(20),
        id.padEnd(44),
        rules.join(" ") || "-",
        places.slice(0, 2).join("; "),
      ].join("  "),
    )
    .join("\n");
}

function stratumRow(stratum: StratumScore): string[] {
  const { name, dangerous, caution, groups, dangerousByGroup, cautionByGroup } = stratum;
  return [
    name,
    String(dangerous.total),
    String(groups),
    formatRate(dangerous),
    dangerousByGroup.toFixed(2),
    formatRate(caution),
    cautionByGroup.toFixed(2),
    WANTED.get(name) ?? "",
  ];
}

function separationCells({ recall, precision, f1 }: Separation): string[] {
  return [formatRate(recall), precision.toFixed(3), f1.toFixed(3)];
}
