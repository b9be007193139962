import { inspect } from "node:util";
import { cutText, showLine, showName } from "@skillet/kit/text";
import { type Answer, type CallOptions, type Question, unlessAborted } from "../../ask.ts";
import type { ToolCall } from "../../policy/check-tool-call.ts";
import type { Decision } from "../../policy/decision.ts";
import { hookedDecision } from "../hooks/run-hooks.ts";
import { givenOptions } from "../model-input.ts";
import { recordRefusal } from "../records/recorder.ts";
import {
  type Asked,
  askToAllow,
  checkOpen,
  questionAbout,
  type SessionState,
  showFailure,
} from "../state.ts";
import { decideToolCall, narrowingLevels } from "../tool-rules.ts";

/** How a call of the host's own tools is guarded. */
export interface GuardOptions extends CallOptions {
  /** A person's answer to the question that an earlier call gave, with the question's `id`. */
  readonly approval?: Answer | undefined;
}

/** Whether a call of the host's own tools may be made; if not, the text that tells the model. */
export type Guarded =
  | { readonly allowed: true; readonly decision: Decision }
  | {
      readonly allowed: false;
      readonly text: string;
      readonly decision: Decision;
      /** Where a person has not answered yet: the question, whose answer is passed as `approval`. */
      readonly question?: Question;
    };

const MAX_TEXT_CHARACTERS = 4_000;

export async function guardCall(
  session: SessionState,
  call: ToolCall,
  { signal, approval }: GuardOptions,
): Promise<Guarded> {
  const decide = (): Decision => {
    checkOpen(session);
    return decideToolCall(session, call);
  };
  const decision = await unlessAborted(hookedDecision(session, call, decide), signal);
  if (decision.outcome === "allow") return { allowed: true, decision };
  const question = questionOf(session, call, decision);
  const asked: Asked =
    decision.outcome === "ask"
      ? await unlessAborted(askToAllow(session, question, { approval, signal }), signal)
      : { isAllowed: false };
  // What was denied while a person was thinking stays denied.
  const now = asked.isAllowed ? decide() : decision;
  if (asked.isAllowed && now.outcome !== "deny") return { allowed: true, decision };
  const { outcome, reason, rule } = now;
  await recordRefusal(session.recorder, {
    what: "tool",
    subject: describeCall(call),
    error: { code: `tool-${outcome}`, message: reason },
    ...(rule !== undefined && { rule }),
  });
  const why = cutText(showLine(`${reason}${showFailure(asked)}`), MAX_TEXT_CHARACTERS);
  const tool = typeof givenOptions(call).tool === "string" ? showName(call.tool) : "The tool";
  const text = `${tool} was not called: ${why}. Do without it, or ask the user.`;
  return { allowed: false, text, decision: now, ...(asked.open && { question }) };
}

function questionOf(session: SessionState, call: ToolCall, { reason }: Decision): Question {
  const skills = new Set(narrowingLevels(session).flatMap((level) => level.map(({ by }) => by)));
  const { tool, input } = givenOptions(call);
  return questionAbout({ kind: "tool", skill: [...skills].join(", "), reason, call: { tool, input } });
}

/** A tool call on one line, whatever the host passes: not every value is JSON. */
function describeCall(call: ToolCall): string {
  const { tool, input } = givenOptions(call);
  if (typeof tool !== "string") return "a call without a tool's name";
  if (input === undefined) return tool;
  const text =
    typeof input === "string" ? input : inspect(input, { depth: 3, breakLength: Number.POSITIVE_INFINITY });
  return `${tool} ${text}`;
}
