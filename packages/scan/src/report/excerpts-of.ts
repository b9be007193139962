import { HIDDEN } from "@skillet/kit/text";
import type { SkillFile } from "../file/file-kind.ts";
import type { Finding } from "../finding/finding.ts";
import { showEvidence } from "../finding/show-evidence.ts";

/** One line of a file, cut to a window around the evidence. */
export interface ExcerptLine {
  readonly number: number;
  readonly text: string;
  /** The offending part of `text`, on the finding's line. */
  readonly mark?: { readonly start: number; readonly end: number };
  /** Its position in the file's line, in UTF-16 units from 0; without an end if only its beginning was found. */
  readonly columns?: { readonly start: number; readonly end?: number };
}

/** A finding's line and its neighbours. */
export type Excerpt = readonly ExcerptLine[];

const CONTEXT_LINES = 1;
// A hostile line may be megabytes long; only a window around the evidence is shown.
const CHARACTERS_BEFORE = 120;
const MAX_LINE_CHARACTERS = 500;
// Enough to find the evidence again, even if its end was cut or redacted.
const SEARCHED_CHARACTERS = 48;
const MAX_EXCERPTS = 500;

/** Extracts the findings' lines from the files, with secrets redacted. */
export function excerptsOf(
  files: readonly SkillFile[],
  findings: readonly Finding[],
): ReadonlyMap<Finding, Excerpt> {
  const shown = findings.slice(0, MAX_EXCERPTS);
  const excerpts = new Map<Finding, Excerpt>();
  for (const { path, mode, bytes } of files) {
    const wanted = shown.filter(({ file }) => file === path);
    // Archives and programs have no lines to show.
    if (wanted.length === 0 || mode === "120000" || bytes.subarray(0, 1_024).includes(0)) continue;
    const lines = new TextDecoder().decode(bytes).split(/\r?\n/);
    // On a line with a secret, every finding shows only the redacted evidence.
    const secrets = new Map(
      wanted
        .filter(({ category }) => category === "credentials")
        .map(({ line, evidence }) => [line, evidence]),
    );
    for (const finding of wanted) excerpts.set(finding, excerptOf(lines, finding, secrets));
  }
  return excerpts;
}

function excerptOf(
  lines: readonly string[],
  { line, evidence }: Finding,
  secrets: ReadonlyMap<number, string>,
): Excerpt {
  const excerpt: ExcerptLine[] = [];
  for (let number = Math.max(1, line - CONTEXT_LINES); number <= line + CONTEXT_LINES; number += 1) {
    const secret = secrets.get(number);
    const full = secret ?? lines[number - 1] ?? "";
    // The redacted words of a secret are on no line.
    if (number === line)
      excerpt.push({
        number,
        ...windowAround(full, secret ?? evidence),
        ...(secret === undefined && columnsOf(full, evidence)),
      });
    else if (full.trim() !== "" && !BLOB_LINE.test(full))
      excerpt.push({ number, text: showEvidence(full.slice(0, MAX_LINE_CHARACTERS)) });
  }
  return excerpt;
}

// The body of a key, or other data: it explains nothing, and may be a secret.
const BLOB_LINE = /^\s{0,40}[A-Za-z0-9+/=_-]{40}/;

function columnsOf(line: string, evidence: string): Pick<ExcerptLine, "columns"> {
  const sought = firstLineOf(evidence);
  const whole = sought === "" ? -1 : line.indexOf(sought);
  if (whole !== -1) return { columns: { start: whole, end: whole + sought.length } };
  // Evidence of prose is the visible text, without marks and link addresses, so only its beginning matches.
  let begun = sought.slice(0, SEARCHED_CHARACTERS);
  while (begun.length >= MIN_BEGINNING && line.length <= MAX_SEARCHED_LINE) {
    const start = line.indexOf(begun);
    if (start !== -1) return { columns: { start } };
    begun = begun.slice(0, begun.trimEnd().lastIndexOf(" ") + 1);
  }
  return {};
}

// Shorter beginnings match anywhere; longer lines would be searched too often.
const MIN_BEGINNING = 8;
const MAX_SEARCHED_LINE = 5_000;

function firstLineOf(evidence: string): string {
  return (evidence.split("\n", 1)[0] ?? "").replace(/…$/, "").trim();
}

function windowAround(line: string, evidence: string): Pick<ExcerptLine, "text" | "mark"> {
  const sought = firstLineOf(evidence);
  const found = sought === "" ? -1 : line.indexOf(sought.slice(0, SEARCHED_CHARACTERS));
  const from = Math.max(0, found - CHARACTERS_BEFORE);
  const part = showEvidence(line.slice(from, from + MAX_LINE_CHARACTERS).replace(/\n.*$/s, ""));
  const text = from === 0 ? part : `…${part}`;
  // Searched again, as redaction and escapes move what comes after them.
  const start = found === -1 ? -1 : text.indexOf(sought.slice(0, SEARCHED_CHARACTERS));
  if (start !== -1) return { text, mark: { start, end: Math.min(text.length, start + sought.length) } };
  const indent = text.length - text.trimStart().length;
  return text.trim() === "" ? { text } : { text, mark: { start: indent, end: text.trimEnd().length } };
}

// Except line ends, tabs and the emoji variation selector.
const UNSEEN = new RegExp(`(?![\\n\\t]|(?<=\\p{Extended_Pictographic})\\ufe0f)[${HIDDEN}]`, "gu");

/** A text in which control, hidden and direction characters are spelled out, such as `⟨U+202E⟩`. */
export function unseenAsText(text: string): string {
  return text.replace(UNSEEN, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return `⟨U+${code.toString(16).toUpperCase().padStart(4, "0")}⟩`;
  });
}

/** JSON of the same data with those characters escaped, as it may be shown on a terminal. */
export function escapeUnseenJson(json: string): string {
  return json.replace(UNSEEN, (character) =>
    character.replace(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`),
  );
}
