import type { RecentUse } from "@skillet/select";
import type { Scope, Skill } from "../registry/skill.ts";

/** Hints about which skills matter most, by qualified name. */
export interface RankInputs {
  /** These come first, in this order; a bare name matches every skill that has it. */
  readonly preferred?: readonly string[];
  readonly recentUse?: RecentUse;
  /** How well each skill suits the current message, on any scale from 0 up. */
  readonly relevance?: ReadonlyMap<string, number> | ((skill: Skill) => number);
}

// Skills closest to the work are the most likely to be relevant.
const SCOPES: Readonly<Record<Scope, number>> = {
  explicit: 0,
  project: 1,
  claude: 2,
  user: 3,
  organisation: 4,
  plugin: 5,
  bundled: 6,
};

const DAY_MS = 86_400_000;
const HALF_LIFE_DAYS = 7;

/** The current message says more about current needs than any history. */
const RELEVANCE_WEIGHT = 2;

/** One place in this many goes to a skill that was never used, and would otherwise stay so. */
const EXPLORE_EVERY = 5;

/** Most valuable first: preferred, then by relevance and recent use, then by scope; ties keep their order. */
export function rankSkills(skills: readonly Skill[], inputs: RankInputs = {}): readonly number[] {
  // Reversed, so that a name listed twice gets its first place.
  const places = new Map(inputs.preferred?.map((name, place) => [name, place] as const).reverse());
  const relevance = relevanceOf(skills, inputs.relevance);
  const { recentUse } = inputs;
  const ranked = skills.map((skill, index) => ({
    index,
    place: places.get(skill.qualifiedName) ?? places.get(skill.name) ?? Number.POSITIVE_INFINITY,
    score: RELEVANCE_WEIGHT * (relevance?.[index] ?? 0) + useScore(skill, recentUse),
    scope: SCOPES[skill.scope],
  }));
  ranked.sort((left, right) => {
    if (left.place !== right.place) return left.place - right.place;
    return right.score - left.score || left.scope - right.scope || left.index - right.index;
  });
  const order = ranked.map(({ index }) => index);
  if (recentUse === undefined) return order;
  const preferred = ranked.findIndex(({ place }) => place === Number.POSITIVE_INFINITY);
  const known = ranked.findIndex(({ place, score }) => place === Number.POSITIVE_INFINITY && score === 0);
  return preferred < 0 || known < 0 ? order : explore(order, { preferred, known });
}

/** Between 0 and 1, relative to the best of these skills. */
function relevanceOf(
  skills: readonly Skill[],
  relevance: RankInputs["relevance"],
): readonly number[] | undefined {
  if (relevance === undefined) return undefined;
  const scores = skills.map((skill) => {
    const score = typeof relevance === "function" ? relevance(skill) : relevance.get(skill.qualifiedName);
    return score !== undefined && score > 0 ? score : 0;
  });
  const best = scores.reduce((most, score) => Math.max(most, score), 0);
  return best === 0 ? scores : scores.map((score) => (score === best ? 1 : score / best));
}

/** Between 0 and 1: the number of uses, halved for every week since the last one. */
function useScore({ qualifiedName }: Skill, recentUse: RecentUse | undefined): number {
  const use = recentUse?.uses.get(qualifiedName);
  if (recentUse === undefined || use === undefined) return 0;
  const days = Math.max(0, recentUse.now - use.lastUsedAt) / DAY_MS;
  const uses = (use.count ?? 1) * 0.5 ** (days / HALF_LIFE_DAYS);
  return uses > 0 ? 1 - 1 / (1 + uses) : 0;
}

function explore(
  order: readonly number[],
  { preferred, known }: { readonly preferred: number; readonly known: number },
): readonly number[] {
  const mixed = order.slice(0, preferred);
  let nextKnown = preferred;
  let nextUnknown = known;
  for (let place = 1; mixed.length < order.length; place += 1) {
    const isTurn = place % EXPLORE_EVERY === 0 ? nextUnknown < order.length : nextKnown >= known;
    const next = order[isTurn ? nextUnknown++ : nextKnown++];
    if (next !== undefined) mixed.push(next);
  }
  return mixed;
}
