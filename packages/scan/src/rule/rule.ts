import type { FactBook } from "../fact/fact-book.ts";
import type { Category } from "../finding/category.ts";
import type { FindingSeverity, RuleHit } from "../finding/finding.ts";
import type { SkillProfile } from "./skill-profile.ts";

/** One rule: data for people, and a small function over facts. */
export interface Rule {
  readonly id: string;
  readonly title: string;
  readonly category: Category;
  /** The plain case; context moves it. */
  readonly severity: FindingSeverity;
  /** What is dangerous about it, for somebody who has never heard of it. */
  readonly explanation: string;
  /** What would make it fine. */
  readonly remedy: string;
  readonly owasp: readonly string[];
  readonly find: (facts: FactBook, profile: SkillProfile) => readonly RuleHit[];
}
