/** A countdown of comparisons; below zero nothing matches, so that no pattern can run for years. */
export interface MatchBudget {
  left: number;
}

const STAR: unique symbol = Symbol("*");
const ANY: unique symbol = Symbol("?");
/** `**`: any number of path segments, including none. */
export const ANY_PARTS: unique symbol = Symbol("**");

declare const PARSED: unique symbol;

/** A name, or one path segment; a text without wildcards, the usual case, is compared directly. */
export type NamePattern =
  // Branded, so that stars in unparsed text are not compared as letters.
  (string & { readonly [PARSED]: true }) | readonly (string | typeof STAR | typeof ANY | CharacterSet)[];

export type PathPattern = readonly (NamePattern | typeof ANY_PARTS)[];

interface CharacterSet {
  readonly negated: boolean;
  readonly ranges: readonly (readonly [first: number, last: number])[];
}

export function parseStars(text: string): NamePattern {
  if (!text.includes("*")) return text as NamePattern;
  return Array.from(text, (character) => (character === "*" ? STAR : character));
}

/**
 * Parses `*`, `?`, `[a-z]`, `[!a]`, `[[:digit:]]` and `\` before a literal character.
 *
 * Undefined, so it matches nothing, for an unclosed bracket, backward range, unknown class or final `\`.
 */
