import { isJsonObject } from "@skillet/kit/json";
import { type LanguageModel, type ModelMessage, stepCountIs, streamText, type ToolSet } from "ai";
import type { AgentEvent, TokenUse } from "../agent-event.ts";
import { modelFailure } from "../model/model-failure.ts";

/** One answer of a model: its steps, until it calls no more tools. */
export interface StepsOptions {
  readonly model: LanguageModel;
  readonly messages: readonly ModelMessage[];
  /** Settings of the adapter. */
  readonly settings: object;
  readonly signal: AbortSignal | undefined;
  /** Called with the messages of each finished step. */
  readonly onStep: (messages: readonly ModelMessage[]) => Promise<void>;
  readonly onEvent: (event: AgentEvent) => void;
}

export interface StepsResult {
  readonly text: string;
  readonly use: TokenUse;
  /** Of the last request: how full the window is. */
  readonly lastInput: number;
  readonly isInterrupted: boolean;
}

// A person can interrupt; a loop without one must end by itself.
const MAX_STEPS = 100;

export async function runSteps(options: StepsOptions): Promise<StepsResult> {
  const { model, messages, settings, signal, onStep, onEvent } = options;
  let kept = 0;
  let partial = "";
  let last = "";
  let use: TokenUse = { input: 0, cached: 0, output: 0 };
  let lastInput = 0;
  let failure: { readonly error: unknown } | undefined;
  const streamed = streamText({
    ...{ model, messages: [...messages], stopWhen: stepCountIs(MAX_STEPS), maxRetries: 2 },
    ...(settings as { readonly tools: ToolSet }),
    ...(signal !== undefined && { abortSignal: signal }),
    // Thrown below, instead of printed.
    onError: ({ error }) => {
      failure ??= { error };
    },
    onStepFinish: async ({ response, usage, text }) => {
      const added = response.messages.slice(kept);
      kept = response.messages.length;
      partial = "";
      last = text || last;
      lastInput = usage.inputTokens ?? 0;
      use = {
        input: use.input + lastInput,
        cached: use.cached + (usage.inputTokenDetails?.cacheReadTokens ?? 0),
        output: use.output + (usage.outputTokens ?? 0),
      };
      await onStep(added);
    },
  });
  for await (const part of streamed.fullStream) {
    if (part.type === "text-delta") {
      partial += part.text;
      onEvent({ type: "text", text: part.text });
    } else if (part.type === "tool-call") onEvent({ type: "call", tool: part.toolName, input: part.input });
    else if (part.type === "tool-result") {
      const { toolName: tool, output } = part;
      const text = shownText(output);
      const isError = isJsonObject(output) && output.isError === true;
      if (part.preliminary !== true) onEvent({ type: "result", tool, isError, text });
      else if (text !== "") onEvent({ type: "output", tool, text });
    } else if (part.type === "tool-error") {
      const { toolName: tool, error } = part;
      onEvent({
        type: "result",
        tool,
        isError: true,
        text: error instanceof Error ? error.message : String(error),
      });
    }
  }
  const isInterrupted = signal?.aborted === true;
  if (isInterrupted) {
    // What it had said so far belongs to the conversation, and that it was stopped.
    const said = `${partial}\n\n(interrupted by the user)`.trimStart();
    await onStep([{ role: "assistant", content: said }]);
  } else if (failure !== undefined) throw modelFailure(failure.error);
  return { text: last || partial, use, lastInput, isInterrupted };
}

function shownText(output: unknown): string {
  if (typeof output === "string") return output;
  const text = isJsonObject(output) ? output.text : undefined;
  return typeof text === "string" ? text : (JSON.stringify(output) ?? "");
}
