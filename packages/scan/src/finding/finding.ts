import type { Digest } from "@skillet/kit/digest";
import type { FactBook, FactPlace } from "../fact/fact.ts";
import type { Derivation } from "../text/source-text.ts";

/** `critical` makes a skill dangerous, `warn` asks for caution, `info` changes nothing. */
export type FindingSeverity = "info" | "warn" | "critical";

/** One thing that a rule has to say about a place in a skill. */
export interface Finding {
  /** Stable, such as `EX1`; `skillet scan --explain EX1` tells about it. */
  readonly rule: string;
  readonly category: Category;
  readonly severity: FindingSeverity;
  readonly file: string;
  readonly line: number;
  /** One sentence. */
  readonly message: string;
  /** The offending words, secrets redacted, hidden characters shown as escapes. */
  readonly evidence: string;
  /** How a decoded text was won, outermost first. */
  readonly chain: readonly Derivation[];
  /** Other places of the same chain, such as the script that a step of SKILL.md runs. */
  readonly related?: readonly { readonly file: string; readonly line: number }[];
  /** Why the severity is lower than the rule's own, where it is. */
  readonly demoted?: string;
  readonly remedy: string;
  /** Ids of OWASP's list for agentic applications and skills, such as `AST01`. */
  readonly owasp: readonly string[];
  /** The same for the same rule, file and words, wherever the line moved. */
  readonly fingerprint: string;
}

/** The result of a rule; the scan makes a finding of it, with redaction and fingerprint. */
export interface RuleHit {
  readonly severity: FindingSeverity;
  readonly place: FactPlace;
  readonly message: string;
  readonly related?: readonly FactPlace[];
  readonly demoted?: string;
  /** Below which no quotation or fixture lowers it: whoever puts a heading above an attack has not disarmed it. */
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

/** Someone's word that a finding is fine, for exactly these bytes. */
export interface Suppression {
  readonly rule: string;
  /** Relative to the skill. */
  readonly file: string;
  /** Of that file; any change ends the suppression. */
  readonly digest: Digest;
  /** Of one finding; without it all of the rule's in that file. */
  readonly fingerprint?: string;
  readonly reason: string;
  /** Where its entry begins, for messages. */
  readonly line?: number;
}

/** A finding that does not count, and why. */
export interface SuppressedFinding {
  readonly finding: Finding;
  readonly reason: string;
  /** The dismissal; absent where a baseline knows the finding. */
  readonly by?: Suppression;
}

/** Which kind of harm a rule is about. */
export type Category = Deceit | Deed | Disguise | Takeover | "not-analysed" | "custom";
type Deceit = "social-engineering" | "prompt-injection" | "coherence" | "trigger";
type Deed = "execution" | "exfiltration" | "destruction" | "credentials" | "supply-chain" | "resource-abuse";
type Disguise = "hidden-text" | "unicode" | "obfuscation" | "binary";
type Takeover = "persistence" | "agent-control" | "privilege";

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
