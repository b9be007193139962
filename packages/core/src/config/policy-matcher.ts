import { POLICY_ACTIONS, type PolicyAction, type PolicyRule } from "./config.ts";
import type { ConfigLayer } from "./config-layer.ts";

/** The rule that decides about a skill known by these names, or undefined when none fits. */
export type PolicyMatcher = (names: readonly string[]) => PolicyRule | undefined;

/**
 * Compiles the rules of all layers: within a layer the last one that fits decides, across layers the strictest.
 *
 * Rules without `*` cost one lookup however many there are; those with one are tried in turn.
 */
export function createPolicyMatcher(layers: readonly ConfigLayer[]): PolicyMatcher {
  const matchers = layers.flatMap(({ values }) =>
    values.policy?.rules?.length ? [compileLayer(values.policy.rules)] : [],
  );
  return (names) => {
    let strictest: PolicyRule | undefined;
    for (const match of matchers) {
      const rule = match(names);
      if (rule !== undefined && (strictest === undefined || rank(rule.action) > rank(strictest.action)))
        strictest = rule;
    }
    return strictest;
  };
}

function compileLayer(rules: readonly PolicyRule[]): PolicyMatcher {
  const exact = new Map<string, number>();
  const wild: { index: number; parts: readonly string[] }[] = [];
  rules.forEach(({ skill }, index) => {
    const pattern = skill.normalize();
    if (pattern.includes("*")) wild.push({ index, parts: pattern.split("*") });
    else exact.set(pattern, index);
  });
  wild.reverse();
  return (names) => {
    let last = -1;
    for (const name of names) last = Math.max(last, exact.get(name) ?? -1);
    for (const { index, parts } of wild) {
      if (index < last) break;
      if (!names.some((name) => fits(name, parts))) continue;
      last = index;
      break;
    }
    return rules[last];
  };
}

// The text between stars is found from left to right, as early as possible: linear, and exact for patterns with `*` alone.
function fits(name: string, parts: readonly string[]): boolean {
  const first = parts[0] ?? "";
  const last = parts.at(-1) ?? "";
  if (name.length < first.length + last.length || !name.startsWith(first) || !name.endsWith(last))
    return false;
  let position = first.length;
  const end = name.length - last.length;
  for (const part of parts.slice(1, -1)) {
    const found = name.indexOf(part, position);
    if (found === -1 || found + part.length > end) return false;
    position = found + part.length;
  }
  return true;
}

function rank(action: PolicyAction): number {
  return POLICY_ACTIONS.indexOf(action);
}
