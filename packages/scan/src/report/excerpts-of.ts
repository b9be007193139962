import { HIDDEN } from "@skillet/kit/text";
import type { SkillFile } from "../file/file-kind.ts";
import type { Finding } from "../finding/finding.ts";
import { showEvidence } from "../finding/show-evidence.ts";

/** One line of a file, cut around what it is shown for. */
export interface ExcerptLine {
  readonly number: number;
  readonly text: string;
  /** The offending part of `text`, on the line that the finding is about. */
  readonly mark?: { readonly start: number; readonly end: number };
  /** Where it stands in the line of the file, in UTF-16 units from 0; without an end where only its beginning was found. */
  readonly columns?: { readonly start: number; readonly end?: number };
}

/** The line that a finding is about and its neighbours. */
export type Excerpt = readonly ExcerptLine[];

const CONTEXT_LINES = 1;
// A hostile line may be megabytes long; what is shown is a window around the evidence.
const CHARACTERS_BEFORE = 120;
const MAX_LINE_CHARACTERS = 500;
// Enough to find the evidence again, though its end may have been cut or redacted.
const SEARCHED_CHARACTERS = 48;
const MAX_EXCERPTS = 500;

/** Picks the lines that findings are about out of the files, with secrets redacted. */
export function excerptsOf(
  files: readonly SkillFile[],
  findings: readonly Finding[],
): ReadonlyMap<Finding, Excerpt> {
  const shown = findings.slice(0, MAX_EXCERPTS);
  const excerpts = new Map<Finding, Excerpt>();
  for (const { path, mode, bytes } of files) {
    const wanted = shown.filter(({ file }) => file === path);
    // Of archives and programs there are no lines to show.
    if (wanted.length === 0 || mode === "120000" || bytes.subarray(0, 1_024).includes(0)) continue;
    const lines = new TextDecoder().decode(bytes).split(/\r?\n/);
    // Of a line that holds a secret only the redacted evidence is shown, no matter who it is shown to.
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
    // The redacted words of a secret stand on no line.
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
  // Evidence of prose is the text that a reader sees, without marks and the addresses of links: it begins alike.
  let begun = sought.slice(0, SEARCHED_CHARACTERS);
  while (begun.length >= MIN_BEGINNING && line.length <= MAX_SEARCHED_LINE) {
    const start = line.indexOf(begun);
    if (start !== -1) return { columns: { start } };
    begun = begun.slice(0, begun.trimEnd().lastIndexOf(" ") + 1);
  }
  return {};
}

// Shorter ones are anywhere; longer lines would be searched too often.
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
  // Looked for again: redaction and escapes move what comes after them.
  const start = found === -1 ? -1 : text.indexOf(sought.slice(0, SEARCHED_CHARACTERS));
  if (start !== -1) return { text, mark: { start, end: Math.min(text.length, start + sought.length) } };
  const indent = text.length - text.trimStart().length;
  return text.trim() === "" ? { text } : { text, mark: { start: indent, end: text.trimEnd().length } };
}

// But line ends, tabs and the style of an emoji.
const UNSEEN = new RegExp(`(?![\\n\\t]|(?<=\\p{Extended_Pictographic})\\ufe0f)[${HIDDEN}]`, "gu");

/** A text with everything that would act, hide or turn the direction of writing spelled out, such as `⟨U+202E⟩`. */
export function unseenAsText(text: string): string {
  return text.replace(UNSEEN, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return `⟨U+${code.toString(16).toUpperCase().padStart(4, "0")}⟩`;
  });
}

/** A JSON text of the same data, in which those characters are escapes: a document may be shown on a terminal. */
export function escapeUnseenJson(json: string): string {
  return json.replace(UNSEEN, (character) =>
    character.replace(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`),
  );
}
