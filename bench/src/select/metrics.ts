/** How high the wanted skills stand. */
export interface RankMetrics {
  readonly hitAt1: number;
  readonly recallAt5: number;
  readonly recallAt10: number;
  readonly mrr: number;
}

/** How well one threshold tells messages that should call a skill from those that should not. */
export interface BinaryMetrics {
  readonly threshold: number;
  readonly precision: number;
  readonly recall: number;
  readonly f1: number;
  readonly auc: number;
  /** The precision where the recall first reaches these. */
  readonly precisionAtRecall84: number;
  readonly precisionAtRecall90: number;
}

/** One rank a message, from 1; Infinity where the skill was not found. */
export function rankMetrics(ranks: readonly number[]): RankMetrics {
  const share = (test: (rank: number) => boolean): number => ranks.filter(test).length / (ranks.length || 1);
  return {
    hitAt1: share((rank) => rank === 1),
    recallAt5: share((rank) => rank <= 5),
    recallAt10: share((rank) => rank <= 10),
    mrr: ranks.reduce((sum, rank) => sum + 1 / rank, 0) / (ranks.length || 1),
  };
}

export interface Judged {
  readonly score: number;
  readonly shouldTrigger: boolean;
}

export function binaryMetrics(judged: readonly Judged[], threshold: number): BinaryMetrics {
  const wanted = judged.filter(({ shouldTrigger }) => shouldTrigger).length;
  const called = judged.filter(({ score }) => score >= threshold);
  const right = called.filter(({ shouldTrigger }) => shouldTrigger).length;
  const precision = called.length === 0 ? 0 : right / called.length;
  const recall = wanted === 0 ? 0 : right / wanted;
  const f1 = precision + recall === 0 ? 0 : (2 * precision * recall) / (precision + recall);
  return {
    threshold,
    precision,
    recall,
    f1,
    auc: areaUnderCurve(judged),
    precisionAtRecall84: precisionAt(judged, 0.84),
    precisionAtRecall90: precisionAt(judged, 0.9),
  };
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

function precisionAt(judged: readonly Judged[], recall: number): number {
  const sorted = judged.toSorted((left, right) => right.score - left.score);
  const wanted = judged.filter(({ shouldTrigger }) => shouldTrigger).length;
  let right = 0;
  for (const [index, { shouldTrigger }] of sorted.entries()) {
    if (shouldTrigger) right += 1;
    if (right >= recall * wanted) return right / (index + 1);
  }
  return 0;
}

/** Ties count half. */
function areaUnderCurve(judged: readonly Judged[]): number {
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
  return wanted === 0 || unwanted === 0 ? 0 : area / (wanted * unwanted);
}

/** A 95 % interval of a mean, by drawing whole groups: messages of one repository are alike. */
export function bootstrapInterval(
  values: readonly { readonly group: string; readonly value: number }[],
  random: () => number,
  draws = 1000,
): readonly [number, number] {
  const groups = new Map<string, { sum: number; count: number }>();
  for (const { group, value } of values) {
    const known = groups.get(group) ?? { sum: 0, count: 0 };
    groups.set(group, { sum: known.sum + value, count: known.count + 1 });
  }
  const sums = [...groups.values()];
  const means = Array.from({ length: draws }, () => {
    let sum = 0;
    let count = 0;
    for (let drawn = 0; drawn < sums.length; drawn += 1) {
      const one = sums[Math.floor(random() * sums.length)];
      sum += one?.sum ?? 0;
      count += one?.count ?? 0;
    }
    return sum / (count || 1);
  }).sort((left, right) => left - right);
  return [means[Math.floor(draws * 0.025)] ?? 0, means[Math.floor(draws * 0.975)] ?? 0];
}
