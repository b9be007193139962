import type { ClauseFact, FactPlace } from "../fact/fact.ts";

/**
 * The place of a clause whose demand is itself a negation: `do not tell the user`, `never ask first`.
 *
 * Such a clause reads as something forbidden, but what it forbids is the safeguard, so it counts as the document's own
 * word; unless the heading over it turns it round once more.
 */
export function placeOfDemand(clause: ClauseFact): FactPlace {
  if (clause.stance !== "negated" || clause.section.some((heading) => FORBIDDING.test(heading)))
    return clause;
  return { ...clause, stance: "live" };
}

const FORBIDDING =
  /\b(?:never|don'?t|do not|avoid|anti-?patterns?|mistakes?|forbidden|prohibited|red flags?|bad|wrong|not allowed|must not)\b|禁止|不要|错误|никогда|нельзя|запрещ/i;
