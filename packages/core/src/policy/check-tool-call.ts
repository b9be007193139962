import { POLICY_ACTIONS, type PolicyRule } from "../config/config.ts";
import type { ConfigLayer } from "../config/config-layer.ts";
import { fitsPolicyRule, policyNames } from "../config/policy-matcher.ts";
import { parseToolRule } from "../config/tool-rule/parse-tool-rule.ts";
import { type ToolRule, toolKind } from "../config/tool-rule/tool-rule.ts";
import { type Asking, type Decision, settleQuestion, showRule } from "./decision.ts";
import type { Narrowing } from "./narrowing.ts";
import { readsCommands } from "./shell/started-by.ts";
import { type CallDirectories, type CallSubject, readCall } from "./tool/call-subject.ts";
import { coverCall, touchesCall } from "./tool/cover-call.ts";

/** The rules in force when a tool is called. */
export interface ToolCheck extends Asking {
  /**
   * Outermost first: what is active in the parents, then in the session itself. At each level one active skill that
   * covers a call is enough, but every level has to cover it.
   */
  readonly narrowing: readonly (readonly Narrowing[])[];
  readonly layers: readonly ConfigLayer[];
  readonly directories: CallDirectories;
}

/**
 * Decides whether an agent may make a call with one of its own tools, for a session that permits the tool in general.
 *
 * Skills only narrow: `allowed` of an active skill turns everything else into a question, `disallowed` into a denial.
 * Rules of the configuration that name a tool combine with that to the strictest outcome.
 *
 * @example
 * checkToolCall({ tool: "Bash", input: "git status" }, { narrowing: [[narrowing]], layers, mode, interactive, directories });
 */
export function checkToolCall(call: ToolCall, check: ToolCheck): Decision {
  return checkSubject(readCall(call, check.directories), check);
}

export function checkSubject(subject: CallSubject, check: ToolCheck): Decision {
  const active = check.narrowing.flat();
  const decisions = [
    ...active.flatMap((narrowing) => findDisallowed(narrowing, subject)),
    ...decideByRules(subject, active, check),
    ...active.flatMap((narrowing) => askForServed(narrowing, subject, check)),
    ...check.narrowing.flatMap((level) => coverLevel(level, subject, check)),
  ];
  let strictest: Decision | undefined;
  for (const decision of decisions) {
    if (strictest === undefined || rank(decision) > rank(strictest)) strictest = decision;
  }
  return strictest ?? { outcome: "allow", reason: "no active skill narrows it, and no rule mentions it" };
}

function findDisallowed({ disallowed, by }: Narrowing, subject: CallSubject): readonly Decision[] {
  const rule = disallowed.find((candidate) => touchesCall(candidate, subject) || mayRun(candidate, subject));
  if (rule === undefined) return [];
  return [
    { outcome: "deny", reason: `${by} disallows it`, rule: `${rule.text} in disallowed-tools of ${by}` },
  ];
}

/** Only a rule that names the server approves commands beforehand: a bare name may be meant for a local skill. */
function askForServed(
  { isServed, by, ...narrowing }: Narrowing,
  subject: CallSubject,
  check: ToolCheck,
): readonly Decision[] {
  if (isServed !== true || toolKind(subject.tool) !== "shell") return [];
  const label = by.slice(0, by.indexOf(":") + 1);
  const layers = check.layers.map(({ values, ...layer }) => {
    const rules = values.policy?.rules?.filter(({ skill }) => skill?.startsWith(label)) ?? [];
    return { ...layer, values: { policy: { rules } } };
  });
  const [approved] = decideByRules(subject, [{ ...narrowing, by }], { ...check, layers });
  if (approved?.outcome === "allow") return [];
  const reason = `${by} comes from another server, and no rule for ${by} allows the command`;
  return [settleQuestion({ reason }, check)];
}

function coverLevel(
  level: readonly Narrowing[],
  subject: CallSubject,
  check: ToolCheck,
): readonly Decision[] {
  const reasons: string[] = [];
  for (const { allowed, by } of level) {
    if (allowed === undefined) continue;
    const cover = coverCall(allowed, subject);
    if ("reason" in cover) reasons.push(`${by} does not cover it: ${cover.reason}`);
    else {
      const texts = cover.rules.map(({ text }) => text).join(", ");
      return [{ outcome: "allow", reason: `${by} covers it`, rule: `${texts} in allowed-tools of ${by}` }];
    }
  }
  if (reasons.length === 0) return [];
  const reason = reasons.join("; ");
  // The list of tools that a fork was given is its parent's limit, about which no person is asked.
  const isLimit = level.some(({ allowed, skill }) => allowed !== undefined && skill === undefined);
  return [isLimit ? { outcome: "deny", reason } : settleQuestion({ reason }, check)];
}

function rank({ outcome }: Decision): number {
  return POLICY_ACTIONS.indexOf(outcome);
}

/** The last of each layer. One that allows fits what it covers, one that denies or asks what it may mean. */
function decideByRules(
  subject: CallSubject,
  active: readonly Narrowing[],
  check: Omit<ToolCheck, "narrowing">,
): readonly Decision[] {
  const skills = active.filter(({ skill }) => skill !== undefined);
  const parts = splitCall(subject);
  const found = new Set<PolicyRule>();
  const mentioned = new Set<CallSubject>();
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
        const fitting = findFitting(rules ?? [], part, check.directories);
        for (const rule of fitting) found.add(rule);
        if (fitting.length > 0) mentioned.add(part);
      }
    }
  }
  // The whole call is allowed or nothing: a part that no rule mentions must not pass with the others.
  const isWhole = mentioned.size === parts.length;
  return [...found]
    .filter(({ action }) => action !== "allow" || isWhole)
    .map((rule) => toDecision(rule, check));
}

/** The last that fits, which does not answer for what a shell may be told to run unless it allows every command. */
function findFitting(
  rules: readonly PolicyRule[],
  part: CallSubject,
  directories: CallDirectories,
): readonly PolicyRule[] {
  const last = rules.findLast((candidate) => mentions(candidate, part, directories));
  const isAnswered = last?.action === "allow" && toolOf(last, directories)?.kind === "tool";
  const hidden = rules
    .slice(isAnswered ? rules.indexOf(last) : 0)
    .filter((one) => one.action !== "allow" && mayRun(toolOf(one, directories), part));
  return last === undefined ? hidden : [last, ...hidden];
}

function mayRun(rule: ToolRule | undefined, subject: CallSubject): boolean {
  return rule?.kind === "shell" && subject.kind === "shell" && subject.acts.some(readsCommands);
}

// Of a shell command each part is decided on its own, so that `git status && ls` may be allowed by two rules.
function splitCall(subject: CallSubject): readonly CallSubject[] {
  if (subject.kind !== "shell" || subject.acts.length < 2) return [subject];
  return subject.acts.map((act) => ({ ...subject, acts: [act] }));
}

function mentions(rule: PolicyRule, part: CallSubject, directories: CallDirectories): boolean {
  const tool = toolOf(rule, directories);
  if (tool === undefined) return false;
  return rule.action === "allow" ? "rules" in coverCall([tool], part) : touchesCall(tool, part);
}

const compiled = new WeakMap<PolicyRule, { directories: CallDirectories; tool: ToolRule | undefined }>();

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

/** A call that an agent is about to make with one of its own tools. */
export interface ToolCall {
  /** As the host spells it: `Bash`, `Read`, `mcp__github__create_issue`. */
  readonly tool: string;
  /** The command of a shell tool, the path of a file tool; other inputs as they are. */
  readonly input?: unknown;
}
