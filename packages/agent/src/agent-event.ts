/** Tokens of a turn and its children, as the provider counts them. */
export interface TokenUse {
  readonly input: number;
  /** Of `input`: read from the provider's cache. */
  readonly cached: number;
  readonly output: number;
}

/** What a person may want to see while the agent works; `child` is the number of the sub-agent that it happened in. */
export type AgentEvent = { readonly child?: number } & (
  | { readonly type: "text"; readonly text: string }
  | {
      readonly type: "skill";
      readonly name: string;
      readonly by: "message" | "model" | "preload" | "selection";
    }
  | { readonly type: "call"; readonly tool: string; readonly input: unknown }
  | { readonly type: "output"; readonly tool: string; readonly text: string }
  | { readonly type: "result"; readonly tool: string; readonly isError: boolean; readonly text: string }
  | { readonly type: "child"; readonly task: string }
  | { readonly type: "compacted"; readonly messages: number }
  | { readonly type: "notice"; readonly text: string }
  | { readonly type: "tokens"; readonly use: TokenUse }
);
