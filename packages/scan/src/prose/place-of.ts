import type { ClauseFact, FactPlace } from "../fact/fact.ts";

/** The place of a clause, for a fact that is won from it. */
export function placeOf(clause: ClauseFact): FactPlace {
  const { file, line, snippet, chain, medium, stance, section, isFixture } = clause;
  return { file, line, snippet, chain, medium, stance, section, isFixture };
}
