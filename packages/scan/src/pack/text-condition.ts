import { RE2JS, RE2JSSyntaxException } from "re2js";
import { type DataNode, entriesOf, scalarsOf } from "../analyse/data/data-node.ts";
import { foldText } from "../text/fold-text.ts";
import type { DiagnosticList } from "./diagnostic-list.ts";

/** Where a text meets a condition: offsets of one match, or of none where the condition only forbids. */
export type TextCondition = (text: string) => { readonly start: number; readonly end: number } | undefined;

/** What a condition is read with. */
export interface ConditionContext {
  readonly faults: DiagnosticList;
  readonly view: "raw" | "folded";
  /** Patterns that the pack may still have. */
  patternsLeft: number;
}

/** Reads `match`: a pattern, or `any`, `all` and `not` of others. Patterns run in time linear in the text, whatever they are. */
export function readCondition(
  node: DataNode,
  context: ConditionContext,
  place: { readonly start: number; readonly depth: number },
): TextCondition | undefined {
  const { faults } = context;
  const keys = entriesOf(node);
  const [entry] = keys;
  if (place.depth > MAX_CONDITION_DEPTH) {
    const message = `conditions stand more than ${MAX_CONDITION_DEPTH} deep inside one another`;
    faults.add("rule-match", entry?.keyStart ?? place.start, message, "make several rules of it");
    return undefined;
  }
  if (entry === undefined || keys.length !== 1) {
    faults.add("rule-match", ...oneKeyFault(node, place.start));
    return undefined;
  }
  const inside = { start: entry.keyStart, depth: place.depth + 1 };
  if (entry.key === "pattern") return readPattern(entry.value, context, entry.keyStart);
  if (entry.key === "not") return negate(readCondition(entry.value, context, inside));
  if ((entry.key === "any" || entry.key === "all") && entry.value.kind === "list") {
    const conditions = entry.value.items.map((item) => readCondition(item, context, inside));
    if (conditions.length === 0)
      faults.add("rule-match", entry.keyStart, `${entry.key} lists nothing`, "list conditions, or remove it");
    if (conditions.length === 0 || conditions.some((condition) => condition === undefined)) return undefined;
    const whole = conditions.filter((condition) => condition !== undefined);
    return entry.key === "any" ? anyOf(whole) : allOf(whole);
  }
  const isListed = entry.key === "any" || entry.key === "all";
  faults.add(
    "rule-match",
    entry.keyStart,
    isListed ? `${entry.key} needs a list` : `there is no condition "${entry.key.slice(0, 40)}"`,
    isListed
      ? `write \`${entry.key}: [{ pattern: 'a' }, { pattern: 'b' }]\``
      : "use pattern, any, all or not",
  );
  return undefined;
}

function oneKeyFault(node: DataNode, start: number): [offset: number, message: string, hint: string] {
  const [, second] = entriesOf(node);
  if (second === undefined)
    return [
      node.kind === "scalar" ? node.start : start,
      "there is no condition here",
      "write for example `{ pattern: 'curl' }`",
    ];
  return [
    second.keyStart,
    `a condition has one key, and this is a second: "${second.key.slice(0, 40)}"`,
    "put both into a list: `all: [{ pattern: 'a' }, { pattern: 'b' }]`, or `any:`",
  ];
}

const MAX_CONDITION_DEPTH = 8;
const MAX_PATTERN_CHARACTERS = 1_000;

function readPattern(node: DataNode, context: ConditionContext, start: number): TextCondition | undefined {
  const pattern = scalarsOf(node)[0]?.text ?? "";
  const { faults, view } = context;
  if (pattern === "" || pattern.length > MAX_PATTERN_CHARACTERS) {
    const message = pattern === "" ? "the pattern is empty" : `the pattern has ${pattern.length} characters`;
    faults.add(
      "rule-pattern",
      start,
      message,
      `write 1 to ${MAX_PATTERN_CHARACTERS} characters; join several with \`any\``,
    );
    return undefined;
  }
  if (--context.patternsLeft < 0) {
    faults.add("rule-pattern", start, "the pack has too many patterns", "split the pack");
    return undefined;
  }
  const compiled = compile(pattern, view);
  if (typeof compiled === "string") {
    faults.add(
      "rule-pattern",
      start,
      `the pattern cannot be used: ${compiled}`,
      /\(\?<?[=!]|\\[1-9]/.test(pattern)
        ? "look-around and back-references are not possible: use `all` and `not`"
        : "write a regular expression of RE2, in single quotes so that YAML leaves backslashes alone",
    );
    return undefined;
  }
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

/** The place of the first one that has any. */
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

/** A text as a view shows it. */
export function viewText(text: string, view: "raw" | "folded"): string {
  return view === "folded" ? foldText(text) : text;
}
