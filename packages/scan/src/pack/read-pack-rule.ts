import { type DataNode, type DataScalar, entriesOf, scalarsOf, valueAt } from "../analyse/data/data-node.ts";
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
export function readPackRule(node: DataNode, context: PackContext): PackRule | undefined {
  const { faults, budget } = context;
  const start = startOf(node);
  if (node.kind !== "map") {
    faults.add(
      "rule-field",
      start,
      "a rule is a map of keys",
      "write `- id: ACME-1`, and its other keys below",
    );
    return undefined;
  }
  for (const { key, keyStart } of node.entries) {
    if (!KEYS.has(key))
      faults.warn(
        "rule-unknown-key",
        keyStart,
        `there is no key "${key.slice(0, 40)}", so it has no effect`,
        `a rule has ${[...KEYS].join(", ")}`,
      );
  }
  const id = readId(node, context);
  if (id === undefined) return undefined;
  const title = fieldOf(node, "title").text;
  if (title === "")
    faults.add("rule-field", start, `${id} has no title`, "add `title:` and what it finds, in a few words");
  const severity = readChoice(node, { key: "severity", choices: SEVERITIES, id }, faults);
  const view = readChoice(node, { key: "view", choices: VIEWS, id, otherwise: "folded" }, faults);
  const languages = readNames(node, "languages", LANGUAGES, faults);
  const media = readNames(node, "media", MEDIA, faults);
  if (title === "" || !severity || !view || !languages || !media) return undefined;
  const conditions: ConditionContext = { faults, view, patternsLeft: budget.patternsLeft };
  const match = valueAt(node, "match");
  if (match === undefined) {
    faults.add("rule-match", start, `${id} has no match`, "add for example `match: { pattern: 'curl' }`");
    return undefined;
  }
  const condition = readCondition(match, conditions, { start: keyStartOf(node, "match"), depth: 0 });
  budget.patternsLeft = conditions.patternsLeft;
  if (condition === undefined) return undefined;
  const message = fieldOf(node, "message").text || `${title}.`;
  const packRule: PackRule = {
    rule: createRule(id, title, severity, message, fieldOf(node, "remedy").text),
    condition,
    view,
    languages,
    media,
    ...firstExample(node),
  };
  return passesTests(packRule, node, faults) ? packRule : undefined;
}

const KEYS: ReadonlySet<string> = new Set(
  "id title severity category languages media view match message remedy tests".split(" "),
);
const SEVERITIES = ["info", "warn", "critical"] as const satisfies readonly FindingSeverity[];
const VIEWS = ["folded", "raw"] as const;

function startOf(node: DataNode): number {
  return node.kind === "scalar" ? node.start : (entriesOf(node)[0]?.keyStart ?? 0);
}

function keyStartOf(node: DataNode, key: string): number {
  return entriesOf(node).findLast((entry) => entry.key.toLowerCase() === key)?.keyStart ?? startOf(node);
}

function fieldOf(node: DataNode, key: string): Pick<DataScalar, "text" | "start"> {
  const [scalar] = scalarsOf(valueAt(node, key));
  return { text: (scalar?.text ?? "").trim(), start: scalar?.start ?? keyStartOf(node, key) };
}

function readId(node: DataNode, { faults, taken }: PackContext): string | undefined {
  const { text: id, start } = fieldOf(node, "id");
  if (!/^[A-Z][A-Z0-9_-]{1,31}$/.test(id)) {
    const message = id === "" ? "a rule has no id" : `"${id.slice(0, 40)}" is no id`;
    const hint = "write `id:` and 2 to 32 of A-Z, 0-9, - and _, a letter first, such as ACME-1";
    faults.add("rule-field", start, message, hint);
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
  return id;
}

function readChoice<Choice extends string>(
  node: DataNode,
  field: {
    readonly key: string;
    readonly choices: readonly Choice[];
    readonly id: string;
    /** Absent where the key is needed. */
    readonly otherwise?: Choice;
  },
  faults: DiagnosticList,
): Choice | undefined {
  const { key, choices, id, otherwise } = field;
  const { text, start } = fieldOf(node, key);
  if (text === "" && otherwise !== undefined) return otherwise;
  const found = choices.find((choice) => choice === text);
  if (found !== undefined) return found;
  const message = text === "" ? `${id} has no ${key}` : `"${text.slice(0, 40)}" is no ${key}`;
  faults.add("rule-field", start, message, `write \`${key}:\` and one of ${choices.join(", ")}`);
  return undefined;
}

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

function firstExample(node: DataNode): { readonly example?: string } {
  const [example] = scalarsOf(valueAt(node, "tests", "positive"));
  return example === undefined ? {} : { example: example.text };
}

function passesTests(rule: PackRule, node: DataNode, faults: DiagnosticList): boolean {
  const positive = scalarsOf(valueAt(node, "tests", "positive"));
  const negative = scalarsOf(valueAt(node, "tests", "negative"));
  const matches = (text: string): boolean => rule.condition(viewText(text, rule.view)) !== undefined;
  const failed = positive.find(({ text }) => !matches(text)) ?? negative.find(({ text }) => matches(text));
  if (failed === undefined) return true;
  const [does, wanted] = positive.includes(failed)
    ? ["does not match", "match its positive example"]
    : ["matches", "leave its negative example alone"];
  faults.add(
    "rule-test-failed",
    failed.start,
    `${rule.rule.id} ${does} "${failed.text.slice(0, 80)}"`,
    `correct the pattern or the example: a rule must ${wanted}${rule.view === "folded" ? "; patterns see text folded unless `view: raw`" : ""}`,
  );
  return false;
}
