import type { FactPlace } from "../fact/fact.ts";
import type { RuleHit } from "../finding/finding.ts";
import { ATTACK_WORDS } from "../text/attack-words.ts";
import { isDocument } from "./is-teaching.ts";

/**
 * Lowers a critical hit by one step where a document beside SKILL.md shows it, under a name or heading about attacks.
 *
 * One step only: a reader who is sent to that document may still follow it. SKILL.md itself means what it says.
 */
export function lowerShown(hit: RuleHit, place: FactPlace): RuleHit {
  if (hit.severity !== "critical" || place.chain.length > 0 || !isDocument(place)) return hit;
  return standsAmongAttacks(place)
    ? { ...hit, severity: "warn", demoted: "a document about attacks shows it" }
    : hit;
}

/** Whether a document beside SKILL.md says by its name or the headings above that attacks stand there. */
export function standsAmongAttacks({ file, section }: FactPlace): boolean {
  if (!/\.(?:md|mdx|txt|rst)$/i.test(file) || /(?:^|\/)skill\.md$/i.test(file)) return false;
  const about = [file.replaceAll(/[-_]/g, " "), ...section].join(" ").toLowerCase();
  return ATTACK_WORDS.test(about) || SHOWN_IN.test(about);
}

// What reviewers of code call the same thing.
const SHOWN_IN = /\b(?:reverse shells?|detection|code patterns?|patterns?\.md)\b/;
