import { sep } from "node:path";
import { isPlainText, shellArgument } from "@skillet/kit/text";

// A skill's text goes to terminals. Escape sequences could move the cursor, set titles or write to the
// clipboard; bidirectional and zero-width characters can make two names look alike. Nothing is dropped
// silently: what the model reads but the user would not see is shown as a mark.
const MARK = "\uFFFD";

// Emoji and scripts that need joiners keep them; anywhere else, joiners only hide differences.
const JOINER_CONTEXT = String.raw`(?<=[\p{M}\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Script=Arabic}])`;
const JOINER = String.raw`${JOINER_CONTEXT}[\u200C\u200D]`;
const EMOJI_STYLE = String.raw`(?<=\p{Emoji})[\uFE0E\uFE0F]`;
const MAX_MARKS = 8;

// Created when first needed: Unicode properties make these slow to build, and most text is plain.
let patterns: ReturnType<typeof createPatterns> | undefined;

function createPatterns() {
  return {
    invisible: new RegExp(`(?:(?!${JOINER})(?!${EMOJI_STYLE})[${INVISIBLE}])+`, "gu"),
    control: new RegExp(`[${CONTROL}]`, "g"),
    stackedMarks: new RegExp(String.raw`(\p{M}{${MAX_MARKS}})\p{M}+`, "gu"),
    emoji: /^(?:\p{Emoji_Presentation}|\p{Emoji}\uFE0F|\p{Regional_Indicator}{2})/u,
    // Vowels and finals of Hangul join the preceding syllable.
    zero: /^[\u1160-\u11FF\p{Mn}\p{Me}\p{Default_Ignorable_Code_Point}]$/u,
    wide: new RegExp(`^[${WIDE}]$`, "u"),
  };
}

// East_Asian_Width W and F (Unicode 16), adjacent blocks merged; emoji have a property of their own.
const WIDE = [
  String.raw`\u1100-\u115F\u2329\u232A\u2630-\u2637\u268A-\u268F\u2E80-\u303E\u3041-\uA4CF\uA960-\uA97C\uAC00-\uD7A3`,
  String.raw`\uF900-\uFAFF\uFE10-\uFE19\uFE30-\uFE6B\uFF01-\uFF60\uFFE0-\uFFE6\u{16FE0}-\u{18D08}\u{1AFF0}-\u{1B2FB}`,
  String.raw`\u{1D300}-\u{1D376}\u{1F200}-\u{1F265}\u{1F300}-\u{1F64F}\u{1F680}-\u{1F6FF}\u{1F900}-\u{1FAFF}\u{20000}-\u{3FFFD}`,
].join("");

/** Makes untrusted text safe to print as one line: collapses white space, shows control characters. */
export function stripControl(text: string): string {
  const visible = isPlainText(text) ? text : makeVisible(text, " ");
  return visible.replace(/\s+/g, " ").trim();
}

/** Makes one line of a file safe to print; characters keep their places, for a caret below. */
export function showControl(line: string): string {
  return isPlainText(line) ? line : makeVisible(line, "→   ");
}

export function makeVisible(text: string, tab: string): string {
  patterns ??= createPatterns();
  return text
    .replace(/\p{Surrogate}/gu, MARK)
    .replace(patterns.invisible, MARK)
    .replace(patterns.control, (character) => picture(character, tab))
    .replace(patterns.stackedMarks, "$1");
}

function picture(character: string, tab: string): string {
  const code = character.charCodeAt(0);
  if (character === "\t") return tab;
  if ((code >= 0x0a && code <= 0x0d) || code === 0x85 || code > 0x9f) return " ";
  if (code === 0x7f) return "␡";
  return code < 0x20 ? String.fromCharCode(0x2400 + code) : MARK;
}

export function plainWidth(codeUnit: number): number {
  return codeUnit < 0x3001 ? 1 : 2;
}

// The only definition of characters that are invisible or act on a terminal. These are parts of character
// classes, because emoji and some scripts need invisible joiners on the screen, but not in a document.

/** Codes that a terminal obeys, and separators that end a line. */
export const CONTROL: string = String.raw`\0-\x1F\x7F-\x9F\u2028\u2029`;

/** The only escape sequence that Skillet writes itself. */
export const COLOUR: string = String.raw`\x1B\[\d{1,2}m`;

/** Marks, embeddings, overrides and isolates that change the writing direction. */
export const DIRECTION: string = String.raw`\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069`;

