import { renderTable } from "../report/render-table.ts";
import type { Evaluation, SmallLibrary } from "./evaluate.ts";
import type { Latency } from "./latency.ts";
import type { BinaryMetrics, RankMetrics } from "./metrics.ts";

/** The evaluation as tables for people. */
export function renderEvaluation(report: {
  readonly skillet: Evaluation & { readonly latencyMs: Latency };
  readonly smallLibraries: readonly SmallLibrary[];
  readonly baselines: Readonly<Record<string, RankMetrics>>;
  readonly skills: number;
  readonly unread: number;
}): string {
  const { skillet, smallLibraries, baselines, skills, unread } = report;
  const [low, high] = skillet.hitAt1Interval;
  const { p50, p90, p99 } = skillet.latencyMs;
  return [
    `${skillet.queries} messages, ${skills} skills${unread === 0 ? "" : `, ${unread} files that are none`}`,
    renderTable([
      ["", "Hit@1", "Recall@5", "Recall@10", "MRR"],
      rankRow("skillet", skillet),
      ...Object.entries(baselines).map(([name, metrics]) => rankRow(name, metrics)),
    ]),
    `Hit@1 by repository, 95 %: ${low.toFixed(3)} to ${high.toFixed(3)}`,
    renderTable([
      ["", "precision", "recall", "F1", "AUC", "precision at recall .84", "at .90"],
      binaryRow("by text", skillet.binary),
      binaryRow("with examples", skillet.binaryWithExamples),
    ]),
    renderTable([
      ["skills", "Hit@1", "suggested", "activated", "suggested for a stranger", "activated for a stranger"],
      ...smallLibraries.map(({ size, ...shares }) => [
        String(size),
        ...Object.values(shares).map((share) => share.toFixed(3)),
      ]),
    ]),
    renderTable([
      ["language", "messages", "Hit@1", "Recall@10"],
      ...Object.entries(skillet.languages).map(([language, { queries, hitAt1, recallAt10 }]) => [
        language,
        String(queries),
        hitAt1.toFixed(3),
        recallAt10.toFixed(3),
      ]),
    ]),
    `a message: p50 ${p50.toFixed(2)} ms, p90 ${p90.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms`,
  ].join("\n\n");
}

function rankRow(name: string, { hitAt1, recallAt5, recallAt10, mrr }: RankMetrics): readonly string[] {
  return [name, ...[hitAt1, recallAt5, recallAt10, mrr].map((value) => value.toFixed(3))];
}

function binaryRow(name: string, metrics: BinaryMetrics): readonly string[] {
  const { precision, recall, f1, auc, precisionAtRecall84, precisionAtRecall90 } = metrics;
  return [
    name,
    ...[precision, recall, f1, auc, precisionAtRecall84, precisionAtRecall90].map((value) =>
      value.toFixed(3),
    ),
  ];
}
