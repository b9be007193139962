import { oncePer } from "@skillet/kit/async";
import { matchesName, parseStars } from "@skillet/kit/glob";
import type { PolicyMode, PolicyRule, PolicySource } from "../config/config.ts";
import { type ConfigLayer, describeOrigin } from "../config/config-layer.ts";
import { createPolicyMatcher, policyNames } from "../config/policy-matcher.ts";
import type { Skill } from "../registry/skill.ts";

/** The outcome of a policy for one action, and why. */
export interface Decision {
  readonly outcome: "allow" | "ask" | "deny";
  readonly reason: string;
  /** The text and position of the rule that decided. */
  readonly rule?: string;
}

interface ActivationRequest extends Asking {
  readonly skill: Pick<Skill, "name" | "qualifiedName" | "scope" | "origin">;
  readonly source: PolicySource;
  readonly layers: readonly ConfigLayer[];
  /** Whether the host named the skill when it opened the session, as locked mode requires. */
  readonly named?: boolean;
}

/**
 * Decides whether a skill may be loaded, by the rules of the configuration that name no tool.
 *
 * Without a rule a skill may be loaded; in locked mode only if it was named when the session was opened. A
 * rule that asks applies to loads by a model or a parent: a user who types `/name` and an operator who
 * preloads have already decided, unless the rule names that very source. Whether a skill is enabled, and who
 * may invoke it, is decided elsewhere.
 */
export function decideActivation(request: ActivationRequest): Decision {
  const { skill, source, mode, layers, named = false } = request;
  const rule = matcherOf(layers)(policyNames(skill), { origin: skill.origin, source, mode });
  const { qualifiedName } = skill;
  if (rule === undefined) {
    if (mode !== "locked" || named) return { outcome: "allow", reason: `no rule mentions ${qualifiedName}` };
    const reason = `locked mode loads only what a rule allows, and none allows ${qualifiedName}`;
    return { outcome: "deny", reason };
  }
  const shown = showRule(rule);
  if (rule.action !== "ask") {
    const verb = rule.action === "allow" ? "allows" : "denies";
    return { outcome: rule.action, reason: `a rule ${verb} ${qualifiedName}`, rule: shown };
  }
  const hasAnswer =
    (source === "user" || source === "preload") && rule.source === undefined && mode !== "locked";
  if (hasAnswer) {
    const who = source === "user" ? "the user" : "the operator";
    const reason = `a rule asks about ${qualifiedName}, and ${who} named it`;
    return { outcome: "allow", reason, rule: shown };
  }
  return settleQuestion({ reason: `a rule asks about ${qualifiedName}`, rule: shown }, request);
}

// A session asks about every skill of a library.
const matcherOf = oncePer(createPolicyMatcher);

/** Bare names do not count: any skill can declare one and would be allowed in another's place. */
export function createAllowList(allowed: readonly string[]): (qualifiedName: string) => boolean {
  const patterns = allowed.map((text) => parseStars(text.normalize()));
  const names = new Set<unknown>(patterns);
  const wild = patterns.filter((pattern) => typeof pattern !== "string");
  return (qualifiedName) => {
    const name = qualifiedName.normalize();
    return names.has(name) || wild.some((pattern) => matchesName(pattern, name));
  };
}

export interface Asking {
  readonly mode: PolicyMode;
  readonly interactive: boolean;
}

/** The outcome of a question: "ask" if a user can be asked, otherwise a denial that says why. */
export function settleQuestion(question: Omit<Decision, "outcome">, { mode, interactive }: Asking): Decision {
  if (mode === "locked")
    return { ...question, outcome: "deny", reason: `${question.reason}; locked mode asks no questions` };
  if (!interactive)
    return { ...question, outcome: "deny", reason: `${question.reason}; there is no one to ask` };
  return { ...question, outcome: "ask" };
}

export function showRule(rule: PolicyRule): string {
  const { skill, origin, tool, mode, source, action } = rule;
  const fields = Object.entries({ skill, origin, tool, mode, source, action }).flatMap(([key, value]) =>
    value === undefined ? [] : [`${key}: ${/^[\w-]+$/.test(value) ? value : JSON.stringify(value)}`],
  );
  return `{ ${fields.join(", ")} } in ${describeOrigin(rule.from)}`;
}