/**
 * Invisible characters, including those for direction; needs the flag `u`. Lists Unicode's
 * Default_Ignorable_Code_Point and interlinear annotations, because building a pattern from a property takes
 * longer than finding 50 skills.
 */
export const INVISIBLE: string = [
  String.raw`\xAD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B-\u200F\u202A-\u202E\u2060-\u206F\u3164`,
  String.raw`\uFE00-\uFE0F\uFEFF\uFFA0\uFFF0-\uFFFB\u{1BCA0}-\u{1BCA3}\u{1D173}-\u{1D17A}\u{E0000}-\u{E0FFF}`,
].join("");

const ELLIPSIS = "…";

/** Cuts text to a number of columns, between user-perceived characters; an ellipsis replaces what is cut. */
export function truncate(text: string, width: number): string {
  if (width <= 0) return "";
  if (ASCII.test(text))
    return text.length <= width ? text : `${text.slice(0, width - 1).trimEnd()}${ELLIPSIS}`;
  let used = 0;
  let keep = 0;
  for (const { segment, index, columns } of graphemes(text)) {
    used += columns;
    if (used > width) return `${text.slice(0, keep).trimEnd()}${ELLIPSIS}`;
    if (used < width) keep = index + segment.length;
  }
  return text;
}

/** Cuts text at its start, because the end of a path says more than its beginning. */
export function truncateStart(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  let used = 1;
  let start = text.length;
  for (const { index, columns } of [...graphemes(text)].reverse()) {
    used += columns;
    if (used > width) break;
    start = index;
  }
  return width <= 0 ? "" : `${ELLIPSIS}${text.slice(start)}`;
}

/**
 * With `maxLines`, the last line shows that there is more. A word longer than a line is usually a path or a
 * name: it is broken after a slash, or else after a hyphen, or else anywhere.
 */
export function wrap(text: string, { width: wanted, maxLines = Infinity }: Room): string[] {
  const width = Math.max(2, wanted);
  const kind = { isAscii: ASCII.test(text), isPlain: isPlainText(text) };
  const lines: string[] = [];
  for (let start = 0; start < text.length; ) {
    const looked = start + MAX_UNITS_PER_COLUMN * width;
    let end = start + lineLength(text.slice(start, looked), width, kind);
    while (end >= looked && text[end] === " ") end += 1;
    const isLast = end >= text.length;
    if (!isLast && lines.length + 1 >= maxLines)
      return [...lines, truncateAtWord(text.slice(start).trimStart(), width)];
    const line = text.slice(start, end).trimEnd();
    if (!isLast || line !== "") lines.push(line);
    start = end;
  }
  return lines;
}

/** Far more than a character needs; bounds the lookahead per line in a text as long as a file. */
const MAX_UNITS_PER_COLUMN = 64;

/** How much of a text fits in a line, including the spaces after it. */
function lineLength(text: string, width: number, kind: Record<"isAscii" | "isPlain", boolean>): number {
  if (kind.isAscii) {
    // Columns are offsets here, as in most text: iterating over characters takes longer than discovery.
    let over = width;
    while (text[over] === " ") over += 1;
    if (over >= text.length) return text.length;
    const line = text.slice(0, over);
    return [" ", "/", "-"].map((mark) => line.lastIndexOf(mark) + 1).find((end) => end > 0) ?? over;
  }
  const ends = new Map<string, number>();
  let used = 0;
  for (const { segment, index, columns } of graphemes(text, kind.isPlain)) {
    if (segment !== " " && used + columns > width)
      return ends.get(" ") ?? ends.get("/") ?? ends.get("-") ?? index;
    used += columns;
    ends.set(segment, index + segment.length);
  }
  return text.length;
}

type Room = { readonly width: number; readonly maxLines?: number | undefined };

export function pad(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - displayWidth(text)));
}

// A partial word at the end is harder to read than a shorter line, unless the word is very long.
function truncateAtWord(text: string, width: number): string {
  const cut = truncate(text, width);
  const kept = cut.length - ELLIPSIS.length;
  const space = cut.lastIndexOf(" ");
  const insideWord = text.charAt(kept) !== " ";
  return insideWord && space > kept / 2 ? `${cut.slice(0, space).trimEnd()}${ELLIPSIS}` : cut;
}

/** Returns a text's width in columns; expects no control characters other than colour codes. */
export function displayWidth(text: string): number {
  if (ASCII.test(text)) return text.length;
  let width = 0;
  for (const { columns } of graphemes(text)) width += columns;
  return width;
}

const ASCII = /^[\x20-\x7E]*$/;

let segmenter: Intl.Segmenter | undefined;

