import type { Language } from "../file/file-kind.ts";

/** One step by which a text was derived from another, such as `base64 at line 35`. */
export interface Derivation {
  readonly how: string;
  readonly line: number;
}

/** The kind of place that a text is in, which decides how much it counts. */
export type Medium = (typeof MEDIA)[number];

export const MEDIA = [
  "prose",
  "list",
  "table",
  "quote",
  "heading",
  "fence",
  "inline-code",
  "link",
  "frontmatter",
  "comment",
  "hidden",
  "script",
  "config",
  "markup",
  "data",
] as const;

/**
 * How the document means the text: as its own statement, as a specimen of what others do, or as something not
 * to do. Only `live` text acts; the others are recorded with a lower severity.
 */
export type Stance = "live" | "quoted" | "negated" | "example";

/** A text to analyse: a file, a fence in it, a member of an archive, or a decoded text. */
export interface SourceText {
  /** The file that a user would open; archive members as `archive.zip!/member`. */
  readonly file: string;
  readonly text: string;
  readonly language: Language;
  readonly firstLine: number;
  /** Whether its lines are lines of the file; a decoded text is on `firstLine` as a whole. */
  readonly keepsLines: boolean;
  /** How it was decoded, outermost step first; empty for plain text. */
  readonly chain: readonly Derivation[];
  readonly medium: Medium;
  readonly stance: Stance;
  readonly section: readonly string[];
  /** Whether the file is a test or fixture that nothing in the skill runs or loads. */
  readonly isFixture: boolean;
  readonly isInDefensiveSkill?: boolean;
  /** Whether its parts are also analysed separately, so that only connections between them are new. */
  readonly isRepetition?: boolean;
}

/** Finds the lines of many offsets in one text by binary search instead of counting from the top. */
export class LineIndex {
  readonly #source: SourceText;
  #known: readonly number[] | undefined;

  constructor(source: SourceText) {
    this.#source = source;
  }

  at(offset: number): number {
    return this.#source.firstLine + lastAtMost(this.#starts, offset);
  }

  startOf(line: number): number | undefined {
    return this.#starts[line - this.#source.firstLine];
  }

  get #starts(): readonly number[] {
    this.#known ??= this.#source.keepsLines ? lineStarts(this.#source.text) : [0];
    return this.#known;
  }
}

export function* linesOf(
  text: string,
  maxCharacters: number,
): Iterable<{ readonly line: string; readonly start: number; readonly end: number }> {
  for (let start = 0; start < text.length; ) {
    const found = text.indexOf("\n", start);
    const end = found === -1 ? text.length : found;
    yield { line: text.slice(start, Math.min(end, start + maxCharacters)), start, end };
    start = end + 1;
  }
}

export function lineStarts(text: string): readonly number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}

/** The index of the last of some ascending numbers that is not greater than a value; 0 if there is none. */
export function lastAtMost(sorted: readonly number[], value: number): number {
  let low = 0;
  let high = sorted.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((sorted[middle] ?? 0) <= value) low = middle;
    else high = middle - 1;
  }
  return low;
}
