import { SkilletError } from "@skillet/kit/errors";
import { readBoundedFile } from "@skillet/kit/files";
import {
  ANY_PARTS,
  type MatchBudget,
  matchesParts,
  type PathPattern,
  parseName,
  parseStars,
} from "@skillet/kit/glob";
import { ignoreLimit, unreadableRules, type WalkMessage } from "./walk-messages.ts";

/** Files with rules that hide folders below the file's own folder. */
export const IGNORE_FILES: readonly string[] = [".gitignore", ".skilletignore"];

const MAX_IGNORE_BYTES = 256 * 1024;
// No path of a folder is longer.
const MAX_RULE_CHARACTERS = 4_096;
const MAX_RULES_IN_FORCE = 1_000;
// A second or two. A thousand rules over a hundred thousand folders need less, unless made to be slow.
const MAX_WORK = 400_000_000;

/** The rules in force in a folder: its own and those of the folders above it, up to the root. */
export interface IgnoreRules {
  readonly base: string;
  readonly file: string;
  /** Tested from the end, because the last matching rule decides. */
  readonly patterns: readonly IgnorePattern[];
  readonly count: number;
  readonly outer: IgnoreRules | undefined;
}

/** Reads the ignore files of one walk and finds the folders they hide, within a bound on the total work. */
export class IgnoreFiles {
  readonly #work: MatchBudget = { left: MAX_WORK };

  /** False if the bound was reached, so that some rules were not applied. */
  get isComplete(): boolean {
    return this.#work.left >= 0;
  }

  /** Adds the rules of a folder's ignore files to the outer rules; reports those that are not applied. */
  extend(options: {
    readonly absolute: string;
    readonly path: string;
    readonly files: readonly string[];
    readonly outer: IgnoreRules | undefined;
    readonly onProblem: (file: string, message: WalkMessage) => void;
  }): IgnoreRules | undefined {
    let rules = options.outer;
    for (const name of IGNORE_FILES) {
      if (!options.files.includes(name) || !this.isComplete) continue;
      const file = options.path === "" ? name : `${options.path}/${name}`;
      try {
        const text = this.#read(`${options.absolute}/${name}`);
        const { patterns, leftOut } = parseRules(text, MAX_RULES_IN_FORCE - (rules?.count ?? 0));
        if (leftOut !== undefined) options.onProblem(file, ignoreLimit({ ...leftOut, ...LIMITS }));
        const count = (rules?.count ?? 0) + patterns.length;
        if (patterns.length > 0) rules = { base: options.path, file, patterns, count, outer: rules };
      } catch (error) {
        if (!SkilletError.isInstance(error)) throw error;
        options.onProblem(file, unreadableRules(error.message));
      }
    }
    return rules;
  }

  /** The ignore file that hides a folder, if one does; a deeper file overrides a shallower one. */
  hiding(rules: IgnoreRules, folder: string): string | undefined {
    const path = foldCase(folder);
    for (let current: IgnoreRules | undefined = rules; current !== undefined; current = current.outer) {
      const { base, patterns } = current;
      const names = (base === "" ? path : path.slice(base.length + 1)).split("/");
      const last = patterns.findLast((pattern) => matchesFolder(pattern, names, this.#work));
      if (!this.isComplete) return undefined;
      if (last !== undefined) return last.negated ? undefined : current.file;
    }
    return undefined;
  }

  #read(path: string): string {
    const bytes = readBoundedFile(path, { maxBytes: MAX_IGNORE_BYTES, links: "refuse" });
    this.#work.left -= bytes?.length ?? 0;
    return Buffer.from(bytes ?? []).toString("utf8");
  }
}

const LIMITS = { maxRules: MAX_RULES_IN_FORCE, maxCharacters: MAX_RULE_CHARACTERS };

interface LeftOut {
  readonly count: number;
  readonly line: number;
}

function parseRules(
  text: string,
  room: number,
): { readonly patterns: readonly IgnorePattern[]; readonly leftOut: LeftOut | undefined } {
  const patterns: IgnorePattern[] = [];
  let leftOut: LeftOut | undefined;
  for (const [index, line] of foldCase(text.replace(/^\ufeff/, ""))
    .split("\n")
    .entries()) {
    const isTooLong = line.length > MAX_RULE_CHARACTERS && !line.startsWith("#");
    const pattern = isTooLong ? undefined : parseIgnorePattern(line);
    if (pattern !== undefined && patterns.length < room) patterns.push(pattern);
    else if (pattern !== undefined || isTooLong)
      leftOut = { count: (leftOut?.count ?? 0) + 1, line: leftOut?.line ?? index + 1 };
  }
  return { patterns, leftOut };
}

const IGNORES_CASE = process.platform === "win32" || process.platform === "darwin";

// Like git's default on systems with case-insensitive file names.
function foldCase(text: string): string {
  return IGNORES_CASE ? text.toLowerCase() : text;
}

export interface IgnorePattern {
  readonly negated: boolean;
  readonly anchored: boolean;
  readonly parts: PathPattern;
}

/** Reads one line like git; undefined for a blank line, a comment or a rule that can match nothing. */
export function parseIgnorePattern(line: string): IgnorePattern | undefined {
  if (line.startsWith("#")) return undefined;
  const rule = trimEnd(line);
  const negated = rule.startsWith("!");
  // Only folders are tested, so a trailing slash makes no difference.
  const text = rule.slice(negated ? 1 : 0, rule.endsWith("/") ? -1 : undefined);
  if (text === "") return undefined;
  const anchored = text.includes("/");
  const names = (text.startsWith("/") ? text.slice(1) : text).split("/");
  const parts: PathPattern[number][] = [];
  for (const [index, name] of names.entries()) {
    const isLast = index === names.length - 1;
    if (anchored && /^\*\*+$/.test(name)) {
      // `a/**` matches what is in `a`, not `a` itself.
      if (isLast && index > 0) parts.push(parseStars("*"));
      parts.push(ANY_PARTS);
      continue;
    }
    const part = parseName(name);
    if (part === undefined) return undefined;
    parts.push(part);
  }
  return { negated, anchored, parts };
}

/** Whether a rule matches a folder, given as the path segments from the rule's file. */
export function matchesFolder(
  { anchored, parts }: IgnorePattern,
  names: readonly string[],
  budget: MatchBudget,
): boolean {
  return matchesParts(parts, anchored ? names : names.slice(-1), budget);
}

// Trailing spaces count only after a backslash.
function trimEnd(line: string): string {
  const text = line.endsWith("\r") ? line.slice(0, -1) : line;
  let end = 0;
  for (let index = 0; index < text.length; index++) {
    if (text[index] === "\\") index++;
    else if (text[index] === " ") continue;
    end = index + 1;
  }
  return text.slice(0, end);
}
