import type { ClauseFact, FactPlace } from "../fact/fact.ts";

export function placeOf(clause: ClauseFact): FactPlace {
  const { file, line, snippet, chain, medium, stance, section, isFixture } = clause;
  return { file, line, snippet, chain, medium, stance, section, isFixture };
}
