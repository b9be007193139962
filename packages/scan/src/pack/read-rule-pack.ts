import type { Diagnostic } from "@skillet/kit/diagnostics";
import {
  array,
  filledText,
  matching,
  object,
  oneOf,
  optional,
  type Reading,
  refine,
  type Schema,
} from "@skillet/kit/schema";
import { LANGUAGES } from "../analyse/analyser-for.ts";
import type { Analyser } from "../analyse/fact-writer.ts";
import { type Fact, placeIn } from "../fact/fact.ts";
import type { Language } from "../file/file-kind.ts";
import type { FindingSeverity, Rule } from "../finding/finding.ts";
import { LineIndex, MEDIA, type Medium, type SourceText } from "../text/source-text.ts";
import { readUserList, trimmedText } from "./read-user-list.ts";
import { type PatternBudget, readCondition, type TextCondition, viewText } from "./text-condition.ts";

/** A user's own rules: `analyse` reads every text of a skill, `rules` turn the facts into findings. */
export interface RulePack {
  readonly rules: readonly Rule[];
  readonly analyse: Analyser;
  /** For each rule that has tests, the first text that it finds. */
  readonly examples: ReadonlyMap<string, string>;
  /** If there is an error, the faulty rule is left out, and the pack should not be used. */
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Reads a rule pack: YAML with a list `rules`. Each rule is tested with its own examples.
 *
 * @example
 * const { rules, analyse, diagnostics } = readRulePack(text, { file: "rules.yaml", reservedIds });
 */
export function readRulePack(
  text: string,
  options: { readonly file: string; readonly reservedIds: ReadonlySet<string> },
): RulePack {
  const budget = { patternsLeft: MAX_PATTERNS };
  const taken = new Set(options.reservedIds);
  const { items, diagnostics } = readUserList(text, options.file, {
    key: "rules",
    itemHint: "each entry with id, title, severity and match",
    codes: {
      tooLarge: "rule-pack-too-large",
      invalid: "rule-pack-invalid",
      field: "rule-field",
      unknownKey: "rule-unknown-key",
    },
    maxItems: MAX_RULES,
    item: () => packRuleSchema(taken, budget),
  });
  return {
    rules: items.map(({ rule }) => rule),
    analyse: createPackAnalyser(items),
    examples: new Map(
      items.flatMap(({ rule, example }) => (example === undefined ? [] : [[rule.id, example]])),
    ),
    diagnostics,
  };
}

const MAX_RULES = 200;
const MAX_PATTERNS = 500;

function createPackAnalyser(rules: readonly PackRule[]): Analyser {
  return (source) => {
    const facts: Fact[] = [];
    let folded: string | undefined;
    for (const rule of rules) {
      if (!isLookedAt(rule, source)) continue;
      if (rule.view === "folded") folded ??= viewText(source.text, "folded");
      const text = rule.view === "folded" && folded !== undefined ? folded : source.text;
      const match = rule.condition(text);
      if (match !== undefined) facts.push(createFact(rule, source, text, match));
    }
    return { facts, texts: [] };
  };
}

function isLookedAt({ languages, media }: PackRule, { language, medium }: SourceText): boolean {
  return (languages.size === 0 || languages.has(language)) && (media.size === 0 || media.has(medium));
}

// Folding keeps lines, but not columns, so the line is counted in the text that matched.
function createFact(
  { rule }: PackRule,
  source: SourceText,
  text: string,
  { start, end }: { readonly start: number; readonly end: number },
): Fact {
  const [words = ""] = text.slice(start, Math.max(end, start + 80)).split("\n", 1);
  const line = new LineIndex({ ...source, text }).at(start);
  return { kind: "match", rule: rule.id, ...placeIn(source, line, words) };
}

interface PackRule {
  readonly rule: Rule;
  readonly condition: TextCondition;
  readonly view: "raw" | "folded";
  readonly languages: ReadonlySet<Language>;
  readonly media: ReadonlySet<Medium>;
  readonly example?: string;
}

interface WrittenRule {
  readonly id: string;
  readonly title: string;
  readonly severity: FindingSeverity;
  readonly category?: string;
  readonly languages?: readonly Language[];
  readonly media?: readonly Medium[];
  readonly view?: PackRule["view"];
  readonly match?: unknown;
  readonly message?: string;
  readonly remedy?: string;
  readonly tests?: { readonly positive?: readonly string[]; readonly negative?: readonly string[] };
}

/** The schema of one rule, tested with its own examples. `taken` are the ids in use, and grows. */
function packRuleSchema(taken: Set<string>, budget: PatternBudget): Schema<PackRule> {
  return refine(writtenRule, (written, reading) => {
    const { id, title, severity, view = "folded", match, tests = {} } = written;
    if (taken.has(id))
      return reading.faultAt("id", `is ${id}, which is already a rule`, {
        code: "rule-id-taken",
        hint: "give the rule an id of its own, such as ACME-1",
      });
    taken.add(id);
    if (match === undefined)
      return reading.fault("has no `match`", {
        kind: "missing",
        code: "rule-match",
        hint: "add for example `match: { pattern: 'curl' }`",
      });
    const condition = reading.inside("match", readCondition({ view, budget, depth: 0 }), match);
    if (condition === undefined) return undefined;
    const [example] = tests.positive ?? [];
    const message = written.message ?? `${title}.`;
    const rule: PackRule = {
      rule: createRule({ id, title, severity, message, remedy: written.remedy }),
      condition,
      view,
      languages: new Set(written.languages),
      media: new Set(written.media),
      ...(example !== undefined && { example }),
    };
    return passesTests(rule, tests, reading) ? rule : undefined;
  });
}

const writtenRule: Schema<WrittenRule> = object<WrittenRule>(
  {
    id: matching(
      /^[A-Z][A-Z0-9_-]{1,31}$/,
      "an id",
      "write 2 to 32 of A-Z, 0-9, - and _, a letter first, such as ACME-1",
    ),
    title: trimmedText,
    severity: oneOf(["info", "warn", "critical"]),
    category: optional(trimmedText),
    languages: optional(oneOrMore(oneOf(LANGUAGES))),
    media: optional(oneOrMore(oneOf(MEDIA))),
    view: optional(oneOf(["folded", "raw"])),
    match: optional((value) => value),
    message: optional(trimmedText),
    remedy: optional(trimmedText),
    tests: optional(
      object<NonNullable<WrittenRule["tests"]>>({
        positive: optional(oneOrMore(filledText)),
        negative: optional(oneOrMore(filledText)),
      }),
    ),
  },
  { unknown: "report", hint: "write `- id: ACME-1`, and its other keys below" },
);

function oneOrMore<Value>(item: Schema<Value>): Schema<readonly Value[]> {
  const list = array(item);
  return (value, reading) => list(Array.isArray(value) ? value : [value], reading);
}

function createRule(written: {
  readonly id: string;
  readonly title: string;
  readonly severity: FindingSeverity;
  readonly message: string;
  readonly remedy: string | undefined;
}): Rule {
  const { id, title, severity, message, remedy = "Ask the author of the rule pack." } = written;
  return {
    ...{ id, title, category: "custom", severity, explanation: message, remedy, owasp: [] },
    find: (facts) =>
      facts
        .of("match")
        .filter((fact) => fact.rule === id)
        .map((place) => ({ severity, place, message })),
  };
}

function passesTests(rule: PackRule, tests: NonNullable<WrittenRule["tests"]>, reading: Reading): boolean {
  const { positive = [], negative = [] } = tests;
  const matches = (text: string): boolean => rule.condition(viewText(text, rule.view)) !== undefined;
  const missed = positive.findIndex((text) => !matches(text));
  const hit = missed === -1 ? negative.findIndex(matches) : -1;
  if (missed === -1 && hit === -1) return true;
  const { id } = rule.rule;
  const isMissed = missed !== -1;
  const message = isMissed
    ? `must match, but ${id} does not match it`
    : `must not match, but ${id} matches it`;
  const view = rule.view === "folded" ? "; patterns see text folded unless `view: raw`" : "";
  const told = { code: "rule-test-failed", hint: `correct the pattern or the example${view}` };
  const list: Schema<undefined> = (_, inner) => inner.faultAt(isMissed ? missed : hit, message, told);
  const kind: Schema<undefined> = (_, inner) =>
    inner.inside(isMissed ? "positive" : "negative", list, undefined);
  reading.inside("tests", kind, undefined);
  return false;
}
