import { SkilletError } from "@skillet/kit/errors";

export interface Substituted {
  readonly text: string;
  readonly usesArguments: boolean;
}

/**
 * One pass: inserted values are never expanded again. Positional tokens stay if no such argument was given,
 * because `$5` is more often a price than a position.
 */
export function substituteArguments(text: string, substitution: Substitution): Substituted {
  let result = "";
  let done = 0;
  let usesArguments = false;
  for (const { start, end, value, isEscaped, isArgument } of findTokens(text, substitution)) {
    if (isEscaped) result += text.slice(done, start - 1) + text.slice(start, end);
    else result += text.slice(done, start) + (value ?? text.slice(start, end));
    usesArguments ||= isArgument && !isEscaped;
    done = end;
    checkRendered(result.length);
  }
  return { text: result + text.slice(done), usesArguments };
}

export interface Substitution {
  readonly arguments?: string;
  readonly names: readonly string[];
  /** Values of `${NAME}` and `{baseDir}`; other names stay as they are. */
  readonly variables: Readonly<Record<string, string | undefined>>;
}

interface Token {
  readonly start: number;
  readonly end: number;
  /** Absent if there is no such argument: then the token stays as written. */
  readonly value?: string;
  readonly isArgument: boolean;
  /** Preceded by a backslash that is not escaped itself. */
  readonly isEscaped: boolean;
}

// Bounds the work, since each name is tried at each dollar sign.
const MAX_NAMES = 64;

export function* findTokens(text: string, substitution: Substitution): Generator<Token> {
  const { arguments: raw, variables } = substitution;
  const names = substitution.names.slice(0, MAX_NAMES);
  const words = raw === undefined ? [] : splitArguments(raw);
  const all: FoundToken = { value: raw ?? "", isArgument: raw !== undefined };
  const word = (index: number): FoundToken => {
    const value = words[index];
    return value === undefined ? { isArgument: false } : { value, isArgument: true };
  };
  const variable = (name: string): FoundToken | undefined => {
    const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
    return value === undefined ? undefined : { value, isArgument: false };
  };
  const read = (groups: Readonly<Record<string, string | undefined>>): FoundToken | undefined => {
    const { braced, base, declared, position, index } = groups;
    if (braced !== undefined) return braced === "ARGUMENTS" ? all : variable(braced);
    if (base !== undefined) return variable(base);
    // A declared argument that was not given is empty.
    if (declared !== undefined) return { value: "", ...word(names.indexOf(declared)) };
    const place = position ?? index;
    return place === undefined ? all : word(Number(place));
  };
  let done = 0;
  for (const match of text.matchAll(tokenPattern(names))) {
    const token = read(match.groups ?? {});
    if (token === undefined) continue;
    const start = match.index;
    const end = start + match[0].length;
    // Backslashes in pairs stand for themselves; an odd one escapes the token.
    yield { ...token, start, end, isEscaped: countBackslashes(text, start, done) % 2 === 1 };
    done = end;
  }
}

type FoundToken = Pick<Token, "value" | "isArgument">;

function tokenPattern(names: readonly string[]): RegExp {
  // Longest first: if `file` and `file-name` are declared, `$file-name` means the second.
  const declared = [...names]
    .sort((one, other) => other.length - one.length)
    .map((name) => name.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(
    [
      "\\$\\{(?<braced>[A-Za-z_][A-Za-z0-9_]{0,63})\\}",
      "\\{(?<base>baseDir)\\}",
      ...(declared.length === 0 ? [] : [`\\$(?<declared>${declared.join("|")})(?!\\w)`]),
      "\\$(?<position>\\d{1,6})(?!\\w)",
      "\\$ARGUMENTS(?!\\w)(?:\\[(?<index>\\d{1,6})\\])?",
    ].join("|"),
    "g",
  );
}

function countBackslashes(text: string, at: number, from: number): number {
  let start = at;
  while (start > from && text.charAt(start - 1) === "\\") start--;
  return at - start;
}

/** Like a shell, but an open quote extends to the end: a user who types `it's` means one word. */
export function splitArguments(text: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote = "";
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at);
    if (character === "\\" && quote !== "'" && at + 1 < text.length) {
      const next = text.charAt(++at);
      // In double quotes a backslash is literal, unless it precedes a character that it can quote.
      word = (word ?? "") + (quote === '"' && !ESCAPED_IN_QUOTES.includes(next) ? `\\${next}` : next);
    } else if (quote !== "") {
      if (character === quote) quote = "";
      else word = (word ?? "") + character;
    } else if (character === '"' || character === "'") {
      quote = character;
      word ??= "";
    } else if (BLANK.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? "") + character;
  }
  if (word !== undefined) words.push(word);
  return words;
}

const BLANK = /\s/;
const ESCAPED_IN_QUOTES = '"\\$`';

// Arguments are what a user types after a name.
const MAX_ARGUMENT_CHARACTERS = 64 * 1024;
// A short body can repeat long arguments many times.
const MAX_RENDERED_CHARACTERS = 2 * 1024 * 1024;

export function checkArguments(text: string | undefined): void {
  if (text === undefined || text.length <= MAX_ARGUMENT_CHARACTERS) return;
  const message = `The arguments have ${text.length} characters; a skill takes up to ${MAX_ARGUMENT_CHARACTERS}. Put long text into a file and pass its path.`;
  throw new SkilletError("arguments-too-long", message, {
    data: { characters: text.length, limit: MAX_ARGUMENT_CHARACTERS },
  });
}

export function checkRendered(characters: number): void {
  if (characters <= MAX_RENDERED_CHARACTERS) return;
  const message = `With its arguments filled in, the skill's text is longer than ${MAX_RENDERED_CHARACTERS} characters. Pass shorter arguments.`;
  throw new SkilletError("rendered-too-long", message, { data: { limit: MAX_RENDERED_CHARACTERS } });
}
