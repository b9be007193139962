import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createFindings } from "../../packages/scan/src/finding/create-findings.ts";
import { readFiles as readFacts } from "../../packages/scan/src/read/read-files.ts";
import { ALL_RULES } from "../../packages/scan/src/rule/all-rules.ts";
import { createFactBook, createProfile } from "../../packages/scan/src/rule/create-profile.ts";
import { DEFAULT_SCAN_LIMITS } from "../../packages/scan/src/scan-limits.ts";
import { readSigns, type SkillWeights, scoreSigns } from "../../packages/scan/src/verdict/weigh-skill.ts";
import { renderTable } from "./report/render-table.ts";
import { chooseThresholds, fitWeights, isFlagged, type SignedRow } from "./scan/fit-weights.ts";
import type { ManifestRow } from "./scan/manifest.ts";
import { createProgress } from "./scan/progress.ts";
import { formatRate, rateOf } from "./scan/rate.ts";
import { readFiles } from "./scan/read-files.ts";
import { readScanSets, type ScanSet } from "./scan/scan-sets.ts";
import { skillFolders } from "./scan/skill-folders.ts";

const USAGE = `Usage: npm run fit:scan -- DIR [--write FILE]

  DIR           a folder with pairs-*, honest-dev, scan-dev and skills-wild
  --write FILE  where to write weights that are fitted on all of it; without it only the table is printed`;

/** What is less moves no sum. */
const LEAST_WEIGHT = 0.08;

process.exitCode = await main(process.argv.slice(2));

/** Reports every hand by weights that were fitted on the others and on half of the honest repositories. */
async function main([folder, option, file]: readonly string[]): Promise<number> {
  if (folder === undefined || (option !== undefined && (option !== "--write" || file === undefined))) {
    console.error(USAGE);
    return 2;
  }
  const rows = await readRows(folder);
  const hands = Array.from(new Set(rows.map(({ set }) => set))).filter((set) => set.startsWith("pairs"));
  const lines = [["reported", "rows", "at", "recall", "false alarms"]];
  for (const [at, hand] of hands.entries()) {
    // One half of the honest repositories goes with every other hand, so that nothing reported was fitted on.
    const half = at % 2 === 0 ? "(seen half)" : "(unseen half)";
    const isReported = ({ set }: SignedRow): boolean => set === hand || set.endsWith(half);
    const weights = fitAll(rows.filter((row) => !isReported(row)));
    lines.push(
      ...reportRows(
        hand,
        rows.filter(({ set }) => set === hand),
        weights,
      ),
    );
    for (const kind of ["honest code", "honest text"])
      lines.push(
        ...reportRows(
          `${kind} ${half}`,
          rows.filter(({ set }) => set === `${kind} ${half}`),
          weights,
        ),
      );
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
    const isFound = (row: SignedRow): boolean => isFlagged(at, row, scoreSigns(row.signs, weights), weights);
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
  const sets = [...readScanSets(folder), ...readWild(folder)];
  const progress = createProgress(sets.reduce((sum, set) => sum + set.rows.length, 0));
  const rows: SignedRow[] = [];
  for (const { name, root, rows: labelled } of sets)
    for (const { path, label, group } of labelled) {
      const options = { limits: DEFAULT_SCAN_LIMITS, analysers: [] };
      const { facts, coverage } = await readFacts(readFiles(join(root, path)), options);
      const book = createFactBook(facts);
      const profile = createProfile(book);
      const findings = ALL_RULES.flatMap((rule) => createFindings(rule, rule.find(book, profile)));
      const severities = new Set(findings.map(({ severity }) => severity));
      const isUnread = coverage.some(({ state }) => state !== "read");
      rows.push({
        set: name,
        group: `${name} ${group}`,
        isAttack: label === "malicious",
        worst: severities.has("critical") ? "critical" : severities.has("warn") || isUnread ? "warn" : "info",
        signs: new Map(Array.from(readSigns(book, profile, findings), ([sign, { value }]) => [sign, value])),
      });
      progress.step();
    }
  progress.end();
  return rows;
}

/** Public skills as they are found: nearly all of them are honest, so they count for little each and much together. */
function readWild(folder: string): readonly ScanSet[] {
  const root = join(folder, "skills-wild");
  const rows = skillFolders(root).map(
    (path): ManifestRow => ({ id: path, path, label: "benign", stratum: "wild", group: path }),
  );
  return rows.length === 0 ? [] : [{ name: "wild", root, rows, isOpen: true }];
}

function renderWeights({ base, caution, dangerous, alone, weights }: SkillWeights): string {
  const entries = Object.entries(weights)
    // A skill with a critical finding is not weighed.
    .filter(([name, weight]) => Math.abs(weight) >= LEAST_WEIGHT && !/\bcritical$/.test(name))
    .map(([name, weight]) => `${name} ${weight.toFixed(2)}`);
  return `/**
 * How much each sign counts for or against a skill, and the sums at which it gets *caution* or *dangerous*, with a
 * warning or alone. Generated by \`npm run fit:scan\`: logistic regression with L2 over labelled skills, thresholds by cross-validation.
 */
export const SKILL_WEIGHTS = {
  base: ${base.toFixed(2)},
  caution: ${caution.toFixed(2)},
  dangerous: ${dangerous.toFixed(2)},
  alone: ${alone.toFixed(2)},
  weights:
    "${entries.join(", ")}",
};
`;
}
