/** What one character of a path must be; a number is that code point. */
export type CharacterPattern = number | "any" | CharacterSet;

/** A set in brackets. */
interface CharacterSet {
  readonly negated: boolean;
  readonly ranges: readonly (readonly [from: number, to: number])[];
}

/** One part of a path: runs of characters with `*` between them. */
export type SegmentPattern = readonly (readonly CharacterPattern[])[];

/** A whole path: runs of parts with `**` between them. */
export type Glob = readonly (readonly SegmentPattern[])[];

/** Reads a pattern without braces; undefined where a bracket makes no sense, as such a pattern fits nothing. */
export function parseGlob(pattern: string): Glob | undefined {
  const relative = trimStart(pattern);
  const runs: SegmentPattern[][] = [[]];
  // A folder stands for everything in it.
  for (const text of (relative.endsWith("/") ? `${relative}**` : relative).split("/")) {
    if (text === "**") {
      runs.push([]);
      continue;
    }
    const segment = parseSegment(text);
    if (segment === undefined) return undefined;
    runs.at(-1)?.push(segment);
  }
  return runs;
}

/** Without `/` or `./` in front: patterns and paths both begin at the workspace. */
export function trimStart(path: string): string {
  return path.replace(/^(?:\.?\/)+/, "");
}

function parseSegment(text: string): SegmentPattern | undefined {
  const points = Array.from(text, (character) => character.codePointAt(0) ?? 0);
  const runs: CharacterPattern[][] = [[]];
  for (let index = 0; index < points.length; index += 1) {
    const point = points[index] ?? 0;
    if (point === STAR) {
      runs.push([]);
      continue;
    }
    let pattern: CharacterPattern = point === QUESTION_MARK ? "any" : point;
    if (point === BACKSLASH && index + 1 < points.length) {
      index += 1;
      pattern = points[index] ?? 0;
    } else if (point === OPENING_BRACKET) {
      const set = parseSet(points, index + 1);
      if (set === undefined) return undefined;
      pattern = set;
      index = set.end;
    }
    runs.at(-1)?.push(pattern);
  }
  return runs;
}

/** The set that begins behind a bracket, and where its closing bracket stands. */
function parseSet(points: readonly number[], start: number): (CharacterSet & { end: number }) | undefined {
  const negated = points[start] === EXCLAMATION_MARK || points[start] === CARET;
  const first = negated ? start + 1 : start;
  const ranges: [from: number, to: number][] = [];
  let index = first;
  const next = (): number | undefined => {
    if (points[index] === BACKSLASH) index += 1;
    const point = points[index];
    index += 1;
    return point;
  };
  // A closing bracket that comes first is a member.
  while (points[index] !== CLOSING_BRACKET || index === first) {
    const from = next();
    if (from === undefined) return undefined;
    const isRange =
      points[index] === HYPHEN && points[index + 1] !== CLOSING_BRACKET && index + 1 < points.length;
    if (isRange) index += 1;
    const to = isRange ? next() : from;
    if (to === undefined || to < from) return undefined;
    ranges.push([from, to]);
  }
  return { negated, ranges, end: index };
}

const STAR = 0x2a;
const QUESTION_MARK = 0x3f;
const BACKSLASH = 0x5c;
const OPENING_BRACKET = 0x5b;
const CLOSING_BRACKET = 0x5d;
const EXCLAMATION_MARK = 0x21;
const CARET = 0x5e;
const HYPHEN = 0x2d;
