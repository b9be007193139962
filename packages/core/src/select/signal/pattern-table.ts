import { loadRe2 } from "./load-re2.ts";

/** No more patterns are tried on one message: each is linear in it, but a library may declare any number. */
const MAX_PATTERNS = 500;

/** A pattern and the skill whose author declared it. */
export interface PlacedPattern {
  readonly place: number;
  readonly skill: number;
  readonly source: string;
}

/** The declared patterns of a library, in an engine that is linear in the text whatever the pattern. */
export class PatternTable {
  readonly #patterns: readonly PlacedPattern[];
  readonly #compiled = new Map<string, ((text: string) => boolean) | undefined>();

  constructor(patterns: readonly PlacedPattern[]) {
    this.#patterns = patterns.slice(0, MAX_PATTERNS);
  }

  /** Those that match somewhere in a text. */
  match(text: string): readonly PlacedPattern[] {
    return this.#patterns.filter(({ source }) => this.#compile(source)?.(text) ?? false);
  }

  #compile(source: string): ((text: string) => boolean) | undefined {
    if (this.#compiled.has(source)) return this.#compiled.get(source);
    const test = compile(source);
    this.#compiled.set(source, test);
    return test;
  }
}

/** Undefined for what the engine does not read, such as a lookahead: such a pattern never matches. */
function compile(source: string): ((text: string) => boolean) | undefined {
  const { RE2JS, RE2JSException } = loadRe2();
  try {
    const pattern = RE2JS.compile(source, RE2JS.CASE_INSENSITIVE);
    return (text) => pattern.matcher(text).find();
  } catch (error) {
    if (error instanceof RE2JSException) return undefined;
    throw error;
  }
}
