import type { SkillFile, Verdict } from "@skillet/scan";
import { renderTable } from "../report/render-table.ts";
import { type Judgement, judge } from "./judged.ts";
import { createProgress } from "./progress.ts";
import { formatRate, rateOf } from "./rate.ts";
import { renderSpeed, speedOf } from "./render-speed.ts";

/** A skill of an unlabelled collection and what was said of it. */
export interface CollectedRow extends Judgement {
  readonly name: string;
}

const TOP_RULES = 15;
const SLOWEST = 5;

/** Scans skills one after the other, each read only then. */
export async function judgeAll(
  skills: readonly { readonly name: string; readonly files: () => readonly SkillFile[] }[],
  onStep: (done: number) => void = () => undefined,
): Promise<readonly CollectedRow[]> {
  const rows: CollectedRow[] = [];
  const progress = createProgress(skills.length);
  for (const { name, files } of skills) {
    rows.push({ name, ...(await judge(files())) });
    onStep(rows.length);
    progress.step();
  }
  progress.end();
  return rows;
}

/** Shares of the verdicts, the rules that fired most, and the times. */
export function renderCollection(rows: readonly CollectedRow[]): string {
  const share = (verdict: Verdict): string => {
    const rate = rateOf(rows.filter((row) => row.verdict === verdict).length, rows.length);
    return `${rate.hits} of ${rate.total}, ${formatRate(rate)}`;
  };
  const counts = new Map<string, number>();
  for (const rule of rows.flatMap(({ rules }) => rules)) counts.set(rule, (counts.get(rule) ?? 0) + 1);
  const top = [...counts]
    .sort(([leftRule, left], [rightRule, right]) => right - left || (leftRule < rightRule ? -1 : 1))
    .slice(0, TOP_RULES);
  return [
    renderTable([
      ["dangerous", share("dangerous")],
      ["caution", share("caution")],
      ["safe", share("safe")],
    ]),
    "",
    renderTable([["rule (! critical)", "skills"], ...top.map(([rule, count]) => [rule, String(count)])]),
    "",
    renderSpeed(speedOf(rows)),
    `Slowest: ${slowest(rows)}`,
  ].join("\n");
}

function slowest(rows: readonly CollectedRow[]): string {
  return rows
    .toSorted((left, right) => right.milliseconds - left.milliseconds)
    .slice(0, SLOWEST)
    .map(({ name, milliseconds }) => `${name} ${milliseconds.toFixed(0)} ms`)
    .join(", ");
}

/** Every skill of a verdict with its rules and places. */
export function renderFlagged(rows: readonly CollectedRow[], verdict: Verdict): string {
  return rows
    .filter((row) => row.verdict === verdict)
    .map(
      ({ name, rules, places }) =>
        `  ${name}  ${rules.join(" ")}\n${places.map((place) => `      ${place}`).join("\n")}`,
    )
    .join("\n");
}
