/** No more clauses of one skill are compared with a message, and no clause is longer. */
const MAX_CLAUSES = 64;
const MAX_CLAUSE_CHARACTERS = 600;

/** The sentences of a description or a `when_to_use`, what they quote, and what they say the skill is not for. */
export function splitClauses(text: string, kind: "description" | "trigger"): readonly Clause[] {
  const clauses: Clause[] = [];
  for (const sentence of text.split(SENTENCE_END)) {
    if (clauses.length >= MAX_CLAUSES) break;
    const trimmed = sentence.trim().slice(0, MAX_CLAUSE_CHARACTERS);
    if (trimmed === "") continue;
    const negation = MAYBE_NEGATION.test(trimmed) ? NEGATION.exec(trimmed) : null;
    const positive = negation === null ? trimmed : trimmed.slice(0, negation.index);
    if (WORD.test(positive)) clauses.push({ kind, text: positive }, ...findPhrases(positive));
    if (negation !== null) clauses.push({ kind: "negative", text: trimmed.slice(negation.index) });
  }
  return clauses;
}

const WORD = /[\p{L}\p{N}]/u;
const SENTENCE_END = /(?<=[.!?;])\s+|\n+|(?<=[。！？；])|\s+[—–]\s+/u;

// Most sentences have none of these, and the full pattern takes ten times as long to say so.
const MAYBE_NEGATION = /not|n['’]?t |never|skip|avoid|non |n[aã]o|no |pas |nicht|не |不|사용/i;

// How authors say it, in the languages that skills are written in; only where it is about using the skill.
const NEGATION =
  /\b(?:do(?:es)? not|don['’]?t|never|must not|should not|not to be) (?:be )?(?:use|used|trigger|invoke|activate|apply|load|fire|reach)\b|\bnot (?:(?:intended|meant|suitable|applicable|needed|relevant) )?(?:for|when)\b|\b(?:skip|avoid) (?:this|it|for|when|if)\b|\bnon usar\w*|\bn[aã]o (?:use|usar|ativar|dispar\w+)\b|\bno (?:usar|use|utilizar|activar)\b|\bne pas utiliser\b|\bnicht (?:verwenden|benutzen|f[uü]r)\b|не использ\w*|不要(?:用|使用|触发)|不(?:适用|用于|触发)|不應|사용하지/i;

export function findPhrases(sentence: string): Clause[] {
  return Array.from(sentence.matchAll(QUOTED), ([, ...groups]) => groups.find((group) => group !== undefined))
    .filter((phrase): phrase is string => phrase !== undefined && WORD.test(phrase))
    .slice(0, MAX_CLAUSES)
    .map((text) => ({ kind: "phrase", text }));
}

const QUOTED =
  /"([^"\n]{2,120})"|“([^”\n]{2,120})”|(?<![\p{L}\p{N}])['‘]([^'’\n]{2,120})['’](?![\p{L}\p{N}])|「([^」\n]{1,60})」|`([^`\n]{2,60})`/gu;

/** The part of a skill that a text stands in; each counts differently. */
export type FieldName = "name" | "description" | "trigger" | "heading" | "body" | "code";

/** The role of a clause: evidence for its skill, words that call it, or what it is not for. */
type ClauseKind = "name" | "description" | "trigger" | "phrase" | "negative";

/** A sentence, a quoted phrase or a keyword, compared with a message as one. */
export interface Clause {
  readonly kind: ClauseKind;
  readonly text: string;
}

export interface SkillDocument {
  /** Equal keys mean equal documents. */
  readonly key: string;
  readonly clauses: readonly Clause[];
  readonly headings: string;
  readonly body: string;
  readonly code: string;
  /** Commands that it wraps and extensions of the files it is about, as terms of their own kind. */
  readonly evidence: readonly string[];
  readonly patterns: readonly string[];
}
