import type { Activation, Session } from "@skillet/core";
import type { LanguageModel, ToolSet } from "ai";
import type { OpenTranscript } from "./transcript.ts";

/** What an agent is made of. */
export interface AgentOptions {
  /** Opened with the person's `ask`, a runner and records as the host wants them. The agent closes it. */
  readonly session: Session;
  /** Another one for each child where it is a function: a replay has answers for each. */
  readonly model: LanguageModel | ((child: number | undefined) => LanguageModel);
  /** Its own tools; skills narrow them. Children have the same. */
  readonly tools: ToolSet;
  readonly instructions?: string | undefined;
  /** Skills that are there from the start, in this order, as labelled context. */
  readonly preload?: readonly string[] | undefined;
  /** Those that a resumed session loaded again because they had changed: their texts come with the next message. */
  readonly reactivated?: readonly Activation[] | undefined;
  /** False: skills are not listed for the model; those that are preloaded or named by a person still work. */
  readonly catalog?: boolean | undefined;
  /** Tokens; from four fifths of it on, the conversation is shortened. Default 200,000. */
  readonly contextWindow?: number | undefined;
  /** Where the conversation is kept, from `openTranscript`; what it has already is gone on with. The agent closes it. */
  readonly transcript?: OpenTranscript | undefined;
  readonly onEvent?: ((event: AgentEvent) => void) | undefined;
}

/** How a person's message was answered. */
export interface Turn {
  readonly text: string;
  readonly isInterrupted: boolean;
  /** It ended before the model was done: too many steps, or an answer that was cut off; a notice said which. */
  readonly isUnfinished: boolean;
  readonly use: TokenUse;
}

/** A conversation with a model that has skills. */
export interface Agent {
  /** Answers a person's message; an abort ends the answer and what runs for it, and the conversation can go on. */
  send(message: string, options?: { readonly signal?: AbortSignal | undefined }): Promise<Turn>;
  /** Shortens the conversation to a summary; loaded skills stay. */
  compact(options?: { readonly signal?: AbortSignal | undefined }): Promise<void>;
  close(): Promise<void>;
}

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
