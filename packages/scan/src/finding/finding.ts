import type { Digest } from "@skillet/kit/digest";
import type { FactBook, FactPlace } from "../fact/fact.ts";
import type { Derivation } from "../text/source-text.ts";

/** `critical` makes a skill dangerous, `warn` asks for caution, `info` changes nothing. */
export type FindingSeverity = "info" | "warn" | "critical";

/** A rule's finding about one place in a skill. */
export interface Finding {
  /** Stable, such as `EX1`; `skillet scan --explain EX1` explains it. */
  readonly rule: string;
  readonly category: Category;
  readonly severity: FindingSeverity;
  readonly file: string;
  readonly line: number;
  /** One sentence. */
  readonly message: string;
  /** The offending words, with secrets redacted and hidden characters shown as escapes. */
  readonly evidence: string;
  /** How a decoded text was obtained, outermost step first. */
  readonly chain: readonly Derivation[];
  /** Other places of the same chain, such as the script that a step of SKILL.md runs. */
  readonly related?: readonly { readonly file: string; readonly line: number }[];
  /** Why the severity is lower than the rule's own. */
  readonly demoted?: string;
  readonly remedy: string;
  /** Ids of OWASP's lists for agentic applications and skills, such as `AST01`. */
  readonly owasp: readonly string[];
  /** Stable for the same rule, file and words, even if the line moves. */
  readonly fingerprint: string;
}

/** The result of a rule; the scan turns it into a finding, with redaction and fingerprint. */
export interface RuleHit {
  readonly severity: FindingSeverity;
  readonly place: FactPlace;
  readonly message: string;
  readonly related?: readonly FactPlace[];
  readonly demoted?: string;
  /** The least severity that a quotation or fixture can lower it to: a heading does not disarm an attack. */
  readonly least?: FindingSeverity;
}

export function hitAt(
  place: FactPlace,
  severity: FindingSeverity,
  message: string,
  demoted?: string | undefined,
): RuleHit {
  return demoted === undefined ? { severity, place, message } : { severity, place, message, demoted };
}

/** A user's statement that a finding is harmless, for exactly these bytes. */
export interface Suppression {
  readonly rule: string;
  /** Relative to the skill. */
  readonly file: string;
  /** Of that file; any change to it ends the suppression. */
  readonly digest: Digest;
  /** Of one finding; without it, all findings of the rule in that file are suppressed. */
  readonly fingerprint?: string;
  readonly reason: string;
  /** The line where its entry begins, for messages. */
  readonly line?: number;
}

/** A finding that does not count, and why. */
export interface SuppressedFinding {
  readonly finding: Finding;
  readonly reason: string;
  /** The dismissal; absent if a baseline contains the finding. */
  readonly by?: Suppression;
}

/** The kind of harm that a rule is about. */
export type Category = Deceit | Deed | Disguise | Takeover | "not-analysed" | "custom";
type Deceit = "social-engineering" | "prompt-injection" | "coherence" | "trigger";
type Deed = "execution" | "exfiltration" | "destruction" | "credentials" | "supply-chain" | "resource-abuse";
type Disguise = "hidden-text" | "unicode" | "obfuscation" | "binary";
type Takeover = "persistence" | "agent-control" | "privilege";

/** One rule: texts for users, and a small function over facts. */
export interface Rule {
  readonly id: string;
  readonly title: string;
  readonly category: Category;
  /** For the plain case; the context can change it. */
  readonly severity: FindingSeverity;
  /** Says why it is dangerous, for a reader who has never heard of it. */
  readonly explanation: string;
  readonly remedy: string;
  readonly owasp: readonly string[];
  readonly find: (facts: FactBook, profile: SkillProfile) => readonly RuleHit[];
}

/** What the skill says about itself, to judge what it does; never a reason to trust it. */
export interface SkillProfile {
  readonly name: string;
  readonly description: string;
  /** Hosts of its homepage, its declared hosts and the documents that it links to. */
  readonly declaredHosts: ReadonlySet<string>;
  readonly isSecurityTool: boolean;
  /** Lower-case words of name, description and headings. */
  readonly words: ReadonlySet<string>;
}
