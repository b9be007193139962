import type { Diagnostic } from "@skillet/kit/diagnostics";
import { compareByteOrder } from "@skillet/kit/order";
import type { SelectableSkill } from "../selectable-skill.ts";
import { MAX_PATTERN_CHARACTERS, MAX_PATTERNS_OF_SKILL, readablePatterns } from "../text/describe-skill.ts";
import { loadRe2 } from "../text/load-re2.ts";

/** No larger pattern is tried: every instruction may have to look at every character. */
export const MAX_PATTERN_INSTRUCTIONS = 200;

/** Of all patterns of a library together: instructions, and instructions times characters of a message. */
export const MAX_INSTRUCTIONS = 5_000;
const MAX_WORK = 1_000_000;

/** So much of a message is compared with patterns, less where there are many; people ask before they paste. */
const MAX_CHARACTERS = 1_000;

type PatternVerdict = "tried" | "unreadable" | "costly" | "catch-all";

/** The declared patterns of a library, in an engine that is linear in the text whatever the pattern. */
export class PatternTable {
  /** Those that are tried, as far as they can be read and say anything. */
  readonly kept: readonly PlacedPattern[];
  readonly #compiled = new Map<string, CompiledPattern>();
  readonly #characters: number;

  constructor(patterns: readonly PlacedPattern[]) {
    const costs = new Map(patterns.map(({ source }) => [source, estimateInstructions(source)]));
    const costOf = (source: string): number => costs.get(source) ?? 0;
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

  /** Which of a skill's declared patterns can never call it, and why. */
  diagnose(skill: SelectableSkill, number: number): readonly Diagnostic[] {
    const declared = skill.manifest.triggers.patterns;
    // A pattern that was left out because of the budget is not compiled just to find out more about it.
    const kept = new Set(this.kept.flatMap((one) => (one.skill === number ? one.source : [])));
    const judged = readablePatterns(skill).filter((source) => kept.has(source) || isCostly(source));
    const left = declared.filter((source) => !judged.includes(source)).length;
    return [
      ...[...new Set(judged)].flatMap((source) => {
        const { verdict } = this.#compile(source);
        return verdict === "tried" ? [] : describe(skill, source, REFUSED[verdict]);
      }),
      ...(left === 0 ? [] : [describeLimit(skill, left)]),
    ];
  }

  #compile(source: string): CompiledPattern {
    const known = this.#compiled.get(source);
    if (known !== undefined) return known;
    // Found before it is compiled: that alone would take as long as a hundred messages.
    const compiled: CompiledPattern = isCostly(source) ? { verdict: "costly" } : compile(source);
    this.#compiled.set(source, compiled);
    return compiled;
  }
}

function isCostly(source: string): boolean {
  return estimateInstructions(source) > MAX_PATTERN_INSTRUCTIONS;
}

interface CompiledPattern {
  readonly verdict: PatternVerdict;
  /** Absent for what never matches. */
  readonly test?: (text: string) => boolean;
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

/** Whether a pattern matches messages that are about nothing, and would therefore match nearly everything. */
function isCatchAll(matches: (text: string) => boolean): boolean {
  if (matches("")) return true;
  return NEUTRAL.filter(matches).length > MAX_NEUTRAL;
}

// A skill may be about greetings, thanks or figures: a pattern for these matches one or two.
const MAX_NEUTRAL = 2;

// Of every length, in several scripts, with and without capitals, digits and marks; about nothing.
const NEUTRAL = [
  "ok",
  "yes",
  "Thanks, that is all.",
  "Hello there!",
  "what do you mean?",
  "12:30",
  "Please go on with it.",
  "no - not like this\ntry again",
  "How did it go, and what is left for us to do now?",
  "I see. Let us do the same for all of them, one after the other.",
  "Could you say that again in more words, with a short reason, and without the parts that I know?",
  "I would like to go on where we stopped yesterday, but first tell me how it went, because I was not here and nobody else could say much about it either.",
  "My idea was another one: you make a start, I have a look, then we change what I want to see in it.\n\nCan you do that? If so, use what is there, and help me with the rest when I need it!",
  "はい、お願いします",
  "Да, спасибо, это всё",
  "sí, así está bien, gracias",
];

/**
 * Counted repeats are written out by the engine: `.{0,999}` has eight characters, two thousand instructions,
 * and is compared with every character of a message by all of them.
 */
export function estimateInstructions(source: string): number {
  // Of each group: all that stands in it so far, and what a repeat that follows would repeat.
  const outer: { sum: number; last: number }[] = [];
  let group = { sum: 3, last: 0 };
  const add = (size: number): void => {
    group = { sum: group.sum + size, last: size };
  };
  for (const { groups: { flags, open, close, repeat, quoted } = {} } of source.matchAll(PIECE)) {
    if (open !== undefined) {
      outer.push(group);
      group = { sum: 3, last: 0 };
    } else if (close !== undefined) {
      const { sum } = group;
      group = outer.pop() ?? { sum: 3, last: 0 };
      add(sum);
    } else if (repeat !== undefined) {
      const [least = 1, most = least] = (repeat.match(/\d+/g) ?? []).map(Number);
      // Every copy that may be left out has a fork before it.
      const size = group.last * Math.max(1, least, most) + Math.max(1, most - least);
      group = { sum: group.sum + size - group.last, last: size };
    } else if (quoted !== undefined) {
      if (quoted !== "") add(quoted.length);
    } else if (flags === undefined) add(1);
  }
  return outer.reduce((sum, { sum: more }) => sum + more, group.sum);
}

const PIECE =
  /(?<flags>\(\?[a-zA-Z-]*\))|(?<open>\((?:\?P?<\w*>|\?[a-zA-Z-]*:)?)|(?<close>\))|(?<repeat>[*+?]|\{\d+(?:,\d*)?\})|\\Q(?<quoted>.*?)(?:\\E|$)|\\[pPx](?:\{[^}]*\})?|\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|./gs;

