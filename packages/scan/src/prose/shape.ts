import type { FactPlace } from "../fact/fact.ts";
import type { FindingSeverity, RuleHit } from "../finding/finding.ts";
import { placeOfDemand } from "./demand.ts";
import type { Concept } from "./lexicon.ts";
import { hasAny } from "./meaning.ts";
import type { Statement } from "./statements.ts";

export interface Shape {
  readonly severity: FindingSeverity;
  readonly message: string;
  /** Without one of these concepts it is not looked at. */
  readonly needs?: readonly Concept[];
  readonly fits: (statement: Statement) => boolean;
  /** `never ask first` forbids the safeguard: such a negation is the document's own word. */
  readonly negation?: "is-the-demand";
}

/** The first shape that a clause has, so that the worst stand first. */
export function firstShape(statement: Statement, shapes: readonly Shape[]): readonly RuleHit[] {
  const hasMarks = statement.meaning.marks.size > 0;
  for (const shape of shapes) {
    if (shape.needs !== undefined && !(hasMarks && hasAny(statement.meaning, ...shape.needs))) continue;
    if (!shape.fits(statement)) continue;
    return [{ severity: shape.severity, place: placeFor(statement, shape), message: shape.message }];
  }
  return [];
}

function placeFor({ clause }: Statement, { negation }: Shape): FactPlace {
  return negation === "is-the-demand" ? placeOfDemand(clause) : clause;
}
