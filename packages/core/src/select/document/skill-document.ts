/** What part of a skill a text stands in; each counts differently. */
export type FieldName = "name" | "description" | "trigger" | "heading" | "body" | "code";

/** What a clause is to its skill: evidence for it, words that call it, or what it is not for. */
type ClauseKind = "name" | "description" | "trigger" | "phrase" | "negative";

/** A sentence, a quoted phrase or a keyword, compared with a message as one. */
export interface Clause {
  readonly kind: ClauseKind;
  readonly text: string;
}

/** A skill as the index sees it. */
export interface SkillDocument {
  /** Equal keys mean equal documents. */
  readonly key: string;
  readonly clauses: readonly Clause[];
  readonly headings: string;
  readonly body: string;
  readonly code: string;
  /** Commands that it wraps and extensions of the files it is about, as terms of their own kind. */
  readonly evidence: readonly string[];
  /** Patterns that its author declared. */
  readonly patterns: readonly string[];
}
