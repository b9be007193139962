/** How high the wanted skills stand. */
export interface RankMetrics {
  readonly hitAt1: number;
  readonly recallAt10: number;
  readonly mrr: number;
}

/** One rank a message, from 1; Infinity where the skill was not found. */
export function rankMetrics(ranks: readonly number[]): RankMetrics {
  const share = (test: (rank: number) => boolean): number => ranks.filter(test).length / (ranks.length || 1);
  return {
    hitAt1: share((rank) => rank === 1),
    recallAt10: share((rank) => rank <= 10),
    mrr: ranks.reduce((sum, rank) => sum + 1 / rank, 0) / (ranks.length || 1),
  };
}

export interface Judged {
  readonly score: number;
  readonly shouldTrigger: boolean;
}

/** The threshold with the largest F1. */
export function bestThreshold(judged: readonly Judged[]): number {
  const sorted = judged.toSorted((left, right) => right.score - left.score);
  const wanted = judged.filter(({ shouldTrigger }) => shouldTrigger).length;
  let right = 0;
  let best = { f1: -1, score: 0.5 };
  sorted.forEach(({ score, shouldTrigger }, index) => {
    if (shouldTrigger) right += 1;
    const f1 = (2 * right) / (index + 1 + wanted);
    if (f1 > best.f1) best = { f1, score };
  });
  return best.score;
}

/** The lowest threshold from which on the precision is at least this, and what is found there. */
export function sureThreshold(
  judged: readonly Judged[],
  precision: number,
): { readonly threshold: number; readonly recall: number } {
  const sorted = judged.toSorted((left, right) => right.score - left.score);
  const wanted = judged.filter(({ shouldTrigger }) => shouldTrigger).length || 1;
  let right = 0;
  let best = { threshold: 1, recall: 0 };
  sorted.forEach(({ score, shouldTrigger }, index) => {
    if (shouldTrigger) right += 1;
    if (right >= precision * (index + 1)) best = { threshold: score, recall: right / wanted };
  });
  return best;
}

/** How often a message that should call its skill scores higher than one that should not; ties count half. */
export function areaUnderCurve(judged: readonly Judged[]): number {
  const sorted = judged.toSorted((left, right) => left.score - right.score);
  let area = 0;
  let unwanted = 0;
  let wanted = 0;
  for (let start = 0; start < sorted.length; ) {
    let end = start;
    let groupWanted = 0;
    while (end < sorted.length && sorted[end]?.score === sorted[start]?.score) {
      if (sorted[end]?.shouldTrigger === true) groupWanted += 1;
      end += 1;
    }
    const groupUnwanted = end - start - groupWanted;
    area += groupWanted * (unwanted + groupUnwanted / 2);
    wanted += groupWanted;
    unwanted += groupUnwanted;
    start = end;
  }
  return wanted === 0 || unwanted === 0 ? Number.NaN : area / (wanted * unwanted);
}

/** A 95 % interval of a figure, by drawing whole groups: messages about one skill are alike. */
export function bootstrapInterval<Row>(
  rows: readonly Row[],
  options: {
    readonly groupOf: (row: Row) => string;
    readonly figureOf: (rows: readonly Row[]) => number;
    readonly random: () => number;
    readonly draws?: number;
  },
): readonly [number, number] {
  const { groupOf, figureOf, random, draws = 500 } = options;
  const byGroup = new Map<string, Row[]>();
  for (const row of rows) byGroup.set(groupOf(row), [...(byGroup.get(groupOf(row)) ?? []), row]);
  const groups = [...byGroup.values()];
  const figures = Array.from({ length: draws }, () =>
    figureOf(groups.flatMap(() => groups[Math.floor(random() * groups.length)] ?? [])),
  ).sort((left, right) => left - right);
  return [figures[Math.floor(draws * 0.025)] ?? 0, figures[Math.floor(draws * 0.975)] ?? 0];
}
