import { expandBraces } from "./expand-braces.ts";
import { fitsRuns, type StepCounter } from "./fits-runs.ts";
import { type CharacterPattern, parseGlob, type SegmentPattern, trimStart } from "./parse-glob.ts";

/** A file's path, cut at its slashes into code points. */
export type PathParts = readonly (readonly number[])[];

/** What the `paths` of one skill may stand for once braces are written out; more than any real list. */
const MAX_PATTERNS = 1000;
const MAX_PATTERN_CHARACTERS = 256 * 1024;

/** How many characters may be compared to decide about one skill. */
const MAX_STEPS = 1_000_000;

/**
 * Whether one of the files fits one of the patterns: `*` within a part of a path, `**` for any parts, `?`, `[a-z]`,
 * `{a,b}`.
 *
 * "too-complex" where that would take longer than any honest list does.
 */
export function fitsPaths(patterns: readonly string[], files: readonly PathParts[]): boolean | "too-complex" {
  const limits = { patterns: MAX_PATTERNS, characters: MAX_PATTERN_CHARACTERS };
  const steps: StepCounter = { left: MAX_STEPS };
  for (const pattern of patterns) {
    const expanded = expandBraces(pattern, limits);
    if (expanded === undefined) return "too-complex";
    for (const text of expanded) {
      const glob = parseGlob(text);
      if (glob === undefined) continue;
      const options = {
        steps,
        fits: (part: readonly number[], own: SegmentPattern) => fitsPart(part, own, steps),
      };
      if (files.some((file) => fitsRuns(file, glob, options))) return true;
      if (steps.left < 0) return "too-complex";
    }
  }
  return false;
}

/** Cuts a path, relative to the workspace and with `/`, for `fitsPaths`. */
export function cutPath(path: string): PathParts {
  return trimStart(path)
    .split("/")
    .map((part) => Array.from(part, (character) => character.codePointAt(0) ?? 0));
}

function fitsPart(part: readonly number[], pattern: SegmentPattern, steps: StepCounter): boolean {
  return fitsRuns(part, pattern, { fits: fitsCharacter, steps });
}

function fitsCharacter(point: number, pattern: CharacterPattern): boolean {
  if (typeof pattern === "number") return point === pattern;
  if (pattern === "any") return true;
  return pattern.ranges.some(([from, to]) => point >= from && point <= to) !== pattern.negated;
}
