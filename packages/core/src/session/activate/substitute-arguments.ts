import { SkilletError } from "@skillet/kit/errors";

interface Substituted {
  readonly text: string;
  readonly usesArguments: boolean;
}

/**
 * Replaces `$ARGUMENTS`, `$ARGUMENTS[N]`, `$N`, declared `$name` and `${VARIABLE}` in one pass: what a value brings is
 * never replaced again.
 *
 * Positional tokens are left alone where no such argument was given, because `$5` is more often a price than a place.
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
  /** As the caller wrote them; absent when there were none. */
  readonly arguments?: string;
  /** The names that the skill declares for its arguments, in order. */
  readonly names: readonly string[];
  /** Values of `${NAME}` and `{baseDir}`; names that are not here stay as they are. */
  readonly variables: Readonly<Record<string, string | undefined>>;
}

interface Token {
  readonly start: number;
  readonly end: number;
  /** Absent when there is no such argument: then the token stays as it is written. */
  readonly value?: string;
  readonly isArgument: boolean;
  /** A backslash stands before it that is no backslash itself. */
  readonly isEscaped: boolean;
}

/** Finds the tokens of a text, in order and in one pass. */
export function* findTokens(text: string, substitution: Substitution): Generator<Token> {
  const reader = new TokenReader(substitution);
  let done = 0;
  let next = nextToken(text, 0);
  while (next !== undefined) {
    const start = next.index;
    const token = reader.read(text, start);
    if (token !== undefined) {
      // An even number of backslashes are backslashes themselves; an odd one ends in an escape.
      yield { ...token, start, isEscaped: countBackslashes(text, start, done) % 2 === 1 };
      done = token.end;
    }
    next = nextToken(text, Math.max(start + 1, done));
  }
}

// Each name is tried at each dollar sign.
const MAX_NAMES = 64;

type FoundToken = Pick<Token, "end" | "value" | "isArgument">;

class TokenReader {
  readonly #raw: string | undefined;
  readonly #words: readonly string[];
  readonly #names: readonly { readonly name: string; readonly index: number }[];
  readonly #variables: Substitution["variables"];

  constructor({ arguments: raw, names, variables }: Substitution) {
    this.#raw = raw;
    this.#words = raw === undefined ? [] : splitArguments(raw);
    // The longest first: with `file` and `file-name` declared, `$file-name` is the second.
    this.#names = names
      .slice(0, MAX_NAMES)
      .map((name, index) => ({ name, index }))
      .sort((one, other) => other.name.length - one.name.length);
    this.#variables = variables;
  }

  /** The token at a place, or undefined where there is none that has a meaning. */
  read(text: string, at: number): FoundToken | undefined {
    if (text.charAt(at) === "{") return this.#variable("baseDir", at + "{baseDir}".length);
    const braced = matchAt(BRACED, text, at + 1);
    if (braced !== undefined) return this.#readBraced(braced.slice(1, -1), at + 1 + braced.length);
    return this.#readDeclared(text, at + 1) ?? this.#readPosition(text, at) ?? this.#readArguments(text, at);
  }

  #readBraced(name: string, end: number): FoundToken | undefined {
    return name === "ARGUMENTS" ? this.#all(end) : this.#variable(name, end);
  }

  #readDeclared(text: string, start: number): FoundToken | undefined {
    const found = this.#names.find(
      ({ name }) => text.startsWith(name, start) && endsWord(text, start + name.length),
    );
    if (found === undefined) return undefined;
    const token = this.#word(start + found.name.length, found.index);
    // What was declared and not given is empty.
    return { ...token, value: token.value ?? "" };
  }

  #readPosition(text: string, at: number): FoundToken | undefined {
    const digits = matchAt(DIGITS, text, at + 1);
    if (digits === undefined || !endsWord(text, at + 1 + digits.length)) return undefined;
    return this.#word(at + 1 + digits.length, Number(digits));
  }

  #readArguments(text: string, at: number): FoundToken | undefined {
    const end = at + "$ARGUMENTS".length;
    if (!text.startsWith("$ARGUMENTS", at) || !endsWord(text, end)) return undefined;
    const index = matchAt(INDEX, text, end);
    return index === undefined ? this.#all(end) : this.#word(end + index.length, Number(index.slice(1, -1)));
  }

  #all(end: number): FoundToken {
    return { end, value: this.#raw ?? "", isArgument: this.#raw !== undefined };
  }

  #word(end: number, index: number): FoundToken {
    const value = this.#words[index];
    return value === undefined ? { end, isArgument: false } : { end, value, isArgument: true };
  }

  #variable(name: string, end: number): FoundToken | undefined {
    const value = Object.hasOwn(this.#variables, name) ? this.#variables[name] : undefined;
    return value === undefined ? undefined : { end, value, isArgument: false };
  }
}

const TOKEN = /\$|\{baseDir\}/g;
const BRACED = /\{[A-Za-z_][A-Za-z0-9_]{0,63}\}/y;
const DIGITS = /\d{1,6}/y;
const INDEX = /\[\d{1,6}\]/y;

function nextToken(text: string, from: number): RegExpExecArray | undefined {
  TOKEN.lastIndex = from;
  return TOKEN.exec(text) ?? undefined;
}

function matchAt(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}

function endsWord(text: string, at: number): boolean {
  return !/\w/.test(text.charAt(at));
}

function countBackslashes(text: string, at: number, from: number): number {
  let start = at;
  while (start > from && text.charAt(start - 1) === "\\") start--;
  return at - start;
}

/**
 * Splits an argument string as a shell would: blanks separate, quotes and backslashes keep together.
 *
 * A quote that is not closed reaches to the end: a person who types `it's` means one word.
 */
export function splitArguments(text: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote = "";
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at);
    if (character === "\\" && quote !== "'" && at + 1 < text.length) {
      const next = text.charAt(++at);
      // Inside double quotes a backslash is one, unless it stands before a character that it can quote.
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

// Longer arguments are refused: they are what somebody types behind a name.
const MAX_ARGUMENT_CHARACTERS = 64 * 1024;
// A longer text is refused: a short body can name long arguments again and again.
const MAX_RENDERED_CHARACTERS = 2 * 1024 * 1024;

/** Throws when arguments are too long to be filled in. */
export function checkArguments(text: string | undefined): void {
  if (text === undefined || text.length <= MAX_ARGUMENT_CHARACTERS) return;
  throw new SkilletError(
    "arguments-too-long",
    `The arguments have ${text.length} characters; a skill takes up to ${MAX_ARGUMENT_CHARACTERS}. Put long text into a file and pass its path.`,
    { data: { characters: text.length, limit: MAX_ARGUMENT_CHARACTERS } },
  );
}

/** Throws when a skill's text has grown too long. */
export function checkRendered(characters: number): void {
  if (characters <= MAX_RENDERED_CHARACTERS) return;
  throw new SkilletError(
    "rendered-too-long",
    `With its arguments filled in, the skill's text is longer than ${MAX_RENDERED_CHARACTERS} characters. Pass shorter arguments.`,
    { data: { limit: MAX_RENDERED_CHARACTERS } },
  );
}
