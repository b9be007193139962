import type { Learned, Selector, Skill } from "@skillet/core";
import type { RunOutcomes } from "@skillet/core/internal";
import { compareByteOrder } from "@skillet/kit/order";
import { learnFromRuns } from "./learn-from-runs.ts";

/** How many recorded messages a skill would be offered for, without anything learned and with it. */
export interface ExpectedEffect {
  /** Messages for which the skill was used: more offers are better. */
  readonly used: OfferCount;
  /** Messages for which it was ignored or wrong: fewer offers are better. */
  readonly unwanted: OfferCount;
}

export interface OfferCount {
  readonly messages: number;
  readonly offeredWithout: number;
  readonly offeredWith: number;
}

const MAX_FOLDS = 5;
const MAX_MESSAGES = 1_000;

/**
 * Tries what would be learned on messages that it was not learned from: runs are left out in up to five groups.
 *
 * Entries that a person keeps count on both sides. Undefined where too few texts were recorded to say anything.
 */
export function expectEffect(
  runs: readonly RunOutcomes[],
  options: { readonly skills: readonly Skill[]; readonly before: Learned; readonly selector: Selector },
): ExpectedEffect | undefined {
  const { skills, before, selector } = options;
  const base = { skills: new Map([...before.skills].filter(([, { keep }]) => keep === true)) };
  const told = runs
    .filter(({ outcomes }) => outcomes.some(({ message }) => message !== undefined))
    .sort((left, right) => compareByteOrder(left.runId, right.runId));
  const folds = Math.min(MAX_FOLDS, told.length);
  if (folds < 2) return undefined;
  const names = new Set(skills.map(({ qualifiedName }) => qualifiedName));
  const without = selector.taught(base);
  const counts = { used: emptyCount(), unwanted: emptyCount() };
  for (let fold = 0; fold < folds; fold += 1) {
    const left = told.filter((_, index) => index % folds === fold);
    const leftIds = new Set(left.map(({ runId }) => runId));
    const rest = runs.filter(({ runId }) => !leftIds.has(runId));
    const taught = selector.taught(learnFromRuns(rest, { skills, before: base }).learned);
    for (const { name, message, outcome } of left.flatMap(({ outcomes }) => outcomes)) {
      if (message === undefined || !names.has(name)) continue;
      const count = counts[outcome === "used" ? "used" : "unwanted"];
      if (count.messages >= MAX_MESSAGES) continue;
      count.messages += 1;
      if (isOffered(without, message, name)) count.offeredWithout += 1;
      if (isOffered(taught, message, name)) count.offeredWith += 1;
    }
  }
  return counts.used.messages + counts.unwanted.messages === 0 ? undefined : counts;
}

const emptyCount = () => ({ messages: 0, offeredWithout: 0, offeredWith: 0 });

function isOffered(selector: Selector, message: string, name: string): boolean {
  const { activate, suggest } = selector.decide(message);
  return [...activate, ...suggest].some(({ skill }) => skill.qualifiedName === name);
}
