import type { Activation, Session } from "@skillet/core";
import type { LanguageModel, ToolSet } from "ai";
import type { OpenTranscript } from "./transcript.ts";

/** What an agent is opened with. */
export interface AgentOptions {
  /** Opened with the user's `ask`, and a runner and records as the host wants them. The agent closes it. */
  readonly session: Session;
  /** A function is called for the agent and for each child: a replay has separate answers for each. */
  readonly model: LanguageModel | ((child: number | undefined) => LanguageModel);
  /** The agent's own tools; skills narrow them. Children get the same tools. */
  readonly tools: ToolSet;
  readonly instructions?: string | undefined;
  /** Skills that are loaded from the start, in this order, as labelled context. */
  readonly preload?: readonly string[] | undefined;
  /** Skills that a resumed session reloaded because they changed; their texts come with the next message. */
  readonly reactivated?: readonly Activation[] | undefined;
  /** If false, the model gets no list of skills; preloaded ones and those that the user names still work. */
  readonly catalog?: boolean | undefined;
  /** In tokens. The conversation is compacted once a request takes more than 80 % of it. Default 200,000. */
  readonly contextWindow?: number | undefined;
  /** Keeps the conversation, from `openTranscript`; an existing one is continued. The agent closes it. */
  readonly transcript?: OpenTranscript | undefined;
  readonly onEvent?: ((event: AgentEvent) => void) | undefined;
}

/** The answer to one message of the user. */
export interface Turn {
  readonly text: string;
  readonly isInterrupted: boolean;
  /** The turn ended before the model was done: too many steps, or a cut-off answer. A notice says which. */
  readonly isUnfinished: boolean;
  readonly use: TokenUse;
}

/** A conversation with a model that has skills. */
export interface Agent {
  /** Answers a message of the user. An abort ends the answer and its calls; the conversation can go on. */
  send(message: string, options?: { readonly signal?: AbortSignal | undefined }): Promise<Turn>;
  /** Replaces the conversation with a summary; loaded skills stay. */
  compact(options?: { readonly signal?: AbortSignal | undefined }): Promise<void>;
  close(): Promise<void>;
}

/** Tokens of a turn and its children, as the provider counts them. */
export interface TokenUse {
  readonly input: number;
  /** The part of `input` that was read from the provider's cache. */
  readonly cached: number;
  readonly output: number;
}

/** Progress that a host may show to the user; `child` is the number of the sub-agent that it happened in. */
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
