import type { Diagnostic } from "@skillet/kit/diagnostics";
import type { Analyser } from "../analyse/analyser.ts";
import { valueAt } from "../analyse/data/data-node.ts";
import { readYaml } from "../analyse/data/read-yaml.ts";
import type { Rule } from "../rule/rule.ts";
import { createPackAnalyser } from "./create-pack-analyser.ts";
import { DiagnosticList } from "./diagnostic-list.ts";
import type { PackRule } from "./pack-rule.ts";
import { readPackRule } from "./read-pack-rule.ts";
import { yamlFaultOffset } from "./yaml-fault-offset.ts";

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
  const faults = new DiagnosticList(options.file, text);
  const rules = readRules(text, faults, options.reservedIds);
  return {
    rules: rules.map(({ rule }) => rule),
    analyse: createPackAnalyser(rules),
    examples: new Map(
      rules.flatMap(({ rule, example }) => (example === undefined ? [] : [[rule.id, example] as const])),
    ),
    diagnostics: faults.all,
  };
}

const MAX_PACK_CHARACTERS = 256 * 1024;
const MAX_RULES = 200;
const MAX_PATTERNS = 500;

function readRules(text: string, faults: DiagnosticList, reservedIds: ReadonlySet<string>): PackRule[] {
  if (text.length > MAX_PACK_CHARACTERS) {
    faults.add(
      "rule-pack-too-large",
      0,
      `the pack has more than ${MAX_PACK_CHARACTERS} characters`,
      "split it",
    );
    return [];
  }
  const reading = readYaml(text);
  const { root, fault } = reading;
  const list = valueAt(root, "rules");
  if (fault !== undefined || list?.kind !== "list") {
    faults.add(
      "rule-pack-invalid",
      fault === undefined ? 0 : yamlFaultOffset(text, reading),
      fault ?? "there is no list `rules`",
      fault === undefined
        ? "write `rules:` and below it a list, each entry with id, title, severity and match"
        : "correct the YAML there: quotes and brackets in pairs, lists and keys indented alike",
    );
    return [];
  }
  if (list.items.length > MAX_RULES) {
    faults.add("rule-pack-too-large", 0, `the pack has more than ${MAX_RULES} rules`, "split it");
    return [];
  }
  const taken = new Set(reservedIds);
  const context = { faults, taken, budget: { patternsLeft: MAX_PATTERNS } };
  return list.items.map((item) => readPackRule(item, context)).filter((rule) => rule !== undefined);
}
