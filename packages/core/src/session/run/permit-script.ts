import type { Digest } from "@skillet/kit/digest";
import { showName } from "@skillet/kit/text";
import { type ApprovalOptions, unlessAborted } from "../../ask.ts";
import { SCRIPT_TOOL } from "../../config/tool-rule/tool-rule.ts";
import type { Decision } from "../../policy/decision.ts";
import type { Skill } from "../../registry/skill.ts";
import { hookedDecision } from "../hooks/run-hooks.ts";
import { type PreparedScript, refuse, type ScriptCall, type ScriptRefusal } from "../script-runner.ts";
import { presentSkill } from "../skill-access.ts";
import { type Asked, askToAllow, type Judged, questionAbout, type SessionState, settle } from "../state.ts";
import { decideScript } from "../tool-rules.ts";
import { showScript } from "./script-allowlist.ts";

export interface StagedScript {
  readonly skill: Skill;
  readonly call: Pick<ScriptCall, "args" | "stdin" | "cwd" | "folder"> & { readonly path: string };
  readonly treeDigest: Digest;
  readonly prepared: PreparedScript;
}

interface JudgedScript extends Judged {
  /** What an approval covers for the rest of the session. */
  readonly subject: string;
  readonly byHook?: true;
}

/** The policy's decision about a staged script, before the user is asked. */
async function judgeScript(
  session: SessionState,
  script: StagedScript,
  options: { readonly isBeforehand?: boolean } = {},
): Promise<JudgedScript> {
  const { skill, call, treeDigest: digest, prepared } = script;
  const { path, args, stdin, cwd, folder } = call;
  const { qualifiedName } = skill;
  const input = { skill: qualifiedName, path, args, stdin };
  const decide = (): Decision => decideStaged(session, script);
  const decision = await hookedDecision(session, { tool: SCRIPT_TOOL, input }, decide, options);
  const subject = JSON.stringify([qualifiedName, path, digest, prepared.target]);
  const wish = `${nameOf(script)} wants to run with ${prepared.runtime} ${describePlace(prepared)}`;
  const shown = { skill: qualifiedName, path, args, ...(stdin && { stdin: Buffer.from(stdin).toString() }) };
  const question = questionAbout(session, {
    kind: "script",
    skill: qualifiedName,
    digest,
    reason: `${wish}: ${decision.reason}`,
    call: { tool: SCRIPT_TOOL, input: { ...shown, cwd, folder, target: prepared.target } },
  });
  return { ...decision, question, subject };
}

function decideStaged(session: SessionState, { skill, call }: StagedScript): Decision {
  return decideScript(session, presentSkill(session, skill) ?? skill, call.path);
}

/** Undefined if it may run; while the user decides, nothing that was verified can change. */
export async function permitScript(
  session: SessionState,
  script: StagedScript,
  { signal, approval }: ApprovalOptions,
): Promise<ScriptRefusal | undefined> {
  const { byHook, subject, ...judged } = await judgeScript(session, script);
  const ask = (until?: AbortSignal): Promise<Asked> =>
    askToAllow(session, judged.question, { approval, signal: until });
  // A hook or an advance approval is about this call's arguments and does not answer for other calls.
  const isForCall = byHook || approval !== undefined;
  const decide = (): Decision => decideStaged(session, script);
  const settled = await settle(session, judged, { approval, signal }, decide, () =>
    isForCall ? ask(signal) : askOnce(session.scriptQuestions, subject, ask, signal),
  );
  const { isAllowed, decision, question } = settled;
  return isAllowed ? undefined : { ...denied(nameOf(script), decision), ...(question && { question }) };
}

/** The decision on a staged script, counting this session's approvals, without asking or waiting. */
export async function preflightScript(session: SessionState, script: StagedScript): Promise<JudgedScript> {
  const judged = await judgeScript(session, script, { isBeforehand: true });
  const isApproved = !judged.byHook && session.scriptQuestions.get(judged.subject)?.isApproved === true;
  if (judged.outcome !== "ask" || !isApproved) return judged;
  return { ...judged, outcome: "allow", reason: "a person allowed it in this session" };
}

function nameOf({ skill, call }: StagedScript): string {
  return showName(showScript({ skill: skill.qualifiedName, path: call.path }));
}

/** A yes holds for the session, a no for all who wait for the same question; it ends when all have left. */
async function askOnce(
  questions: SessionState["scriptQuestions"],
  subject: string,
  ask: (until: AbortSignal) => Promise<Asked>,
  signal: AbortSignal | undefined,
): Promise<Asked> {
  const over = new AbortController();
  const shared = questions.get(subject) ?? { asked: ask(over.signal), over, waiting: 0, isApproved: false };
  questions.set(subject, shared);
  shared.waiting += 1;
  try {
    const answer = await unlessAborted(shared.asked, signal);
    shared.isApproved = answer.isAllowed;
    return answer;
  } finally {
    shared.waiting -= 1;
    if (!shared.isApproved && shared.waiting === 0) {
      shared.over.abort();
      questions.delete(subject);
    }
  }
}

function denied(shown: string, { reason, rule }: Decision): ScriptRefusal {
  const by = rule === undefined ? "" : ` (${rule})`;
  return refuse("script-denied", `${shown} was not run: ${reason}${by}.`);
}

function describePlace({ target, sandbox, place }: PreparedScript): string {
  if (target === "host") return "on the host, without a sandbox";
  const where = place === undefined ? "" : ` on ${showName(place)}`;
  if (sandbox === "none") return `without a sandbox${where}`;
  return `${sandbox === undefined ? "in a sandbox" : `in the sandbox ${showName(sandbox)}`}${where}`;
}
