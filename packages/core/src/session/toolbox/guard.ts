import { isJsonObject, parseJson } from "@skillet/kit/json";
import { cutText, showLine, showName } from "@skillet/kit/text";
import { type ApprovalOptions, type Question, unlessAborted } from "../../ask.ts";
import type { ToolCall } from "../../policy/check-tool-call.ts";
import type { Decision } from "../../policy/decision.ts";
import { hookedDecision } from "../hooks/run-hooks.ts";
import { givenOptions, toJson } from "../model-input.ts";
import { recordRefusal } from "../records/recorder.ts";
import { checkOpen, questionAbout, SAID_NO, type SessionState, settle } from "../state.ts";
import { decideToolCall, narrowingLevels } from "../tool-rules.ts";

/** Whether a call of the host's own tools is allowed; if not, the text for the model. */
export type Guarded =
  | { readonly allowed: true; readonly decision: Decision }
  | {
      readonly allowed: false;
      readonly text: string;
      readonly decision: Decision;
      /** The question, if the user has not answered yet; pass the answer as `approval`. */
      readonly question?: Question;
    };

/** Options for guarding a call of one of the host's own tools. */
export interface GuardOptions extends ApprovalOptions {
  /** The tool only organises the conversation, like a to-do list: no skill's `allowed-tools` removes it. */
  readonly isHostTool?: boolean | undefined;
}

const MAX_TEXT_CHARACTERS = 4_000;

export async function guardCall(
  session: SessionState,
  given: ToolCall,
  { signal, approval, isHostTool }: GuardOptions,
): Promise<Guarded> {
  const call = readCall(given);
  const decide = (): Decision => {
    checkOpen(session);
    return decideToolCall(session, call, { isHostTool });
  };
  // A refusal stands even if nothing would ask by now, such as after the turn that a skill had narrowed.
  const isRefused = approval !== undefined && approval !== null && approval.choice !== "allow";
  const decision = isRefused
    ? ({ outcome: "deny", reason: SAID_NO } as const)
    : await unlessAborted(hookedDecision(session, call, decide), signal);
  const { tool, input } = givenOptions(call);
  const skills = new Set(narrowingLevels(session).flatMap((level) => level.map(({ by }) => by)));
  const asking = { kind: "tool", skill: [...skills].join(", "), reason: decision.reason } as const;
  const judged = { ...decision, question: questionAbout(session, { ...asking, call: { tool, input } }) };
  const settled = await settle(session, judged, { approval, signal }, decide);
  if (settled.isAllowed) return { allowed: true, decision };
  const { outcome, reason, rule } = settled.decision;
  const isNamed = typeof tool === "string";
  const shown = typeof input === "string" ? input : (toJson(input) ?? "");
  await recordRefusal(session.recorder, {
    what: "tool",
    subject: isNamed ? `${tool} ${shown}`.trimEnd() : "a call without a tool's name",
    error: { code: `tool-${outcome}`, message: reason },
    ...(rule !== undefined && { rule }),
  });
  const why = cutText(showLine(reason), MAX_TEXT_CHARACTERS);
  const next = reason.endsWith(SAID_NO) ? "Do without it." : "Do without it, or ask the user.";
  const text = `${isNamed ? showName(tool) : "The tool"} was not called: ${why}. ${next}`;
  return {
    allowed: false,
    text,
    decision: settled.decision,
    ...(settled.question && { question: settled.question }),
  };
}

// Models write a tool's input as JSON, and loops pass it on: as text it would pass for a command or a path.
function readCall(call: ToolCall): ToolCall {
  const { input } = givenOptions(call);
  const parsed = typeof input === "string" ? parseJson(input) : undefined;
  return isJsonObject(parsed) ? { ...call, input: parsed } : call;
}