interface Grapheme {
  readonly segment: string;
  readonly index: number;
  readonly columns: number;
}

/** Lazily splits text into user-perceived characters, none wider than two columns. */
function* graphemes(text: string, isPlain: boolean = isPlainText(text)): Generator<Grapheme> {
  if (isPlain) {
    for (let index = 0; index < text.length; index += 1)
      yield { segment: text.charAt(index), index, columns: plainWidth(text.charCodeAt(index)) };
    return;
  }
  segmenter ??= new Intl.Segmenter("en", { granularity: "grapheme" });
  let codeEnd = 0;
  for (const { segment: cluster, index: start } of segmenter.segment(text)) {
    // Only Skillet's own codes: escapes from outside were made visible.
    if (cluster === "\x1b")
      codeEnd = start + (new RegExp(`^${COLOUR}`).exec(text.slice(start, start + 5))?.[0].length ?? 0);
    // Some scripts join letters endlessly; a cluster wider than the screen has to be broken somewhere.
    const isEndless = codePointsWidth(cluster) > 2;
    let index = start;
    for (const segment of isEndless ? cluster : [cluster]) {
      yield { segment, index, columns: start < codeEnd ? 0 : codePointsWidth(segment) };
      index += segment.length;
    }
  }
}

/** The columns of one user-perceived character: two for emoji and wide East Asian ones, none for marks. */
export function codePointsWidth(grapheme: string): number {
  patterns ??= createPatterns();
  if (patterns.emoji.test(grapheme)) return 2;
  let width = 0;
  // Terminals without cluster support add up code points, so the sum is the safe answer.
  for (const character of grapheme)
    width += patterns.zero.test(character) ? 0 : patterns.wide.test(character) ? 2 : 1;
  return width;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** Formats a path for display: safe to print, with the home folder shortened to `~`. */
export function showPath(path: string, environment: Environment): string {
  const home = homeOf(environment);
  const isBelow = home !== undefined && `${path}${sep}`.startsWith(home + sep);
  return stripControl(isBelow ? `~${path.slice(home.length)}` : path);
}

/** A path as an argument to copy; uses `~` only if unquoted, because quotes prevent its expansion. */
export function pathArgument(path: string, environment: Environment): string {
  const quoted = shellArgument(path);
  return quoted === path ? showPath(path, environment) : quoted;
}

export function showSentence(text: string, environment: Environment): string {
  const home = homeOf(environment);
  if (home === undefined || !text.includes(home + sep)) return stripControl(text);
  const parts = text.split(home + sep);
  // Only at the beginning of a path: the same letters may be inside another path.
  const short = parts.reduce(
    (shown, part) => shown + (/(?:^|[\s("'`])$/.test(shown) ? "~" : home) + sep + part,
  );
  return stripControl(short);
}

function homeOf({ HOME, USERPROFILE }: Environment): string | undefined {
  const home = HOME ?? USERPROFILE;
  return home !== undefined && home.length > 1 ? home : undefined;
}

/** A token count for display: `~42`, `~1.2k`, `~12k`, `~1.2M`; all counts are estimates. */
export function formatTokens(tokens: number): string {
  if (tokens < 1000) return `~${tokens}`;
  return tokens < 999_500 ? `~${twoDigits(tokens / 1000)}k` : `~${twoDigits(tokens / 1_000_000)}M`;
}

export function formatBytes(bytes: number): string {
  const power = [1024, 1024 ** 2, 1024 ** 3].filter((least) => bytes >= least).length;
  return power === 0 ? `${bytes} B` : `${twoDigits(bytes / 1024 ** power)} ${["", "kB", "MB", "GB"][power]}`;
}

function twoDigits(value: number): string {
  return value < 9.95 ? value.toFixed(1).replace(/\.0$/, "") : String(Math.round(value));
}

/** For example `a, b and c`. */
export function listAll(texts: readonly string[]): string {
  return texts.join(", ").replace(/, ([^,]*)$/, " and $1");
}

/** For example `1 skill` or `2 skills`. */
export function count(number: number, singular: string): string {
  return `${number} ${singular}${number === 1 ? "" : "s"}`;
}

interface Hanging {
  readonly indent?: number;
  /** Replaces the first line's indent and is as wide: a mark or a label. */
  readonly lead?: string;
  readonly maxLines?: number;
  readonly paint?: (line: string) => string;
}

/** Formats untrusted text as screen lines: safe to print, wrapped, indented, after a mark or a label. */
export function hang(text: string, { width, places }: Wide, options: Hanging = {}): string[] {
  const { indent = 0, lead, maxLines, paint = String } = options;
  // Texts with a line limit are a skill's: a command in them must not stand out as Skillet's own advice.
  const wrapLines = maxLines === undefined ? wrapSentence : wrap;
  const lines = wrapLines(stripControl(text), { width: width - indent, maxLines, places });
  const margin = " ".repeat(indent);
  return lines.map((line, index) => `${index === 0 ? (lead ?? margin) : margin}${paint(line)}`);
}

// In backticks, or after a colon up to the end of the clause; also flags to add.
const COMMAND =
  / ?(?:`(skillet [^`]+)`[.,;]?|(?<=^ *|: )((?:skillet|--[a-z-]+) .+?)(?:(?<! )[.,;](?= |$)|$)) ?/g;

interface Wide {
  readonly width: number;
  readonly places?: string | undefined;
}

const LOOKS =
  /^skillet (?:show|explain|search|find|scan|read|run|activate|preview|catalog|doctor|lint|trust|enable|disable|diff)\b(?!.* --(?:skills-root|workspace)\b)/;

/** Adds the flags that said where to search to commands in messages, so that they work as printed. */
export function sayingWhere(text: string, { places = "" }: Partial<Wide>): string {
  if (places === "") return text;
  return text.replace(COMMAND, (whole, quoted?: string, command: string = quoted ?? "") =>
    LOOKS.test(command) ? whole.replace(command, () => `${command}${places}`) : whole,
  );
}

/** Wraps Skillet's messages; a command that would be broken gets a line of its own instead. */
function wrapSentence(said: string, { width, maxLines, places }: Room & Wide): string[] {
  const text = sayingWhere(said, { places });
  const lines = wrap(text, { width, maxLines });
  const isCut = maxLines !== undefined && lines.at(-1)?.endsWith(ELLIPSIS) === true;
  for (const { 0: whole, 1: quoted, 2: command = quoted ?? "", index } of isCut ? [] : text.matchAll(COMMAND))
    if (!lines.some((line) => line.includes(command))) {
      const after = wrapSentence(text.slice(index + whole.length), { width });
      return [...wrap(text.slice(0, index), { width }), `  ${command}`, ...after];
    }
  return lines;
}

/** Wraps Skillet's messages; indented lines are code and commands, and stay unchanged. */
export function fitText(text: string, wide: Wide): readonly string[] {
  const fitLine = (line: string): readonly string[] => wrapSentence(line, wide);
  return text
    .split("\n")
    .flatMap((line) => (/^(?: |$)/.test(line) ? [sayingWhere(line, wide)] : fitLine(line)));
}

/** Shows a name in full, because users type it, followed by the tail, or above it if both do not fit. */
export function titleLines(
  [name, tail]: readonly [name: string, tail: string],
  { width }: { readonly width: number },
  {
    indent = 0,
    lead = "",
    paint = String,
    paintName = String,
  }: Hanging & { readonly paintName?: (line: string) => string },
): string[] {
  const lines = hang(name, { width }, { indent, lead, maxLines: 4, paint: paintName });
  if (tail === "") return lines;
  const isShort = lines.length === 1 && displayWidth(`${stripControl(name)}  ${tail}`) + indent <= width;
  return isShort
    ? [`${lines[0]}  ${paint(tail)}`]
    : [...lines, ...hang(tail, { width }, { indent: indent + 2, paint })];
}

export function moreInJson(
  { colours }: { readonly colours: { readonly dim: (text: string) => string } },
  indent = "  ",
): (rest: number) => string {
  return (rest) => colours.dim(`${indent}and ${rest} more: --json lists all`);
}

export function spacedBlocks(blocks: readonly (readonly string[])[]): string[] {
  const filled = blocks.filter((lines) => lines.length > 0);
  return filled.flatMap((lines, index) => (index === 0 ? lines : ["", ...lines]));
}

export function firstLines<Entry>(
  entries: readonly Entry[],
  most: number,
  linesOf: (entry: Entry, index: number) => string | readonly string[],
  moreLine: (rest: number) => string,
): string[] {
  const rest = entries.length - most;
  return [...entries.slice(0, most).flatMap(linesOf), ...(rest > 0 ? [moreLine(rest)] : [])];
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000 };

/** Parses milliseconds from `30s` or `5m`. */
export function durationMs(text: string): number | undefined {
  const [, digits, unit = ""] = /^(\d{1,9})(ms|s|m)$/.exec(text) ?? [];
  return digits === undefined ? undefined : Number(digits) * (UNITS[unit] ?? 0);
}
