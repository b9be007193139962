import { POLICY_ACTIONS } from "../config/config.ts";
import type { ConfigLayer } from "../config/config-layer.ts";
import { decideByRules } from "./decide-by-rules.ts";
import type { Decision } from "./decision.ts";
import type { Narrowing } from "./narrowing.ts";
import { type Asking, settleQuestion } from "./settle-question.ts";
import { type CallDirectories, type CallSubject, readCall } from "./tool/call-subject.ts";
import { coverCall } from "./tool/cover-call.ts";
import { touchesCall } from "./tool/touches-call.ts";
import type { ToolCall } from "./tool-call.ts";

/** What is in force when a tool is called. */
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

/** The same for a call that was read already. */
export function checkSubject(subject: CallSubject, check: ToolCheck): Decision {
  const active = check.narrowing.flat();
  const decisions = [
    ...active.flatMap((narrowing) => findDisallowed(narrowing, subject)),
    ...decideByRules(subject, active, check),
    ...check.narrowing.flatMap((level) => coverLevel(level, subject, check)),
  ];
  let strictest: Decision | undefined;
  for (const decision of decisions) {
    if (strictest === undefined || rank(decision) > rank(strictest)) strictest = decision;
  }
  return strictest ?? { outcome: "allow", reason: "no active skill narrows it, and no rule speaks about it" };
}

function findDisallowed({ disallowed, by }: Narrowing, subject: CallSubject): readonly Decision[] {
  const rule = disallowed.find((candidate) => touchesCall(candidate, subject));
  if (rule === undefined) return [];
  return [
    { outcome: "deny", reason: `${by} disallows it`, rule: `${rule.text} in disallowed-tools of ${by}` },
  ];
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
  return reasons.length === 0 ? [] : [settleQuestion({ reason: reasons.join("; ") }, check)];
}

function rank({ outcome }: Decision): number {
  return POLICY_ACTIONS.indexOf(outcome);
}
