import { findNegation } from "./negations.ts";

/** Bounds on the clauses of a skill that are compared with a message, and on their length. */
const MAX_CLAUSES = 64;
const MAX_CLAUSE_CHARACTERS = 600;

/** Splits a text into clauses. A negation that ends in a colon governs the list after it. */
export function splitClauses(text: string, kind: "description" | "trigger"): readonly Clause[] {
  const clauses: Clause[] = [];
  let list: NegativeList | undefined;
  for (const line of text.split("\n")) {
    list = list && followList(list, line);
    // Whether the sentence belongs to a list of what the skill is not for, and the sentence before it.
    let isGoverned = list !== undefined;
    let before = "";
    for (const sentence of line.split(sentenceEnd(line))) {
      const trimmed = sentence.trim().slice(0, MAX_CLAUSE_CHARACTERS);
      if (!hasWord(trimmed)) continue;
      if (clauses.length >= MAX_CLAUSES) return clauses;
      isGoverned &&= list !== undefined || ITEM.test(trimmed) || goesOn(before, trimmed);
      before = trimmed;
      if (isGoverned) {
        clauses.push({ kind: "negative", text: trimmed });
        continue;
      }
      const negation = findNegation(trimmed);
      const positive = trimmed.slice(0, negation?.start);
      if (hasWord(positive)) clauses.push({ kind, text: positive }, ...findPhrases(positive));
      if (negation === undefined) continue;
      list = listBelow(trimmed, line);
      if (list?.form !== "any") clauses.push({ kind: "negative", text: trimmed.slice(negation.start) });
      isGoverned = COLON.test(trimmed.slice(negation.end));
    }
  }
  return clauses;
}

// ASCII text does not need the Unicode classes, whose preparation takes longer than the rest for short texts.
const hasWord = (text: string): boolean => /[A-Za-z0-9]/.test(text) || /[\p{L}\p{N}]/u.test(text);
// Also splits before a heading with items in a text whose lines were folded: `- first Use for: - second`.
const sentenceEnd = (line: string): RegExp =>
  /^[\t -~]*$/.test(line)
    ? /(?<=[.!?;])\s+|\s(?=[A-Z][a-z]* [^A-Z.:;]{1,40}:\s+[-*] )/
    : /(?<=[.!?;])\s+|(?<=[。！？；])|\s+[—–]\s+|\s(?=\p{Lu}\p{Ll}* [^\p{Lu}.:;]{1,40}:\s+[-*•] )/u;
/** Opens another part of the text: `Use for: PDF files`. */
const OPENING = /^\p{Lu}[^.:;]{1,40}:\s/u;
const ITEM = /^(?:[-*+•–]|\d{1,2}[.)])\s/;
const COLON = /[:：]/;
const ENDS_IN_COLON = /[:：][*_\s]*$/;
const HEADING = /^\s*(?:#+\s.*|\*\*.*\*\*|__.*__)(?<![.!?。][*_]{0,3})\s*$/;

function goesOn(before: string, sentence: string): boolean {
  return !/[.!?。！？]$/.test(before) && !OPENING.test(sentence);
}

/** The lines below a negation that ends in a colon; the first of them shows which form they have. */
interface NegativeList extends ReturnType<typeof placeOf> {
  readonly form: "any" | "items" | "paragraph";
}

function placeOf(line: string) {
  const start = line.trimStart();
  return { indent: line.length - start.length, isItem: ITEM.test(start) };
}

/** The list that a negation opens: in any form after a colon, only items below a heading. */
function listBelow(sentence: string, line: string): NegativeList | undefined {
  if (ENDS_IN_COLON.test(sentence)) return { ...placeOf(line), form: "any" };
  return HEADING.test(line) ? { ...placeOf(line), form: "items" } : undefined;
}

/** The list after one more line; undefined if the line is not part of it. */
function followList(list: NegativeList, line: string): NegativeList | undefined {
  if (line.trim() === "") return list.form === "paragraph" ? undefined : { ...list, form: "items" };
  const { indent, isItem } = placeOf(line);
  if (indent > list.indent || (isItem && !list.isItem && list.form !== "paragraph"))
    return { ...list, form: "items" };
  const isParagraph =
    list.form !== "items" && !isItem && !ENDS_IN_COLON.test(line) && !OPENING.test(line.trimStart());
  return isParagraph ? { ...list, form: "paragraph" } : undefined;
}

function findPhrases(sentence: string): Clause[] {
  if (!/["“'‘「`]/.test(sentence)) return [];
  const quoted =
    /"([^"\n]{2,120})"|“([^”\n]{2,120})”|(?<![\p{L}\p{N}])['‘]([^'’\n]{2,120})['’](?![\p{L}\p{N}])|「([^」\n]{1,60})」|`([^`\n]{2,60})`/gu;
  return Array.from(sentence.matchAll(quoted), ([, ...groups]) => groups.find((group) => group !== undefined))
    .filter((phrase): phrase is string => phrase !== undefined && hasWord(phrase))
    .slice(0, MAX_CLAUSES)
    .map((text) => ({ kind: "phrase", text }));
}

/** The part of a skill that a text belongs to; each part has its own weight. */
export type FieldName = "name" | "description" | "trigger" | "sample" | "heading" | "body" | "code";

/** The role of a clause: evidence for its skill, words that call it, or what it is not for. */
export const CLAUSE_KINDS = ["name", "description", "trigger", "phrase", "negative", "sample"] as const;

/** A sentence, a quoted phrase or a keyword that is compared with a message as a whole. */
export interface Clause {
  readonly kind: (typeof CLAUSE_KINDS)[number];
  readonly text: string;
}

export interface SkillDocument {
  readonly key: string;
  readonly clauses: readonly Clause[];
  readonly texts: Readonly<Record<"heading" | "body" | "code", string>>;
  /** File extensions and declared verbs, as terms of their own kind. */
  readonly evidence: readonly string[];
  readonly patterns: readonly string[];
}