export function parseName(text: string): NamePattern | undefined {
  if (!/[*?[\\]/.test(text)) return text as NamePattern;
  const characters = Array.from(text);
  const tokens: Exclude<NamePattern, string>[number][] = [];
  for (let index = 0; index < characters.length; index++) {
    const character = characters[index] ?? "";
    if (character === "*") {
      if (tokens.at(-1) !== STAR) tokens.push(STAR);
    } else if (character === "?") tokens.push(ANY);
    else if (character === "\\") {
      const escaped = characters[++index];
      if (escaped === undefined) return undefined;
      tokens.push(escaped);
    } else if (character === "[") {
      const read = parseSet(characters, index + 1);
      if (read === undefined) return undefined;
      tokens.push(read.set);
      index = read.end;
    } else tokens.push(character);
  }
  return tokens;
}

function parseSet(
  characters: readonly string[],
  start: number,
): { readonly set: CharacterSet; readonly end: number } | undefined {
  const negated = characters[start] === "!" || characters[start] === "^";
  const first = negated ? start + 1 : start;
  const ranges: (readonly [number, number])[] = [];
  let index = first;
  const next = (): string | undefined => {
    if (characters[index] === "\\") index++;
    return characters[index++];
  };
  // A closing bracket in first position is a member.
  while (characters[index] !== "]" || index === first) {
    const [named, name] = CLASS.exec(characters.slice(index, index + 32).join("")) ?? [];
    if (named !== undefined) {
      const known = CLASSES.get(name ?? "");
      if (known === undefined) return undefined;
      for (const [, from = "", to = ""] of known.matchAll(/(.)(.)/gs))
        ranges.push([pointOf(from), pointOf(to)]);
      index += named.length;
      continue;
    }
    const from = next();
    const isRange = characters[index] === "-" && characters[index + 1] !== "]";
    if (isRange) index++;
    const to = isRange ? next() : from;
    if (from === undefined || to === undefined || pointOf(to) < pointOf(from)) return undefined;
    ranges.push([pointOf(from), pointOf(to)]);
  }
  return { set: { negated, ranges }, end: index };
}

const CLASS = /^\[:([a-z]*):\]/;
// The first and last character of each range in turn.
const CLASSES: ReadonlyMap<string, string> = new Map([
  ["alnum", "09AZaz"],
  ["alpha", "AZaz"],
  ["blank", "  \t\t"],
  ["cntrl", "\0\x1f\x7f\x7f"],
  ["digit", "09"],
  ["graph", "!~"],
  ["lower", "az"],
  ["print", " ~"],
  ["punct", "!/:@[`{~"],
  ["space", "  \t\r"],
  ["upper", "AZ"],
  ["xdigit", "09AFaf"],
]);

function pointOf(character: string): number {
  return character.codePointAt(0) ?? -1;
}

const UNBOUNDED: MatchBudget = { left: Number.POSITIVE_INFINITY };

export function matchesName(pattern: NamePattern, name: string, budget: MatchBudget = UNBOUNDED): boolean {
  if (typeof pattern !== "string") {
    const characters = /[\ud800-\udbff]/.test(name) ? Array.from(name) : name;
    return matchesSequence(pattern, characters, { many: STAR, matchesOne: matchesCharacter, budget });
  }
  budget.left--;
  return pattern === name;
}

function matchesCharacter(token: string | typeof ANY | CharacterSet, character: string): boolean {
  if (typeof token === "string") return token === character;
  if (token === ANY) return true;
  const point = pointOf(character);
  return token.ranges.some(([first, last]) => first <= point && point <= last) !== token.negated;
}

export function matchesParts(
  pattern: PathPattern,
  parts: readonly string[],
  budget: MatchBudget = UNBOUNDED,
): boolean {
  const matchesOne = (part: NamePattern, name: string): boolean => matchesName(part, name, budget);
  return matchesSequence(pattern, parts, { many: ANY_PARTS, matchesOne, budget });
}

/** Backtracking only to the last `many` is exact, so the cost is at most the product of the lengths. */
function matchesSequence<One, Many extends symbol, Item>(
  tokens: readonly (One | Many)[],
  items: ArrayLike<Item>,
  by: {
    readonly many: Many;
    readonly matchesOne: (token: Exclude<One, Many>, item: Item) => boolean;
    readonly budget: MatchBudget;
  },
): boolean {
  let token = 0;
  let item = 0;
  let lastMany = -1;
  let itemOfMany = 0;
  while (item < items.length) {
    if (--by.budget.left < 0) return false;
    const current = tokens[token];
    if (current === by.many) {
      lastMany = token++;
      if (token === tokens.length) return true;
      itemOfMany = item;
    } else if (token < tokens.length && by.matchesOne(current as Exclude<One, Many>, items[item] as Item)) {
      token++;
      item++;
    } else if (lastMany >= 0) {
      token = lastMany + 1;
      item = ++itemOfMany;
    } else return false;
  }
  while (token < tokens.length && tokens[token] === by.many) token++;
  return token === tokens.length;
}

// More than any real list of patterns expands to.
const MAX_PATTERNS = 1000;
const MAX_PATTERN_CHARACTERS = 256 * 1024;
const MAX_STEPS = 1_000_000;

/**
 * Whether one of the files, split by `cutPath`, matches one of the patterns: `*` within a segment, `**` for
 * any segments, `?`, `[a-z]`, `{a,b}`; a folder that ends with `/` matches everything in it.
 *
 * "too-complex" if that would take longer than for any honest list.
 */
export function fitsPaths(
  patterns: readonly string[],
  files: readonly (readonly string[])[],
): boolean | "too-complex" {
  const left = { patterns: MAX_PATTERNS, characters: MAX_PATTERN_CHARACTERS };
  const budget: MatchBudget = { left: MAX_STEPS };
  for (const pattern of patterns) {
    const expanded = expandBraces(pattern, left);
    if (expanded === undefined) return "too-complex";
    for (const text of expanded) {
      const parts = cutPath(text).map((part, at, { length }) =>
        part === "**" || (part === "" && at > 0 && at === length - 1) ? ANY_PARTS : parseName(part),
      );
      if (!parts.every((part) => part !== undefined)) continue;
      if (files.some((file) => matchesParts(parts, file, budget))) return true;
      if (budget.left < 0) return "too-complex";
    }
  }
  return false;
}

/** Splits a path at `/`; patterns and paths both begin at the workspace, with `/`, `./` or neither. */
export function cutPath(path: string): readonly string[] {
  return path.replace(/^(?:\.?\/)+/, "").split("/");
}

/**
 * Expands `{a,b}`, even if nested; counts down `left`, and returns undefined if that does not suffice.
 *
 * Braces without a comma, without a partner or after a backslash are literal.
 */
function expandBraces(
  pattern: string,
  left: { patterns: number; characters: number },
): readonly string[] | undefined {
  const waiting = [pattern];
  const expanded: string[] = [];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    left.characters -= next.length;
    const cuts = findGroup(next);
    if (cuts === undefined) {
      expanded.push(next);
      left.patterns -= 1;
    } else {
      const before = next.slice(0, cuts[0]);
      const after = next.slice((cuts.at(-1) ?? 0) + 1);
      // Pushed in reverse, because the last one in is the first one out.
      for (let index = cuts.length - 1; index > 0; index -= 1)
        waiting.push(before + next.slice((cuts[index - 1] ?? 0) + 1, cuts[index]) + after);
    }
    if (left.characters < 0 || left.patterns < waiting.length) return undefined;
  }
  return expanded;
}

/** The positions of the first outermost group's braces and commas. */
function findGroup(pattern: string): readonly number[] | undefined {
  const open: [start: number, ...commas: number[]][] = [];
  let found: readonly [number, ...number[]] | undefined;
  for (let index = 0; index < pattern.length; index += 1) {
    const character = pattern[index];
    if (character === "\\") index += 1;
    else if (character === "{") open.push([index]);
    else if (character === ",") open.at(-1)?.push(index);
    else if (character === "}") {
      const cuts = open.pop();
      if (cuts === undefined || cuts.length < 2) continue;
      if (found === undefined || cuts[0] < found[0]) found = [...cuts, index];
      if (open.length === 0) return found;
    }
  }
  return found;
}
