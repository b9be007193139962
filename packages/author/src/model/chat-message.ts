/** One message of a conversation with a model, as chat completions have it. */
export type ChatMessage =
  | { readonly role: "system" | "user"; readonly content: string }
  | {
      readonly role: "assistant";
      readonly content: string | null;
      readonly tool_calls?: readonly SentToolCall[];
    }
  | { readonly role: "tool"; readonly tool_call_id: string; readonly content: string };

/** A call of a tool as it is sent back to the model that made it. */
export interface SentToolCall {
  readonly id: string;
  readonly type: "function";
  readonly function: { readonly name: string; readonly arguments: string };
}

/** What a model answered: words, calls of tools, or both. */
export interface ChatAnswer {
  readonly content: string | null;
  readonly toolCalls: readonly SentToolCall[];
  /** As the endpoint says; absent where it does not. */
  readonly usage?: TokenUsage;
}

/** Tokens by an endpoint's own account. */
export interface TokenUsage {
  readonly promptTokens: number;
  readonly completionTokens: number;
}