export interface PlacedPattern {
  readonly source: string;
  readonly skill: number;
  readonly owner: string;
  /** Who brought the skill: one plugin, or all skills of one origin. */
  readonly bringer: string;
}

/**
 * The patterns that fit a budget: those who bring skills take turns, in each the skills of one do, and what has cost
 * less so far comes first.
 *
 * One plugin with a thousand skills takes no place from another, one skill with a thousand patterns none from those that
 * have one, and nothing depends on who was indexed first.
 */
export function chooseFairly(
  patterns: readonly PlacedPattern[],
  { costOf, budget }: { readonly costOf: (source: string) => number; readonly budget: number },
): readonly PlacedPattern[] {
  const ofSkills = takeTurns(patterns, { turnOf: ({ owner }) => owner, costOf });
  const ofBringers = takeTurns(ofSkills, { turnOf: ({ bringer }) => bringer, costOf });
  const chosen: PlacedPattern[] = [];
  let spent = 0;
  for (const pattern of ofBringers) {
    spent += costOf(pattern.source);
    if (spent > budget) break;
    chosen.push(pattern);
  }
  return chosen;
}

/** Sorts by what each has cost up to and with this pattern; each one's own patterns stay in order. */
function takeTurns(
  patterns: readonly PlacedPattern[],
  by: { readonly turnOf: (pattern: PlacedPattern) => string; readonly costOf: (source: string) => number },
): readonly PlacedPattern[] {
  const spent = new Map<string, number>();
  return patterns
    .map((pattern) => {
      const turn = by.turnOf(pattern);
      const cost = (spent.get(turn) ?? 0) + by.costOf(pattern.source);
      spent.set(turn, cost);
      return { pattern, turn, cost };
    })
    .sort(
      (left, right) =>
        left.cost - right.cost ||
        compareByteOrder(left.turn, right.turn) ||
        compareByteOrder(left.pattern.owner, right.pattern.owner),
    )
    .map(({ pattern }) => pattern);
}

function describeLimit({ path, qualifiedName, manifest }: SelectableSkill, left: number): Diagnostic {
  return {
    code: "trigger-pattern-limit",
    severity: "warning",
    message: `${left} of the ${manifest.triggers.patterns.length} trigger patterns of ${qualifiedName} are not tried: a pattern has at most ${MAX_PATTERN_CHARACTERS} characters, a skill ${MAX_PATTERNS_OF_SKILL} patterns, and those of all skills together ${MAX_INSTRUCTIONS} instructions, which plugins and skills share in turns.`,
    file: path,
    hint: "Put the patterns that matter most first, make them shorter, or use keywords.",
  };
}

interface Refusal {
  readonly code: string;
  readonly because: string;
  readonly hint: string;
}

const REFUSED: Readonly<Record<Exclude<PatternVerdict, "tried">, Refusal>> = {
  unreadable: {
    code: "trigger-pattern-unreadable",
    because: "is not a regular expression of RE2, so it never matches",
    hint: "Write it without look-around and back-references, and escape what stands for itself.",
  },
  costly: {
    code: "trigger-pattern-costly",
    because: `comes to more than ${MAX_PATTERN_INSTRUCTIONS} instructions with its repeats written out, so it is not tried`,
    hint: "Use * or + for large counted repeats, or leave the repeat out: a pattern may match anywhere in a message.",
  },
  "catch-all": {
    code: "trigger-pattern-catch-all",
    because: "matches messages about nothing, such as thanks and greetings, so it is not tried",
    hint: "Name what the skill is about: a ticket number, a command, a phrase.",
  },
};

function describe(skill: SelectableSkill, source: string, { code, because, hint }: Refusal): Diagnostic {
  const isLong = source.length > MAX_SHOWN_CHARACTERS;
  const shown = isLong ? `${source.slice(0, MAX_SHOWN_CHARACTERS - 1)}…` : source;
  const message = `The trigger pattern ${JSON.stringify(shown)} of ${skill.qualifiedName} ${because}.`;
  return { code, severity: "warning", message, file: skill.path, hint };
}

const MAX_SHOWN_CHARACTERS = 80;
