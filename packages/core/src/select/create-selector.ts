import type { Skill } from "../registry/skill.ts";
import type { Snapshot } from "../registry/snapshot.ts";
import { THRESHOLDS } from "./fuse/weights.ts";
import { openIndex } from "./index/open-index.ts";
import type {
  SelectContext,
  SelectionDecision,
  SelectOptions,
  Selector,
  SelectorOptions,
} from "./selector.ts";
import { SkillRanker } from "./skill-ranker.ts";

const DEFAULT_LIMIT = 5;
const MAX_LIMIT = 50;

/** No more skills are activated or suggested for one message, however many fit. */
const MAX_ACTIVATED = 3;
const MAX_SUGGESTED = 5;

/**
 * Prepares the enabled skills of a snapshot for messages; what did not change since the last time is not read again.
 *
 * @example
 * const selector = await createSelector(snapshot, { readBody, cacheFile: join(cache, "selection.idx") });
 * selector.select("turn this contract.pdf into text");
 * // [{ skill, score: 0.91, reasons: ["extension .pdf", "words \"contract\" in name or description"] }]
 */
export async function createSelector(snapshot: Snapshot, options: SelectorOptions = {}): Promise<Selector> {
  const skills = snapshot.skills.filter(({ state, kind }) => state === "enabled" && kind === "skill");
  const ranker = new SkillRanker(await openIndex(skills, options), options);
  return {
    select: (message: string, { limit = DEFAULT_LIMIT, context }: SelectOptions = {}) =>
      ranker.rank(message, { limit: Math.min(limit, MAX_LIMIT), ...(context && { context }) }),
    decide: (message, { context }: { readonly context?: SelectContext } = {}) => {
      const best = ranker.rank(message, {
        limit: MAX_ACTIVATED + MAX_SUGGESTED,
        ...(context && { context }),
      });
      return decideFrom(best);
    },
  };
}

function decideFrom(best: ReturnType<SkillRanker["rank"]>): SelectionDecision {
  const isSure = ({ skill, score }: { readonly skill: Skill; readonly score: number }): boolean =>
    score >= THRESHOLDS.activate && skill.manifest.invocation.model;
  const activate = best.filter(isSure).slice(0, MAX_ACTIVATED);
  const suggest = best
    .filter((one) => !activate.includes(one) && one.score >= THRESHOLDS.suggest)
    .slice(0, MAX_SUGGESTED);
  const action = activate.length > 0 ? "activate" : suggest.length > 0 ? "suggest" : "nothing";
  return { action, activate, suggest };
}
