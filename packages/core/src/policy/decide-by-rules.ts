import type { PolicyRule } from "../config/config.ts";
import type { ConfigLayer } from "../config/config-layer.ts";
import { fitsPolicyRule, policyNames } from "../config/policy-matcher.ts";
import { parseToolRule } from "../config/tool-rule/parse-tool-rule.ts";
import type { ToolRule } from "../config/tool-rule/tool-rule.ts";
import type { Decision } from "./decision.ts";
import type { Narrowing } from "./narrowing.ts";
import { type Asking, settleQuestion } from "./settle-question.ts";
import { showRule } from "./show-rule.ts";
import type { CallDirectories, CallSubject } from "./tool/call-subject.ts";
import { coverCall } from "./tool/cover-call.ts";
import { touchesCall } from "./tool/touches-call.ts";

/** The layers of rules, and what they are asked about. */
interface RuleCheck extends Asking {
  readonly layers: readonly ConfigLayer[];
  readonly directories: CallDirectories;
}

/**
 * What each layer's rules say about each part of a call, for every active skill: the last rule that fits.
 *
 * A rule that allows fits what it covers, one that denies or asks what it may mean.
 */
export function decideByRules(
  subject: CallSubject,
  active: readonly Narrowing[],
  check: RuleCheck,
): readonly Decision[] {
  const skills = active.filter(({ skill }) => skill !== undefined);
  const parts = splitCall(subject);
  const found = new Set<PolicyRule>();
  const spokenOf = new Set<CallSubject>();
  for (const narrowing of skills.length > 0 ? skills : [undefined]) {
    const names = narrowing?.skill === undefined ? [] : policyNames(narrowing.skill);
    const origin = narrowing?.skill?.origin;
    const source = narrowing?.source;
    const facts = { mode: check.mode, ...(origin && { origin }), ...(source && { source }) };
    for (const { values } of check.layers) {
      const rules = values.policy?.rules?.filter(
        (rule) => rule.tool !== undefined && fitsPolicyRule(rule, names, facts),
      );
      for (const part of rules?.length ? parts : []) {
        const rule = rules?.findLast((candidate) => speaksOf(candidate, part, check.directories));
        if (rule === undefined) continue;
        found.add(rule);
        spokenOf.add(part);
      }
    }
  }
  // What is allowed is the whole call or nothing: a part that no rule speaks of must not pass with the others.
  const isWhole = spokenOf.size === parts.length;
  return [...found]
    .filter(({ action }) => action !== "allow" || isWhole)
    .map((rule) => toDecision(rule, check));
}

// Of a shell command each part is decided on its own, so that `git status && ls` may be allowed by two rules.
function splitCall(subject: CallSubject): readonly CallSubject[] {
  if (subject.kind !== "shell" || subject.acts.length < 2) return [subject];
  return subject.acts.map((act) => ({ ...subject, acts: [act] }));
}

function speaksOf(rule: PolicyRule, part: CallSubject, directories: CallDirectories): boolean {
  const tool = toolOf(rule, directories);
  if (tool === undefined) return false;
  return rule.action === "allow" ? "rules" in coverCall([tool], part) : touchesCall(tool, part);
}

interface CompiledTool {
  readonly directories: CallDirectories;
  readonly tool: ToolRule | undefined;
}

const compiled = new WeakMap<PolicyRule, CompiledTool>();

function toolOf(rule: PolicyRule, directories: CallDirectories): ToolRule | undefined {
  const known = compiled.get(rule);
  if (known?.directories.project === directories.project && known.directories.home === directories.home)
    return known.tool;
  const tool = compileTool(rule, directories);
  compiled.set(rule, { directories, tool });
  return tool;
}

// The configuration was checked, but a home folder may be missing here: then a denial is for the whole tool.
function compileTool(
  { tool: text = "", action }: PolicyRule,
  directories: CallDirectories,
): ToolRule | undefined {
  const reading = parseToolRule(text, directories);
  if ("rule" in reading) return reading.rule;
  return action === "allow" || reading.tool === undefined
    ? undefined
    : { kind: "tool", text, tool: reading.tool };
}

function toDecision(rule: PolicyRule, check: Asking): Decision {
  const shown = showRule(rule);
  if (rule.action === "ask") return settleQuestion({ reason: "a rule asks about it", rule: shown }, check);
  const reason = rule.action === "allow" ? "a rule allows it" : "a rule denies it";
  return { outcome: rule.action, reason, rule: shown };
}
