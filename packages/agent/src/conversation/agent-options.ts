import type { Activation, Session } from "@skillet/core";
import type { LanguageModel, ToolSet } from "ai";
import type { AgentEvent, TokenUse } from "../agent-event.ts";
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
