import { ANY_PARTS, matchesParts, parseStars } from "@skillet/kit/glob";
import { pathSegments } from "../../config/tool-rule/parse-path-pattern.ts";
import type { PathPattern } from "../../config/tool-rule/tool-rule.ts";

/** Whether an absolute path fits a pattern, letter by letter: what a rule covers is no more than it says. */
export function coversPath(pattern: PathPattern, path: string): boolean {
  const { folder, rest } = pattern;
  const segments = pathSegments(path);
  if (!folder.every((segment, index) => segment === segments[index])) return false;
  // A plain name is the file, or everything in the folder, of that name.
  const isPlain = rest.at(-1)?.includes("*") === false;
  return fitsSegments(segments.slice(folder.length), isPlain ? [...rest, "**"] : rest);
}

/** Whether a path may be what a pattern means, on file systems that do not know upper case, and below it. */
export function touchesPath(pattern: PathPattern, path: string): boolean {
  const fold = (segment: string): string => segment.normalize("NFKC").toLowerCase();
  const segments = pathSegments(path).map(fold);
  const folder = pattern.folder.map(fold);
  if (!folder.slice(0, segments.length).every((segment, index) => segment === segments[index])) return false;
  // A folder above the pattern's holds what it means, for tools that work on folders.
  if (segments.length <= folder.length) return true;
  return fitsSegments(segments.slice(folder.length), [...pattern.rest.map(fold), "**"]);
}

function fitsSegments(segments: readonly string[], pattern: readonly string[]): boolean {
  return matchesParts(
    pattern.map((segment) => (segment === "**" ? ANY_PARTS : parseStars(segment))),
    segments,
  );
}
