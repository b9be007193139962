import type { Diagnostic } from "@skillet/kit/diagnostics";
import type { Analyser } from "../analyse/analyser.ts";
import { type Fact, placeIn } from "../fact/fact.ts";
import type { Rule } from "../finding/rule.ts";
import { LineIndex } from "../text/line-index.ts";
import type { SourceText } from "../text/source-text.ts";
import { type PackRule, packRuleSchema } from "./pack-rule.ts";
import { readUserList } from "./read-user-list.ts";
import { viewText } from "./text-condition.ts";

/** A user's own rules: `analyse` sees every text of a skill, `rules` make findings of what it saw. */
export interface RulePack {
  readonly rules: readonly Rule[];
  readonly analyse: Analyser;
  /** Of each rule that has tests, the first text that it finds. */
  readonly examples: ReadonlyMap<string, string>;
  /** With an error among them the faulty rule is left out, and the pack should not be used. */
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Reads a rule pack: YAML with a list `rules`. Each rule's own examples are tried on it.
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

// Folding keeps lines, though not columns: the line is counted in the text that matched.
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
