/** What happens in an agent, in the terms that all agents share. */
export type HookEvent = {
  /** Which conversation of the agent this is; it is never shown, and its digest names the records. */
  readonly session: string;
  /** Where the agent works. */
  readonly cwd: string;
} & (
  | { readonly kind: "prompt"; readonly text: string }
  | ToolEvent
  | { readonly kind: "start"; readonly cause: "new" | "resumed" | "compacted" }
  | { readonly kind: "end" }
);

export type HookKind = HookEvent["kind"];

/** A call of one of the agent's tools, in the spelling that rules know: `Bash`, `Read`, `Skill`. */
export interface ToolEvent {
  readonly kind: "before-tool" | "after-tool" | "failed-tool";
  readonly tool: string;
  readonly input: unknown;
  /** Where a command begins, and what relative paths are relative to. */
  readonly folder: string;
}

export function withNotice(answer: HookAnswer, notice: string | undefined): HookAnswer {
  if (notice === undefined) return answer;
  return { ...answer, notice: answer.notice === undefined ? notice : `${answer.notice}\n${notice}` };
}

/** What Skillet says to it; nothing of it ever permits what the agent itself would ask about. */
export interface HookAnswer {
  /** To a tool call or a prompt. */
  readonly decision?: "ask" | "deny";
  readonly reason?: string;
  /** For the model. */
  readonly context?: string;
  /** For the person. */
  readonly notice?: string;
}
