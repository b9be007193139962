import type { Source } from "./effect.ts";

/** The content of a word, a variable, a stream or a file, as far as it is known before anything runs. */
export interface Value {
  /** Unknown parts are `*`. */
  readonly text: string;
  readonly isKnown: boolean;
  /** Where it comes from; empty for what the script itself says. */
  readonly sources: readonly Source[];
  /** Of the path of a process substitution: what can be read from it. */
  readonly content?: Value;
  /** Of the path of `>(…)`: takes what is written to it. */
  readonly consume?: (written: Value) => void;
  /** Whether an interactive shell prints it: only a person at the other end needs that. */
  readonly isShell?: boolean;
  /** Of a here-document: where in the file it begins. */
  readonly firstLine?: number;
}

/** Longer texts are cut and no longer known: `a=$a$a` doubles a text at each line. */
export const MAX_VALUE_CHARACTERS: number = 256 * 1024;
const MAX_SOURCES = 32;

/** Stands in a text that a program puts together for a part that is known only when it runs. */
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
  const [only] = values;
  if (only === undefined) return EMPTY;
  if (values.length === 1) return only;
  const joined = joinBounded(values, separator);
  const sources = sourcesOf(values);
  const isShell = values.some((value) => value.isShell);
  const value = values.every(({ isKnown }) => isKnown) ? known(joined, sources) : unknown(sources, joined);
  return isShell ? { ...value, isShell } : value;
}

// A word of a hundred thousand parts, each as long as a value may be, is longer than a string may be.
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

/** Puts a text in the place of another one wherever it stands, and stops where the result is longer than a value may be. */
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
  let merged: readonly Source[] = [];
  for (const { sources, content } of values) {
    merged = mergeSources(merged, sources);
    if (content !== undefined) merged = mergeSources(merged, content.sources);
  }
  return merged;
}

export function mergeSources(left: readonly Source[], right: readonly Source[]): readonly Source[] {
  if (right.length === 0) return left;
  if (left.length === 0) return right;
  const merged = [...left];
  const seen = new Set(left.map(keyOf));
  for (const source of right) {
    if (merged.length >= MAX_SOURCES) break;
    if (seen.size !== seen.add(keyOf(source)).size) merged.push(source);
  }
  return merged;
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

/** The sources that matter when data leaves: not what was typed, came from the network or was only decoded. */
export function tellingSources(values: readonly (Value | undefined)[]): readonly Source[] {
  const given = values.filter((value) => value !== undefined);
  return sourcesOf(given).filter(({ type }) => type !== "network" && type !== "decoded" && type !== "input");
}

/** The sources that matter when a text is run: what came from elsewhere or was not to be read; else in which file it lies. */
export function foreignSources({ sources }: Value): readonly Source[] {
  const foreign = sources.filter(({ type }) => type === "network" || type === "decoded");
  return foreign.length > 0 ? foreign : sources.filter(({ type }) => type === "file");
}
