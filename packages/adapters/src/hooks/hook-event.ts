/** An event in an agent, in the form that all agents share. */
export type HookEvent = {
  /** The conversation; its id is never shown, and its digest names the records. */
  readonly session: string;
  /** The agent's working folder. */
  readonly cwd: string;
} & (
  | { readonly kind: "prompt"; readonly text: string }
  | ToolEvent
  | { readonly kind: "start"; readonly cause: "new" | "resumed" | "compacted" }
  | { readonly kind: "end" }
);

export type HookKind = HookEvent["kind"];

/** A call of one of the agent's tools, in the spelling of rules: `Bash`, `Read`, `Skill`. */
export interface ToolEvent {
  readonly kind: "before-tool" | "after-tool" | "failed-tool";
  readonly tool: string;
  readonly input: unknown;
  /** Where a command starts, and what relative paths refer to. */
  readonly folder: string;
}

export function withNotice(answer: HookAnswer, notice: string | undefined): HookAnswer {
  if (notice === undefined) return answer;
  return { ...answer, notice: answer.notice === undefined ? notice : `${answer.notice}\n${notice}` };
}

/** Skillet's answer to an event; it never permits what the agent itself would ask about. */
export interface HookAnswer {
  /** On a tool call or a prompt. */
  readonly decision?: "ask" | "deny";
  readonly reason?: string;
  /** For the model. */
  readonly context?: string;
  /** For the user. */
  readonly notice?: string;
}
