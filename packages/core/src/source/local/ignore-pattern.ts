/** One rule of an ignore file, ready to be held against the paths of folders. */
export interface IgnorePattern {
  readonly negated: boolean;
  /** Whether the rule speaks of a place below its file; otherwise of a name at any depth. */
  readonly anchored: boolean;
  readonly parts: readonly Part[];
}

/** Counts down what matching may still cost; below zero nothing matches any more. */
export interface Work {
  left: number;
}

const STAR: unique symbol = Symbol("*");
const ANY: unique symbol = Symbol("?");
const ANY_PARTS: unique symbol = Symbol("**");

type Part = typeof ANY_PARTS | Glob;
// Text without wildcards, as nearly all rules are, is compared as it is.
type Glob = string | readonly Token[];
type Token = string | typeof STAR | typeof ANY | CharacterSet;

interface CharacterSet {
  readonly negated: boolean;
  readonly ranges: readonly (readonly [first: string, last: string])[];
}

/** Reads one line as git does; nothing for a blank one, a comment, and a rule that can match nothing. */
export function parseIgnorePattern(line: string): IgnorePattern | undefined {
  if (line.startsWith("#")) return undefined;
  const rule = trimEnd(line);
  const negated = rule.startsWith("!");
  // Only folders are asked about, so a rule for folders alone is a rule like any other.
  const text = rule.slice(negated ? 1 : 0, rule.endsWith("/") ? -1 : undefined);
  if (text === "") return undefined;
  const anchored = text.includes("/");
  const names = (text.startsWith("/") ? text.slice(1) : text).split("/");
  const parts: Part[] = [];
  for (const [index, name] of names.entries()) {
    const isLast = index === names.length - 1;
    if (anchored && /^\*\*+$/.test(name)) {
      // `a/**` is what lies in `a`, not `a` itself.
      if (isLast && index > 0) parts.push([STAR]);
      parts.push(ANY_PARTS);
      continue;
    }
    const glob = parseGlob(name);
    if (glob === undefined) return undefined;
    parts.push(glob);
  }
  return { negated, anchored, parts };
}

/** Whether a rule speaks of a folder, given as the names on the way to it from the rule's file. */
export function matchesFolder(pattern: IgnorePattern, names: readonly string[], work: Work): boolean {
  const matchName = (part: Exclude<Part, typeof ANY_PARTS>, name: string): boolean =>
    matchGlob(part, name, work);
  if (pattern.anchored)
    return matchSequence(pattern.parts, names, { many: ANY_PARTS, matchOne: matchName, work });
  const [part] = pattern.parts;
  return part !== undefined && part !== ANY_PARTS && matchName(part, names.at(-1) ?? "");
}

// Spaces at the end count only behind a backslash.
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

function parseGlob(name: string): Glob | undefined {
  if (!/[*?[\\]/.test(name)) return name;
  const tokens: Token[] = [];
  for (let index = 0; index < name.length; index++) {
    const character = name[index] ?? "";
    if (character === "*") {
      if (tokens.at(-1) !== STAR) tokens.push(STAR);
    } else if (character === "?") tokens.push(ANY);
    else if (character === "\\") {
      const escaped = name[++index];
      if (escaped === undefined) return undefined;
      tokens.push(escaped);
    } else if (character === "[") {
      const read = parseSet(name, index + 1);
      if (read === undefined) return undefined;
      tokens.push(read.set);
      index = read.end;
    } else tokens.push(character);
  }
  return tokens;
}

// `[a-z]`, `[!a]`, `[]a]`, `[[:digit:]]`; without its closing bracket a rule matches nothing.
function parseSet(
  name: string,
  start: number,
): { readonly set: CharacterSet; readonly end: number } | undefined {
  const negated = name[start] === "!" || name[start] === "^";
  const first = negated ? start + 1 : start;
  const ranges: [string, string][] = [];
  let previous: string | undefined;
  for (let index = first; index < name.length; index++) {
    let character = name[index] ?? "";
    if (character === "]" && index > first) return { set: { negated, ranges }, end: index };
    const named = character === "[" ? matchAt(CLASS, name, index) : null;
    if (named !== null) {
      const known = CLASSES.get(named[1] ?? "");
      if (known === undefined) return undefined;
      ranges.push(...known);
      index += named[0].length - 1;
      previous = undefined;
      continue;
    }
    const next = name[index + 1];
    if (character === "-" && previous !== undefined && next !== undefined && next !== "]") {
      index += next === "\\" ? 2 : 1;
      ranges.push([previous, name[index] ?? ""]);
      previous = undefined;
      continue;
    }
    if (character === "\\") character = name[++index] ?? "";
    ranges.push([character, character]);
    previous = character;
  }
  return undefined;
}

function matchAt(expression: RegExp, text: string, index: number): RegExpExecArray | null {
  expression.lastIndex = index;
  return expression.exec(text);
}

const CLASS = /\[:([a-z]*):\]/y;
const CLASSES: ReadonlyMap<string, readonly [string, string][]> = new Map([
  [
    "alnum",
    [
      ["0", "9"],
      ["A", "Z"],
      ["a", "z"],
    ],
  ],
  [
    "alpha",
    [
      ["A", "Z"],
      ["a", "z"],
    ],
  ],
  [
    "blank",
    [
      [" ", " "],
      ["\t", "\t"],
    ],
  ],
  [
    "cntrl",
    [
      ["\0", "\x1f"],
      ["\x7f", "\x7f"],
    ],
  ],
  ["digit", [["0", "9"]]],
  ["graph", [["!", "~"]]],
  ["lower", [["a", "z"]]],
  ["print", [[" ", "~"]]],
  [
    "punct",
    [
      ["!", "/"],
      [":", "@"],
      ["[", "`"],
      ["{", "~"],
    ],
  ],
  [
    "space",
    [
      [" ", " "],
      ["\t", "\r"],
    ],
  ],
  ["upper", [["A", "Z"]]],
  [
    "xdigit",
    [
      ["0", "9"],
      ["A", "F"],
      ["a", "f"],
    ],
  ],
]);

function matchGlob(glob: Glob, name: string, work: Work): boolean {
  if (typeof glob !== "string")
    return matchSequence(glob, name, { many: STAR, matchOne: matchCharacter, work });
  work.left--;
  return glob === name;
}

function matchCharacter(token: Exclude<Token, typeof STAR>, character: string): boolean {
  if (typeof token === "string") return token === character;
  if (token === ANY) return true;
  return token.ranges.some(([first, last]) => first <= character && character <= last) !== token.negated;
}

/**
 * Matches tokens against items one by one, where `many` stands for any number of items.
 *
 * Going back to the last `many` alone is enough, so the cost is at most the product of the lengths; a pattern that
 * tries all of them could be made to run for years.
 */
function matchSequence<One, Many extends symbol, Item>(
  tokens: readonly (One | Many)[],
  items: ArrayLike<Item>,
  by: {
    readonly many: Many;
    readonly matchOne: (token: Exclude<One, Many>, item: Item) => boolean;
    readonly work: Work;
  },
): boolean {
  let token = 0;
  let item = 0;
  let lastMany = -1;
  let itemOfMany = 0;
  while (item < items.length) {
    if (--by.work.left < 0) return false;
    const current = tokens[token];
    if (token < tokens.length && current === by.many) {
      lastMany = token++;
      itemOfMany = item;
    } else if (token < tokens.length && by.matchOne(current as Exclude<One, Many>, items[item] as Item)) {
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
