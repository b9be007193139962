import type { FactBook } from "../fact/fact-book.ts";
import type { Category, FindingSeverity, RuleHit } from "./finding.ts";

/** One rule: data for people, and a small function over facts. */
export interface Rule {
  readonly id: string;
  readonly title: string;
  readonly category: Category;
  /** The plain case; context moves it. */
  readonly severity: FindingSeverity;
  /** Says what is dangerous about it, for someone who has never heard of it. */
  readonly explanation: string;
  readonly remedy: string;
  readonly owasp: readonly string[];
  readonly find: (facts: FactBook, profile: SkillProfile) => readonly RuleHit[];
}

/** The skill's own description of itself, for judging what it does; never a reason to trust it. */
export interface SkillProfile {
  readonly name: string;
  readonly description: string;
  /** Hosts of its homepage, its declared hosts and the documents that it links to. */
  readonly declaredHosts: ReadonlySet<string>;
  readonly isSecurityTool: boolean;
  /** Lower-case words of name, description and headings. */
  readonly words: ReadonlySet<string>;
}
