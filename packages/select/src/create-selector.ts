import { createConsultant, MAX_ASKED } from "./consult-model.ts";
import { type OpenedIndex, openIndex } from "./index/open-index.ts";
import { narrowIndex } from "./index/skill-index.ts";
import { SkillRanker } from "./rank/skill-ranker.ts";
import { THRESHOLDS } from "./rank/weights.ts";
import type { SelectableSkill } from "./selectable-skill.ts";
import {
  clampLimit,
  type SelectContext,
  type SelectionDecision,
  type SelectOptions,
  type Selector,
  type SelectorOptions,
} from "./selector.ts";

const DEFAULT_LIMIT = 5;

/** The most skills that are activated or suggested for one message. */
const MAX_ACTIVATED = 3;
const MAX_SUGGESTED = 5;

/**
 * Prepares skills for selection; only skills that changed since the last time are read again.
 *
 * @example
 * const selector = await createSelector(skills, { readBody, cacheFile: join(cache, "selection.idx") });
 * selector.select("turn this contract.pdf into text");
 * // [{ skill, score: 0.91, reasons: ["extension .pdf", "words \"contract\" in name or description"] }]
 */
export async function createSelector<Skill extends SelectableSkill>(
  skills: readonly Skill[],
  options: SelectorOptions<Skill> = {},
): Promise<Selector<Skill>> {
  // The skills in results and callbacks are the caller's own objects, so the casts are safe.
  const own = options as SelectorOptions<SelectableSkill>;
  return selectorOver(await openIndex(skills, own), own) as unknown as Selector<Skill>;
}

function selectorOver(opened: OpenedIndex, options: SelectorOptions): Selector {
  const ranker = new SkillRanker(opened, options);
  const consult = options.model && createConsultant(options.model);
  return {
    get diagnostics() {
      return [...opened.diagnostics, ...ranker.diagnose()];
    },
    taught: (learned) => selectorOver(opened, { ...options, learned }),
    among: (isAsked) => {
      // Looked up on demand: a map per session would cost as much memory as all of its skills.
      const skillsOf = (key: string): readonly SelectableSkill[] => opened.skillsOf(key).filter(isAsked);
      const index = narrowIndex(opened.index, (key) => skillsOf(key).length > 0);
      return selectorOver({ ...opened, index, skillsOf }, options);
    },
    unknownWords: (message) => ranker.unknownWords(message),
    select: (message: string, { limit = DEFAULT_LIMIT, context }: SelectOptions = {}) =>
      ranker.rank(message, { limit: clampLimit(limit), context }),
    decide: (message, { context }: { readonly context?: SelectContext } = {}) =>
      decideFrom(ranker.divide(message, { limit: MAX_ACTIVATED + MAX_SUGGESTED, context })),
    consult: async (message, { context, signal } = {}) => {
      const found = ranker.divide(message, { limit: MAX_ASKED, context });
      const models = await consult?.(message, found.models, signal);
      return decideFrom({ ...found, models: models ?? found.models });
    },
  };
}

/** Skills that only users may start are suggested beside the others without affecting their ranking. */
function decideFrom({ models, people }: ReturnType<SkillRanker["divide"]>): SelectionDecision {
  const activate = models
    .filter(({ score }, place) => score >= (place === 0 ? THRESHOLDS.activate : THRESHOLDS.activateBeside))
    .slice(0, MAX_ACTIVATED);
  const suggest = [...models.filter((one) => !activate.includes(one)), ...people]
    .filter(({ score }) => score >= THRESHOLDS.suggest)
    .sort((left, right) => right.score - left.score)
    .slice(0, MAX_SUGGESTED);
  const action = activate.length > 0 ? "activate" : suggest.length > 0 ? "suggest" : "nothing";
  return { action, activate, suggest };
}
