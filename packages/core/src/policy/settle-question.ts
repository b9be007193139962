import type { PolicyMode } from "../config/config.ts";
import type { Decision } from "./decision.ts";

/** Whether and how a person can be asked. */
export interface Asking {
  readonly mode: PolicyMode;
  /** False: nobody is there to ask. */
  readonly interactive: boolean;
}

/** The outcome of a question: asked where somebody may be, otherwise a denial that says why. */
export function settleQuestion(question: Omit<Decision, "outcome">, { mode, interactive }: Asking): Decision {
  if (mode === "locked")
    return { ...question, outcome: "deny", reason: `${question.reason}; locked mode asks no questions` };
  if (!interactive)
    return { ...question, outcome: "deny", reason: `${question.reason}; nobody is there to ask` };
  return { ...question, outcome: "ask" };
}
