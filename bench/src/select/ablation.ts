import { renderTable } from "../report/render-table.ts";
import { crossValidate } from "./evaluate.ts";
import type { MeasuredSet } from "./measured-set.ts";
import { type RankMetrics, rankMetrics } from "./metrics.ts";
import { RANKED } from "./product.ts";

/** What is left without one signal, all weights fitted anew and cross-validated. */
export interface AblationRow extends RankMetrics {
  readonly without: string;
}

export function measureAblation(set: MeasuredSet): readonly AblationRow[] {
  const measure = (without: string): AblationRow => {
    const used = RANKED.filter((name) => name !== without);
    const wanted = crossValidate(set, { used }).whole.filter(({ query }) => query.shouldTrigger);
    return { without, ...rankMetrics(wanted.map(({ rank }) => rank)) };
  };
  return ["nothing", ...RANKED].map(measure);
}

export function renderAblation(rows: readonly AblationRow[]): string {
  const [whole] = rows;
  return renderTable([
    ["without", "Hit@1", "change", "Recall@10", "MRR"],
    ...rows.map(({ without, hitAt1, recallAt10, mrr }) => [
      without,
      hitAt1.toFixed(3),
      (hitAt1 - (whole?.hitAt1 ?? 0)).toFixed(3),
      recallAt10.toFixed(3),
      mrr.toFixed(3),
    ]),
  ]);
}
