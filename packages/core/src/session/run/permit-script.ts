import type { Digest } from "@skillet/kit/digest";
import { showName } from "@skillet/kit/text";
import { unlessAborted } from "../../ask.ts";
import { SCRIPT_TOOL } from "../../config/tool-rule/tool-rule.ts";
import type { Decision } from "../../policy/decision.ts";
import type { Skill } from "../../registry/skill.ts";
import { hookedDecision } from "../hooks/run-hooks.ts";
import { type PreparedScript, refuse, type ScriptCall, type ScriptRefusal } from "../script-runner.ts";
import { presentSkill } from "../skill-access.ts";
import { type Asked, askToAllow, checkOpen, type SessionState, showFailure } from "../state.ts";
import { decideScript } from "../tool-rules.ts";
import { showScript } from "./script-allowlist.ts";

/** The policy's decision about a staged script: while a person is thinking, nothing that was verified can change. */
export async function permitScript(
  session: SessionState,
  script: {
    readonly skill: Skill;
    readonly call: Pick<ScriptCall, "args" | "stdin"> & { readonly path: string };
    readonly treeDigest: Digest;
    readonly prepared: PreparedScript;
    readonly signal: AbortSignal | undefined;
  },
): Promise<ScriptRefusal | undefined> {
  const { skill, call, treeDigest, prepared, signal } = script;
  const { path, args, stdin } = call;
  const { qualifiedName } = skill;
  const decide = (): Decision => decideScript(session, presentSkill(session, skill) ?? skill, path);
  const input = { skill: qualifiedName, path, args, stdin };
  const decision = await hookedDecision(session, { tool: SCRIPT_TOOL, input }, decide);
  if (decision.outcome === "allow") return undefined;
  const shown = showName(showScript({ skill: qualifiedName, path }));
  if (decision.outcome === "ask") {
    const subject = JSON.stringify([qualifiedName, path, treeDigest, prepared.target]);
    const wish = `${shown} wants to run with ${prepared.runtime} ${describePlace(prepared)}`;
    const reason = `${wish}: ${decision.reason}`;
    const question = { kind: "script", skill: qualifiedName, digest: treeDigest, reason } as const;
    const ask = (until?: AbortSignal): Promise<Asked> => askToAllow(session, question, until);
    // A hook asks about this call's arguments; an approval of others does not answer it.
    const asked = await (decision.byHook
      ? unlessAborted(ask(signal), signal)
      : askOnce(session.scriptQuestions, subject, ask, signal));
    checkOpen(session);
    // The approval answers this question; what was denied meanwhile stays denied.
    const now = decide();
    if (now.outcome === "deny") return denied(shown, now);
    if (asked.isAllowed) return undefined;
    return denied(shown, { ...decision, reason: `${decision.reason}${showFailure(asked)}` });
  }
  return denied(shown, decision);
}

/** A yes holds for the session, a no only for those who wait for the same question; it ends when all of them left. */
async function askOnce(
  questions: SessionState["scriptQuestions"],
  subject: string,
  ask: (until: AbortSignal) => Promise<Asked>,
  signal: AbortSignal | undefined,
): Promise<Asked> {
  const over = new AbortController();
  const shared = questions.get(subject) ?? { asked: ask(over.signal), over, waiting: 0 };
  questions.set(subject, shared);
  shared.waiting += 1;
  let isApproved = false;
  try {
    const answer = await unlessAborted(shared.asked, signal);
    isApproved = answer.isAllowed;
    return answer;
  } finally {
    shared.waiting -= 1;
    if (!isApproved && shared.waiting === 0) {
      shared.over.abort();
      questions.delete(subject);
    }
  }
}

function denied(shown: string, { outcome, reason, rule }: Decision): ScriptRefusal {
  const by = rule === undefined ? "" : ` (${rule})`;
  const unanswered = outcome === "ask" ? "; it was not approved" : "";
  return refuse("script-denied", `${shown} was not run: ${reason}${by}${unanswered}.`);
}

function describePlace({ target, sandbox, place }: PreparedScript): string {
  if (target === "host") return "on the host, without a sandbox";
  const where = place === undefined ? "" : ` on ${showName(place)}`;
  if (sandbox === "none") return `without a sandbox${where}`;
  return `${sandbox === undefined ? "in a sandbox" : `in the sandbox ${showName(sandbox)}`}${where}`;
}
