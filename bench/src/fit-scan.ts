import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createFindings } from "../../packages/scan/src/finding/create-findings.ts";
import { readFiles as readFacts } from "../../packages/scan/src/read/read-files.ts";
import { ALL_RULES } from "../../packages/scan/src/rule/all-rules.ts";
import { createFactBook, createProfile } from "../../packages/scan/src/rule/create-profile.ts";
import { DEFAULT_SCAN_LIMITS } from "../../packages/scan/src/scan-limits.ts";
import { readSigns, type SkillWeights, scoreSigns } from "../../packages/scan/src/verdict/weigh-skill.ts";
import { renderTable } from "./report/render-table.ts";
import { chooseThresholds, fitWeights, type SignedRow } from "./scan/fit-weights.ts";
import { createProgress } from "./scan/progress.ts";
import { formatRate, rateOf } from "./scan/rate.ts";
import { readFiles } from "./scan/read-files.ts";
import { readScanSets } from "./scan/scan-sets.ts";

const USAGE = `Usage: npm run fit:scan -- DIR [--write FILE]

  DIR           a folder with pairs-dev, honest-dev and scan-dev
  --write FILE  where to write weights that are fitted on all of it; without it only the table is printed`;

/** What is less moves no sum. */
const LEAST_WEIGHT = 0.05;

process.exitCode = await main(process.argv.slice(2));

/** Fits on one author and half of the honest repositories, reports the others, and the other way round. */
async function main([folder, option, file]: readonly string[]): Promise<number> {
  if (folder === undefined || (option !== undefined && (option !== "--write" || file === undefined))) {
    console.error(USAGE);
    return 2;
  }
  const rows = await readRows(folder);
  const of = (text: string): readonly SignedRow[] => rows.filter(({ set }) => set.includes(text));
  const seen = of("scan-dev");
  const halves = [
    { pairs: of("author A"), honest: of("(seen half)") },
    { pairs: of("author B"), honest: of("(unseen half)") },
  ];
  const lines = [["reported", "rows", "at", "recall", "false alarms"]];
  for (const [at, half] of halves.entries()) {
    const other = halves[1 - at];
    if (other === undefined) continue;
    const weights = fitAll([...other.pairs, ...other.honest, ...seen]);
    for (const [name, part] of [
      ["pairs", half.pairs],
      ["honest code", half.honest.filter(({ set }) => set.includes("code"))],
      ["honest text", half.honest.filter(({ set }) => set.includes("text"))],
    ] as const)
      lines.push(...reportRows(`${name}, ${at === 0 ? "A" : "B"}`, part, weights));
  }
  console.log(renderTable(lines));
  if (file !== undefined) writeFileSync(file, renderWeights(fitAll(rows)));
  return 0;
}

function fitAll(rows: readonly SignedRow[]): SkillWeights {
  return { ...fitWeights(rows), ...chooseThresholds(rows) };
}

function reportRows(name: string, rows: readonly SignedRow[], weights: SkillWeights): string[][] {
  return (["dangerous", "caution"] as const).map((at) => {
    // As the scanner decides: weights alone ask for caution, and condemn only what a rule has warned of.
    const isFound = (row: SignedRow): boolean =>
      row.worst === "critical" ||
      (at === "caution" && row.worst === "warn") ||
      ((at === "caution" || row.worst === "warn") && scoreSigns(row.signs, weights) >= weights[at]);
    const rate = (part: readonly SignedRow[]): string =>
      part.length === 0 ? "-" : formatRate(rateOf(part.filter(isFound).length, part.length));
    return [
      at === "dangerous" ? name : "",
      at === "dangerous" ? String(rows.length) : "",
      at,
      rate(rows.filter(({ isAttack }) => isAttack)),
      rate(rows.filter(({ isAttack }) => !isAttack)),
    ];
  });
}

async function readRows(folder: string): Promise<readonly SignedRow[]> {
  const sets = readScanSets(folder);
  const progress = createProgress(sets.reduce((sum, set) => sum + set.rows.length, 0));
  const rows: SignedRow[] = [];
  for (const { name, root, rows: labelled } of sets)
    for (const { path, label, group, id } of labelled) {
      const options = { limits: DEFAULT_SCAN_LIMITS, analysers: [] };
      const { facts, coverage } = await readFacts(readFiles(join(root, path)), options);
      const book = createFactBook(facts);
      const profile = createProfile(book);
      const findings = ALL_RULES.flatMap((rule) => createFindings(rule, rule.find(book, profile)));
      const severities = new Set(findings.map(({ severity }) => severity));
      const isUnread = coverage.some(({ state }) => state !== "read");
      rows.push({
        set: name,
        group: name.startsWith("pairs") ? pairOf(name, id) : group,
        isAttack: label === "malicious",
        worst: severities.has("critical") ? "critical" : severities.has("warn") || isUnread ? "warn" : "info",
        signs: new Map(Array.from(readSigns(book, profile, findings), ([sign, { value }]) => [sign, value])),
      });
      progress.step();
    }
  progress.end();
  return rows;
}

// An attack and its twin are neighbours: 1 and 2, 3 and 4.
function pairOf(set: string, id: string): string {
  return `${set} ${Math.ceil(Number(id.replace(/\D/g, "")) / 2)}`;
}

function renderWeights({ base, caution, dangerous, weights }: SkillWeights): string {
  const entries = Object.entries(weights)
    // A skill with a critical finding is not weighed.
    .filter(([name, weight]) => Math.abs(weight) >= LEAST_WEIGHT && !/\bcritical$/.test(name))
    .map(([name, weight]) => `${name} ${weight.toFixed(2)}`);
  return `/**
 * How much each sign counts for or against a skill, and the sums at which it gets *caution* or *dangerous*. Generated by
 * \`npm run fit:scan\`: logistic regression with L2 over labelled skills, thresholds by cross-validation.
 */
export const SKILL_WEIGHTS = {
  base: ${base.toFixed(2)},
  caution: ${caution.toFixed(2)},
  dangerous: ${dangerous.toFixed(2)},
  weights:
    "${entries.join(", ")}",
};
`;
}
