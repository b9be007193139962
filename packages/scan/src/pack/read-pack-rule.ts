import { type DataNode, entriesOf, scalarsOf, valueAt } from "../analyse/data/data-node.ts";
import type { FindingSeverity } from "../finding/finding.ts";
import type { Rule } from "../rule/rule.ts";
import type { DiagnosticList } from "./diagnostic-list.ts";
import type { PackRule } from "./pack-rule.ts";
import { LANGUAGES, MEDIA } from "./pack-vocabulary.ts";
import { type ConditionContext, readCondition, viewText } from "./text-condition.ts";

/** What all rules of a pack share while they are read. */
export interface PackContext {
  readonly faults: DiagnosticList;
  /** Ids that are in use; grows. */
  readonly taken: Set<string>;
  readonly budget: { patternsLeft: number };
}

/** Reads one rule of a pack; undefined where it has a fault, which is then told. */
export function readPackRule(node: DataNode, { faults, taken, budget }: PackContext): PackRule | undefined {
  const start = entriesOf(node)[0]?.keyStart ?? 0;
  const field = (key: string): string => (scalarsOf(valueAt(node, key))[0]?.text ?? "").trim();
  for (const { key, keyStart } of entriesOf(node)) {
    if (!KEYS.has(key)) faults.warn("rule-unknown-key", keyStart, `there is no key "${key}"`);
  }
  const id = field("id");
  if (!/^[A-Z][A-Z0-9_-]{1,31}$/.test(id)) {
    faults.add(
      "rule-field",
      start,
      `"${id.slice(0, 40)}" is no id`,
      "write 2 to 32 of A-Z, 0-9, - and _, a letter first",
    );
    return undefined;
  }
  if (taken.has(id)) {
    faults.add(
      "rule-id-taken",
      start,
      `${id} is a rule already`,
      "give the rule an id of its own, such as ACME-1",
    );
    return undefined;
  }
  taken.add(id);
  const severity = field("severity");
  const title = field("title");
  const view = field("view") === "" ? "folded" : field("view");
  const languages = readNames(node, "languages", LANGUAGES, faults);
  const media = readNames(node, "media", MEDIA, faults);
  if (
    !isSeverity(severity) ||
    title === "" ||
    !isView(view) ||
    languages === undefined ||
    media === undefined
  ) {
    faults.add(
      "rule-field",
      start,
      `${id} needs a title, a severity and, if any, known languages, media and view`,
      "severity is info, warn or critical; view is raw or folded",
    );
    return undefined;
  }
  const context: ConditionContext = { faults, view, patternsLeft: budget.patternsLeft };
  const match = valueAt(node, "match") ?? { kind: "map" as const, entries: [] };
  const condition = readCondition(match, context, { start, depth: 0 });
  budget.patternsLeft = context.patternsLeft;
  if (condition === undefined) return undefined;
  const message = field("message") === "" ? `${title}.` : field("message");
  const packRule: PackRule = {
    rule: createRule(id, title, severity, message, field("remedy")),
    condition,
    view,
    languages,
    media,
  };
  return passesTests(packRule, node, faults) ? packRule : undefined;
}

const KEYS: ReadonlySet<string> = new Set(
  "id title severity category languages media view match message remedy tests".split(" "),
);

function readNames<Name extends string>(
  node: DataNode,
  key: string,
  known: ReadonlySet<Name>,
  faults: DiagnosticList,
): ReadonlySet<Name> | undefined {
  const names = new Set<Name>();
  for (const { text, start } of scalarsOf(valueAt(node, key))) {
    const name = text as Name;
    if (!known.has(name)) {
      faults.add(
        "rule-field",
        start,
        `there is no "${text.slice(0, 40)}" among ${key}`,
        `use one of ${[...known].join(", ")}`,
      );
      return undefined;
    }
    names.add(name);
  }
  return names;
}

function isSeverity(text: string): text is FindingSeverity {
  return text === "info" || text === "warn" || text === "critical";
}

function isView(text: string): text is "raw" | "folded" {
  return text === "raw" || text === "folded";
}

function createRule(
  id: string,
  title: string,
  severity: FindingSeverity,
  message: string,
  remedy: string,
): Rule {
  return {
    id,
    title,
    category: "custom",
    severity,
    explanation: message,
    remedy: remedy === "" ? "See whoever wrote the rule pack." : remedy,
    owasp: [],
    find: (facts) =>
      facts
        .of("match")
        .filter((fact) => fact.rule === id)
        .map((place) => ({ severity, place, message })),
  };
}

function passesTests(rule: PackRule, node: DataNode, faults: DiagnosticList): boolean {
  const positive = scalarsOf(valueAt(node, "tests", "positive"));
  const negative = scalarsOf(valueAt(node, "tests", "negative"));
  const matches = (text: string): boolean => rule.condition(viewText(text, rule.view)) !== undefined;
  const failed = positive.find(({ text }) => !matches(text)) ?? negative.find(({ text }) => matches(text));
  if (failed === undefined) return true;
  faults.add(
    "rule-test-failed",
    failed.start,
    `${rule.rule.id} ${positive.includes(failed) ? "does not match" : "matches"} its own example`,
    "correct the pattern or the example",
  );
  return false;
}
