import { createRandom } from "../library/random.ts";
import { renderTable } from "../report/render-table.ts";
import { type Outcome, type SmallOutcome, summariseSmall } from "./evaluate.ts";
import {
  areaUnderCurve,
  bestThreshold,
  bootstrapInterval,
  type Judged,
  type RankMetrics,
  rankMetrics,
  sureThreshold,
} from "./metrics.ts";
import { THRESHOLDS } from "./product.ts";

const SEED = 7;
const SURE_PRECISION = 0.9;

/** By the name of a system: what it made of the messages of a set. Baselines have scores, no probabilities. */
export type Systems = Readonly<
  Record<string, { readonly outcomes: readonly Outcome[]; readonly isBaseline?: boolean }>
>;

/** Every system on one set: how high skills stand, whether they should be called, and that by the style of messages. */
export function renderSystems(systems: Systems): string {
  const named = Object.entries(systems);
  const styles = [
    ...new Set(named.flatMap(([, { outcomes }]) => outcomes.map(({ query }) => query.style))),
  ].sort();
  const isWanted = (style: string): boolean =>
    named.some(([, { outcomes }]) =>
      outcomes.some(({ query }) => query.style === style && query.shouldTrigger),
    );
  const perStyle = (style: string): readonly string[] =>
    named.map(([, { outcomes, isBaseline = false }]) => {
      const own = outcomes.filter(({ query }) => query.style === style);
      if (!isWanted(style)) return isBaseline ? "–" : show(suggestedShare(own));
      const { hitAt1, recallAt10 } = ranksOf(own);
      return `${show(hitAt1)} / ${show(recallAt10)}`;
    });
  return [
    renderTable([
      ["", "Hit@1", "", "Recall@10", "", "MRR", "AUC", "", "called wrongly"],
      ...named.map(([name, { outcomes, isBaseline = false }]) => [
        name,
        ...withInterval(outcomes, (some) => ranksOf(some).hitAt1),
        ...withInterval(outcomes, (some) => ranksOf(some).recallAt10),
        show(ranksOf(outcomes).mrr),
        ...withInterval(outcomes, (some) => areaUnderCurve(some.map(toJudged))),
        isBaseline ? "–" : show(suggestedShare(outcomes.filter(({ query }) => !query.shouldTrigger))),
      ]),
    ]),
    `By style: Hit@1 and Recall@10, or the share that is called wrongly at ${THRESHOLDS.suggest}`,
    renderTable([["", ...Object.keys(systems)], ...styles.map((style) => [style, ...perStyle(style)])]),
  ].join("\n\n");
}

/** The figures as numbers, for a file. */
export function figuresOf(outcomes: readonly Outcome[]): RankMetrics & { readonly auc: number } {
  return { ...ranksOf(outcomes), auc: areaUnderCurve(outcomes.map(toJudged)) };
}

/** The thresholds of best F1 and of a precision of nine in ten, for choosing those that ship. */
export function renderThresholds(outcomes: readonly Outcome[]): string {
  const judged = outcomes.map(toJudged);
  const { threshold, recall } = sureThreshold(judged, SURE_PRECISION);
  return `best F1 at ${show(bestThreshold(judged))}; nine in ten right from ${show(threshold)}, which finds ${show(recall)}`;
}

export function renderSmall(outcomes: readonly SmallOutcome[]): string {
  return renderTable([
    [
      "skills",
      "Hit@1",
      "suggested",
      "activated",
      "suggested for a stranger",
      "activated for a stranger",
      "suggested for an everyday message",
    ],
    ...summariseSmall(outcomes).map(({ size, ...shares }) => [
      String(size),
      ...Object.values(shares).map(show),
    ]),
  ]);
}

function ranksOf(outcomes: readonly Outcome[]): RankMetrics {
  return rankMetrics(outcomes.filter(({ query }) => query.shouldTrigger).map(({ rank }) => rank));
}

function toJudged({ query, probability }: Outcome): Judged {
  return { score: probability, shouldTrigger: query.shouldTrigger };
}

function suggestedShare(outcomes: readonly Outcome[]): number {
  return (
    outcomes.filter(({ probability }) => probability >= THRESHOLDS.suggest).length / (outcomes.length || 1)
  );
}

function withInterval(
  outcomes: readonly Outcome[],
  figureOf: (some: readonly Outcome[]) => number,
): readonly string[] {
  const { next: random } = createRandom(SEED);
  const [low, high] = bootstrapInterval(outcomes, { groupOf: ({ query }) => query.skill, figureOf, random });
  return [show(figureOf(outcomes)), `[${show(low)}, ${show(high)}]`];
}

function show(value: number): string {
  return Number.isNaN(value) ? "–" : value.toFixed(3).replace(/^0/, "");
}
