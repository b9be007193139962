import type { SelectContext, SelectedSkill, Selector } from "@skillet/core";

/** A skill that a search found, as the JSON document shows it. */
export interface SearchResult {
  readonly name: string;
  readonly qualifiedName: string;
  readonly description: string;
  /** How likely it is that the skill is wanted, between 0 and 1. */
  readonly score: number;
  /** What would be done about it for such a message. */
  readonly decision: "activate" | "suggest" | "nothing";
  readonly reasons: readonly string[];
}

/** Ranks skills against a text, and says what would be decided about each. */
export function searchResults(
  selector: Selector,
  text: string,
  options: { readonly limit: number; readonly context: SelectContext },
): readonly SearchResult[] {
  const { limit, context } = options;
  const { activate, suggest } = selector.decide(text, { context });
  const has = (list: readonly SelectedSkill[], { skill }: SelectedSkill): boolean =>
    list.some((one) => one.skill === skill);
  return selector.select(text, { limit, context }).map((found) => ({
    name: found.skill.name,
    qualifiedName: found.skill.qualifiedName,
    description: found.skill.manifest.description,
    score: Math.round(found.score * 1000) / 1000,
    decision: has(activate, found) ? "activate" : has(suggest, found) ? "suggest" : "nothing",
    reasons: found.reasons,
  }));
}
