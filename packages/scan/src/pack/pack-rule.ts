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
import type { Language } from "../file/file-kind.ts";
import type { FindingSeverity } from "../finding/finding.ts";
import type { Rule } from "../finding/rule.ts";
import { MEDIA, type Medium } from "../text/source-text.ts";
import { trimmedText } from "./read-user-list.ts";
import { type PatternBudget, readCondition, type TextCondition, viewText } from "./text-condition.ts";

export interface PackRule {
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

/** The schema of one rule; its own examples are tried on it. `taken` are ids in use, and grows. */
export function packRuleSchema(taken: Set<string>, budget: PatternBudget): Schema<PackRule> {
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
