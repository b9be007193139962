import { isJsonObject } from "@skillet/kit/json";
import type { Reading, Schema } from "@skillet/kit/schema";
import { RE2JS, RE2JSSyntaxException } from "re2js";
import { foldText } from "../text/fold-text.ts";

/** Where a text meets a condition: offsets of a match, or an empty range if it only forbids. */
export type TextCondition = (text: string) => { readonly start: number; readonly end: number } | undefined;

export interface PatternBudget {
  patternsLeft: number;
}

interface ConditionContext {
  readonly budget: PatternBudget;
  readonly view: "raw" | "folded";
  readonly depth: number;
}

const MAX_CONDITION_DEPTH = 8;
const MAX_PATTERN_CHARACTERS = 1_000;
const MATCH = { code: "rule-match", part: "key" } as const;

/** Reads `match`: a pattern, or `any`, `all` and `not` of others. Every pattern runs in time linear in the text. */
export function readCondition(context: ConditionContext): Schema<TextCondition> {
  return (value, reading) => {
    if (context.depth > MAX_CONDITION_DEPTH)
      return reading.fault(`nests more than ${MAX_CONDITION_DEPTH} conditions`, {
        ...MATCH,
        hint: "make several rules of it",
      });
    const entries = isJsonObject(value) ? Object.entries(value) : [];
    const [[key, item] = [], second] = entries;
    if (key === undefined)
      return reading.fault("has no condition", {
        code: "rule-match",
        hint: "write for example `{ pattern: 'curl' }`",
      });
    if (second !== undefined)
      return reading.faultAt(second[0], "is a second key, and a condition has one", {
        ...MATCH,
        hint: "put both into a list: `all: [{ pattern: 'a' }, { pattern: 'b' }]`, or `any:`",
      });
    return reading.inside(key, conditionOf(key, context), item);
  };
}

function conditionOf(key: string, context: ConditionContext): Schema<TextCondition> {
  const inner = readCondition({ ...context, depth: context.depth + 1 });
  if (key === "pattern") return (value, reading) => readPattern(value, reading, context);
  if (key === "not") return (value, reading) => negate(inner(value, reading));
  if (key === "any" || key === "all") return (value, reading) => readList(value, reading, { key, inner });
  return (_, reading) =>
    reading.fault("is not a condition", { ...MATCH, hint: "use pattern, any, all or not" });
}

function readList(
  value: unknown,
  reading: Reading,
  { key, inner }: { readonly key: "any" | "all"; readonly inner: Schema<TextCondition> },
): TextCondition | undefined {
  const hint = `write \`${key}: [{ pattern: 'a' }, { pattern: 'b' }]\``;
  if (!Array.isArray(value)) return reading.fault("needs a list", { ...MATCH, hint });
  if (value.length === 0) return reading.fault("lists nothing", { ...MATCH, hint });
  const conditions = value.map((item, index) => reading.inside(index, inner, item));
  const whole = conditions.filter((condition) => condition !== undefined);
  if (whole.length < conditions.length) return undefined;
  return key === "any" ? anyOf(whole) : allOf(whole);
}

function readPattern(
  pattern: unknown,
  reading: Reading,
  { view, budget }: ConditionContext,
): TextCondition | undefined {
  const refuse = (clause: string, hint: string): undefined =>
    reading.fault(clause, { code: "rule-pattern", part: "key", hint });
  if (typeof pattern !== "string" || pattern.length > MAX_PATTERN_CHARACTERS)
    return refuse(
      `must be text of 1 to ${MAX_PATTERN_CHARACTERS} characters`,
      "shorten it; join several with `any`",
    );
  budget.patternsLeft -= 1;
  if (budget.patternsLeft < 0) return refuse("is one pattern too many for a pack", "split the pack");
  const compiled = compile(pattern, view);
  if (typeof compiled === "string")
    return refuse(
      `cannot be used: ${compiled}`,
      /\(\?<?[=!]|\\[1-9]/.test(pattern)
        ? "look-around and back-references are not possible: use `all` and `not`"
        : "write a regular expression of RE2, in single quotes so that YAML leaves backslashes alone",
    );
  return (text) => {
    const matcher = compiled.matcher(text);
    return matcher.find() ? { start: matcher.start(), end: matcher.end() } : undefined;
  };
}

function compile(pattern: string, view: "raw" | "folded"): RE2JS | string {
  try {
    return RE2JS.compile(
      pattern,
      view === "folded" ? RE2JS.CASE_INSENSITIVE | RE2JS.MULTILINE : RE2JS.MULTILINE,
    );
  } catch (error) {
    if (error instanceof RE2JSSyntaxException) return error.message;
    throw error;
  }
}

function negate(condition: TextCondition | undefined): TextCondition | undefined {
  if (condition === undefined) return undefined;
  return (text) => (condition(text) === undefined ? { start: 0, end: 0 } : undefined);
}

function anyOf(conditions: readonly TextCondition[]): TextCondition {
  return (text) => {
    for (const condition of conditions) {
      const match = condition(text);
      if (match !== undefined) return match;
    }
    return undefined;
  };
}

function allOf(conditions: readonly TextCondition[]): TextCondition {
  return (text) => {
    let place: ReturnType<TextCondition>;
    for (const condition of conditions) {
      const match = condition(text);
      if (match === undefined) return undefined;
      if (place === undefined || place.end === 0) place = match;
    }
    return place;
  };
}

export function viewText(text: string, view: "raw" | "folded"): string {
  return view === "folded" ? foldText(text) : text;
}
