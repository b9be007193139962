import type { ScriptRefusal } from "@skillet/core";

/** A refusal, for the session to record. */
export function refuse(code: ScriptRefusal["code"], message: string): ScriptRefusal {
  return { status: "refused", code, message };
}
