import type { FindingSeverity, RuleHit } from "./finding.ts";
import type { Rule } from "./rule.ts";

/**
 * Lowers what a document does not say as its own word: a specimen, something forbidden, a fixture that nothing loads.
 *
 * By span, never for a whole skill, and the finding tells why.
 */
export function applyContext(
  rule: Rule,
  hit: RuleHit,
): { readonly severity: FindingSeverity; readonly demoted?: string } {
  const { severity, place, demoted } = hit;
  if (severity === "info" || hit.firm === true || NEVER_LOWERED.has(rule.id))
    return { severity, ...(demoted !== undefined && { demoted }) };
  const reason = place.stance === "live" ? fixtureReason(hit) : STANCE_REASONS[place.stance];
  if (reason === undefined) return { severity, ...(demoted !== undefined && { demoted }) };
  return { severity: "info", demoted: demoted ?? reason };
}

// Text that hides cannot be a specimen: nobody would see it. What was not read has no stance at all.
const NEVER_LOWERED: ReadonlySet<string> = new Set(["UN1", "AN1"]);

const STANCE_REASONS = {
  quoted: "it stands there as a quotation",
  negated: "the text says not to do it",
  example: "it stands there as an example of an attack",
} as const;

function fixtureReason({ place }: RuleHit): string | undefined {
  return place.isFixture ? "it lies among tests, and nothing in the skill loads it" : undefined;
}
