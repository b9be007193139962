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
   * Outermost first: the parents' active skills, then the session's own. At each level one active skill that
   * covers a call is enough, but every level has to cover it.
   */
  readonly narrowing: readonly (readonly Narrowing[])[];
  readonly layers: readonly ConfigLayer[];
  readonly directories: CallDirectories;
}

/**
 * Decides whether an agent may make a call with one of its own tools, if the session permits the tool.
 *
 * Skills only narrow: `allowed` of an active skill turns any other call into a question, `disallowed` into a
 * denial. Rules of the configuration that name a tool are combined with this; the strictest outcome wins.
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

/** Only a rule that names the server pre-approves commands: a bare name may mean a local skill. */
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
  // A fork's list of tools is its parent's limit, which no user is asked to lift.
  const isLimit = level.some(({ allowed, skill }) => allowed !== undefined && skill === undefined);
  return [isLimit ? { outcome: "deny", reason } : settleQuestion({ reason }, check)];
}

function rank({ outcome }: Decision): number {
  return POLICY_ACTIONS.indexOf(outcome);
}

/** The last matching rule per layer. To allow, it must cover the call; to deny or ask, it may mean it. */
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
  // Allows all or nothing: a part that no rule mentions must not pass with the others.
  const isWhole = mentioned.size === parts.length;
  return [...found]
    .filter(({ action }) => action !== "allow" || isWhole)
    .map((rule) => toDecision(rule, check));
}

/**
 * The last matching rule. A shell that reads its commands from input may run any command, so rules that ask
 * about or deny commands count too, except those before an `allow` for the whole tool.
 */
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

// Each part of a shell command is decided separately, so that two rules may allow `git status && ls`.
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

// The syntax is checked, but the home folder may be unknown here: a denial then covers the whole tool.
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
  /** The command of a shell tool, the path of a file tool; other inputs unchanged. */
  readonly input?: unknown;
}
