import { isJsonObject, parseJson } from "@skillet/kit/json";
import { cutText, showLine, showName } from "@skillet/kit/text";
import { type ApprovalOptions, type Question, unlessAborted } from "../../ask.ts";
import type { ToolCall } from "../../policy/check-tool-call.ts";
import type { Decision } from "../../policy/decision.ts";
import { hookedDecision } from "../hooks/run-hooks.ts";
import { givenOptions, toJson } from "../model-input.ts";
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
  given: ToolCall,
  { signal, approval }: ApprovalOptions,
): Promise<Guarded> {
  const call = readCall(given);
  const decide = (): Decision => {
    checkOpen(session);
    return decideToolCall(session, call);
  };
  // A no stays one, also where by now nothing would ask, such as after the turn that a skill had narrowed.
  const isRefused = approval !== undefined && approval !== null && approval.choice !== "allow";
  const decision = isRefused
    ? ({ outcome: "deny", reason: "a person was asked and said no" } as const)
    : await unlessAborted(hookedDecision(session, call, decide), signal);
  if (decision.outcome === "allow") return { allowed: true, decision };
  const { tool, input } = givenOptions(call);
  const skills = new Set(narrowingLevels(session).flatMap((level) => level.map(({ by }) => by)));
  const asking = { kind: "tool", skill: [...skills].join(", "), reason: decision.reason } as const;
  const question = questionAbout(session, { ...asking, call: { tool, input } });
  const asked: Asked =
    decision.outcome === "ask"
      ? await unlessAborted(askToAllow(session, question, { approval, signal }), signal)
      : { isAllowed: false };
  // What was denied while a person was thinking stays denied.
  const now = asked.isAllowed ? decide() : decision;
  if (asked.isAllowed && now.outcome !== "deny") return { allowed: true, decision };
  const { outcome, reason, rule } = now;
  const isNamed = typeof tool === "string";
  const shown = typeof input === "string" ? input : (toJson(input) ?? "");
  await recordRefusal(session.recorder, {
    what: "tool",
    subject: isNamed ? `${tool} ${shown}`.trimEnd() : "a call without a tool's name",
    error: { code: `tool-${outcome}`, message: reason },
    ...(rule !== undefined && { rule }),
  });
  const why = cutText(showLine(`${reason}${showFailure(asked)}`), MAX_TEXT_CHARACTERS);
  const text = `${isNamed ? showName(tool) : "The tool"} was not called: ${why}. Do without it, or ask the user.`;
  return { allowed: false, text, decision: now, ...(asked.open && { question }) };
}

// Models write the input of a tool as JSON, and loops pass it on: as text it would be taken for a command or a path.
function readCall(call: ToolCall): ToolCall {
  const { input } = givenOptions(call);
  const parsed = typeof input === "string" ? parseJson(input) : undefined;
  return isJsonObject(parsed) ? { ...call, input: parsed } : call;
}
