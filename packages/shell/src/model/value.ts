import type { Source } from "./effect.ts";

/** The content of a word, a variable, a stream or a file, as far as it is known before anything runs. */
export interface Value {
  /** Unknown parts are `*`. */
  readonly text: string;
  readonly isKnown: boolean;
  /** Where the content comes from; empty for the script's own text. */
  readonly sources: readonly Source[];
  /** For the path of a process substitution: what can be read from it. */
  readonly content?: Value;
  /** For the path of `>(…)`: receives what is written to it. */
  readonly consume?: (written: Value) => void;
  /** Whether an interactive shell prints it, which only matters with a person at the other end. */
  readonly isShell?: boolean;
  /** For a here-document: the line of the file on which it begins. */
  readonly firstLine?: number;
}

/** Longer texts are cut and count as unknown: `a=$a$a` doubles a text on each line. */
export const MAX_VALUE_CHARACTERS: number = 256 * 1024;
const MAX_SOURCES = 32;

/** Replaces a part, known only at run time, of a text that a program puts together. */
export const MARK = "\u{fdd0}";

export const EMPTY: Value = { text: "", isKnown: true, sources: [] };
export const UNKNOWN: Value = { text: "*", isKnown: false, sources: [] };

export function known(text: string, sources: readonly Source[] = []): Value {
  if (text.length <= MAX_VALUE_CHARACTERS) return { text, isKnown: true, sources };
  return { text: text.slice(0, MAX_VALUE_CHARACTERS), isKnown: false, sources };
}

export function unknown(sources: readonly Source[], text: string = "*"): Value {
  return { text: text.slice(0, MAX_VALUE_CHARACTERS), isKnown: false, sources };
}

export function concatenate(values: readonly Value[], separator: string = ""): Value {
  const [first] = values;
  if (first === undefined) return EMPTY;
  if (values.length === 1) return first;
  const sources = sourcesOf(values);
  // A full text is not copied: a script can append to one on each line.
  if (first.text.length >= MAX_VALUE_CHARACTERS) return unknown(sources, first.text);
  const joined = joinBounded(values, separator);
  const isShell = values.some((value) => value.isShell);
  const value = values.every(({ isKnown }) => isKnown) ? known(joined, sources) : unknown(sources, joined);
  return isShell ? { ...value, isShell } : value;
}

// A hundred thousand parts of the maximum length would exceed the maximum length of a string.
function joinBounded(values: readonly Value[], separator: string): string {
  const pieces: string[] = [];
  let length = 0;
  for (const { text } of values) {
    pieces.push(text);
    length += text.length + separator.length;
    if (length > MAX_VALUE_CHARACTERS + separator.length) break;
  }
  return pieces.join(separator);
}

/** Replaces a text everywhere, and stops when the result exceeds the maximum length of a value. */
export function replaceBounded(text: string, pattern: string, replacement: string): string {
  const pieces: string[] = [];
  let length = 0;
  let from = 0;
  for (let at = text.indexOf(pattern); at !== -1 && pattern !== ""; at = text.indexOf(pattern, from)) {
    pieces.push(text.slice(from, at), replacement);
    length += at - from + replacement.length;
    from = at + pattern.length;
    if (length > MAX_VALUE_CHARACTERS) return pieces.join("");
  }
  pieces.push(text.slice(from));
  return pieces.join("");
}

export function sourcesOf(values: readonly Value[]): readonly Source[] {
  return merge(values.flatMap(({ sources, content }) => [sources, content?.sources ?? []]));
}

export function mergeSources(left: readonly Source[], right: readonly Source[]): readonly Source[] {
  if (right.length === 0) return left;
  return left.length === 0 ? right : merge([left, right]);
}

function merge(lists: readonly (readonly Source[])[]): readonly Source[] {
  const merged = new Map<string, Source>();
  for (const source of lists.flat()) {
    if (merged.size >= MAX_SOURCES) break;
    const key = keyOf(source);
    if (!merged.has(key)) merged.set(key, source);
  }
  return [...merged.values()];
}

function keyOf(source: Source): string {
  switch (source.type) {
    case "network":
      return `network ${source.url ?? source.host ?? ""}`;
    case "decoded":
      return `decoded ${source.encoding}`;
    case "capture":
      return `capture ${source.what}`;
    default:
      return `${source.type} ${"name" in source ? source.name : "path" in source ? source.path : ""}`;
  }
}

/** The sources that matter when data leaves: not user input, network data or merely decoded text. */
export function tellingSources(values: readonly (Value | undefined)[]): readonly Source[] {
  const given = values.filter((value) => value !== undefined);
  return sourcesOf(given).filter(({ type }) => type !== "network" && type !== "decoded" && type !== "input");
}

/** The sources that matter when a text is run: foreign or encoded ones; otherwise the file it is in. */
export function foreignSources({ sources }: Value): readonly Source[] {
  const foreign = sources.filter(({ type }) => type === "network" || type === "decoded");
  return foreign.length > 0 ? foreign : sources.filter(({ type }) => type === "file");
}
