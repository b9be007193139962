import { chooseFairly, type PlacedPattern } from "./choose-fairly.ts";
import { estimateInstructions } from "./estimate-instructions.ts";
import { isCatchAll } from "./is-catch-all.ts";
import { loadRe2 } from "./load-re2.ts";

/** No larger pattern is tried: every instruction may have to look at every character. */
export const MAX_PATTERN_INSTRUCTIONS = 200;

/** Of all patterns of a library together: instructions, and instructions times characters of a message. */
export const MAX_INSTRUCTIONS = 5_000;
const MAX_WORK = 1_000_000;

/** So much of a message is compared with patterns, less where there are many; people ask before they paste. */
const MAX_CHARACTERS = 1_000;

/** What becomes of a pattern: it is tried, or why not. */
export type PatternVerdict = "tried" | "unreadable" | "costly" | "catch-all";

/** The declared patterns of a library, in an engine that is linear in the text whatever the pattern. */
export class PatternTable {
  /** Those that are tried, as far as they can be read and say anything. */
  readonly kept: readonly PlacedPattern[];
  readonly #compiled = new Map<string, CompiledPattern>();
  readonly #characters: number;

  constructor(patterns: readonly PlacedPattern[]) {
    const costOf = costs();
    const small = patterns.filter(({ source }) => costOf(source) <= MAX_PATTERN_INSTRUCTIONS);
    this.kept = chooseFairly(small, { costOf, budget: MAX_INSTRUCTIONS });
    const sum = this.kept.reduce((total, { source }) => total + costOf(source), 1);
    this.#characters = Math.min(MAX_CHARACTERS, Math.floor(MAX_WORK / sum));
  }

  /** Those that match somewhere at the beginning of a text. */
  match(text: string): readonly PlacedPattern[] {
    if (this.kept.length === 0) return [];
    const start = text.slice(0, this.#characters);
    return this.kept.filter(({ source }) => this.#compile(source).test?.(start) ?? false);
  }

  /** Whether a pattern is too large to be tried; found without compiling it. */
  isCostly(source: string): boolean {
    return estimateInstructions(source) > MAX_PATTERN_INSTRUCTIONS;
  }

  verdictOf(source: string): PatternVerdict {
    return this.#compile(source).verdict;
  }

  #compile(source: string): CompiledPattern {
    const known = this.#compiled.get(source);
    if (known !== undefined) return known;
    // Found before it is compiled: that alone would take as long as a hundred messages.
    const compiled: CompiledPattern = this.isCostly(source) ? { verdict: "costly" } : compile(source);
    this.#compiled.set(source, compiled);
    return compiled;
  }
}

interface CompiledPattern {
  readonly verdict: PatternVerdict;
  /** Absent for what never matches. */
  readonly test?: (text: string) => boolean;
}

function costs(): (source: string) => number {
  const known = new Map<string, number>();
  return (source) => {
    const cost = known.get(source) ?? estimateInstructions(source);
    known.set(source, cost);
    return cost;
  };
}

function compile(source: string): CompiledPattern {
  const { RE2JS, RE2JSException } = loadRe2();
  try {
    const pattern = RE2JS.compile(source, RE2JS.CASE_INSENSITIVE);
    if (pattern.programSize() > MAX_PATTERN_INSTRUCTIONS) return { verdict: "costly" };
    // Not the engine's `test`: that keeps up to eight megabytes of each pattern.
    const test = (text: string): boolean => pattern.matcher(text).find();
    return isCatchAll(test) ? { verdict: "catch-all" } : { verdict: "tried", test };
  } catch (error) {
    if (error instanceof RE2JSException) return { verdict: "unreadable" };
    throw error;
  }
}
