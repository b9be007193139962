import { matchesName, type NamePattern, parseStars } from "@skillet/kit/glob";

import { isQualified, type Origin, type Skill } from "../registry/skill.ts";
import {
  POLICY_ACTIONS,
  type PolicyAction,
  type PolicyMode,
  type PolicyRule,
  type PolicySource,
} from "./config.ts";
import type { ConfigLayer } from "./config-layer.ts";

/** Facts other than a skill's names; a rule that selects by an unknown fact does not match. */
export interface PolicyFacts {
  readonly origin?: Origin;
  readonly source?: PolicySource;
  readonly mode?: PolicyMode;
}

/** Finds the rule that decides about loading a skill with these names; undefined if none matches. */
export type PolicyMatcher = (names: readonly string[], facts?: PolicyFacts) => PolicyRule | undefined;

/**
 * Within a layer the last matching rule decides, across layers the strictest; rules for tools are ignored.
 * Any number of rules with exact names costs one look-up; rules with a `*` or no name are tried in turn.
 */
export function createPolicyMatcher(layers: readonly ConfigLayer[]): PolicyMatcher {
  const matchers = layers.flatMap(({ values }) => {
    const rules = values.policy?.rules?.filter(({ tool }) => tool === undefined) ?? [];
    return rules.length > 0 ? [compileLayer(rules)] : [];
  });
  return (names, facts = {}) => {
    let strictest: PolicyRule | undefined;
    for (const match of matchers) {
      const rule = match(names, facts);
      if (rule !== undefined && (strictest === undefined || rank(rule.action) > rank(strictest.action)))
        strictest = rule;
    }
    return strictest;
  };
}

/** The names that rules and overrides may use for a skill, most specific first. */
export function policyNames(skill: Pick<Skill, "name" | "qualifiedName" | "scope">): readonly string[] {
  const { name, qualifiedName, scope } = skill;
  const bare = name.normalize();
  const scoped = `${scope}:${bare}`;
  return qualifiedName === scoped || qualifiedName === bare
    ? [scoped, bare]
    : [scoped, qualifiedName.normalize(), bare];
}

/** The names that may allow a skill: a declared name with a colon looks like another's qualified name. */
export function ownNames(names: readonly string[]): readonly string[] {
  return isQualified(names.at(-1) ?? "") ? names.slice(0, -1) : names;
}

/** Whether a rule's selectors other than `tool` match a skill; without names, only rules for any skill do. */
export function fitsPolicyRule(rule: PolicyRule, names: readonly string[], facts: PolicyFacts): boolean {
  if (!fitsFacts(rule, facts)) return false;
  if (rule.skill === undefined) return true;
  const pattern = parseStars(rule.skill.normalize());
  return namesFor(rule, names).some((name) => matchesName(pattern, name));
}

function compileLayer(rules: readonly PolicyRule[]): PolicyMatcher {
  const exact = new Map<string, number[]>();
  const wild: { index: number; pattern: NamePattern }[] = [];
  rules.forEach(({ skill = "*" }, index) => {
    const pattern = parseStars(skill.normalize());
    if (typeof pattern !== "string") wild.unshift({ index, pattern });
    else exact.set(pattern, [index, ...(exact.get(pattern) ?? [])]);
  });
  return (names, facts = {}) => {
    let last = -1;
    for (const name of names) {
      const found = exact
        .get(name)
        ?.find((index) => fitsFacts(rules[index], facts) && namesFor(rules[index], names).includes(name));
      last = Math.max(last, found ?? -1);
    }
    for (const { index, pattern } of wild) {
      if (index < last) break;
      if (!fitsFacts(rules[index], facts)) continue;
      if (!namesFor(rules[index], names).some((name) => matchesName(pattern, name))) continue;
      last = index;
      break;
    }
    return rules[last];
  };
}

function namesFor(rule: PolicyRule | undefined, names: readonly string[]): readonly string[] {
  return rule?.action === "allow" ? ownNames(names) : names;
}

function fitsFacts(rule: PolicyRule | undefined, facts: PolicyFacts): boolean {
  return (["origin", "source", "mode"] as const).every(
    (key) => rule?.[key] === undefined || rule[key] === facts[key],
  );
}

function rank(action: PolicyAction): number {
  return POLICY_ACTIONS.indexOf(action);
}
