import { isJsonObject } from "@skillet/kit/json";
import { cutText, showLine } from "@skillet/kit/text";
import {
  type LanguageModel,
  type ModelMessage,
  stepCountIs,
  streamText,
  type TextStreamPart,
  type ToolSet,
} from "ai";
import type { AgentEvent, TokenUse } from "../agent-event.ts";
import { modelFailure } from "../model/model-failure.ts";

/** One answer of a model: its steps, until it calls no more tools. */
export interface StepsOptions {
  readonly model: LanguageModel;
  readonly messages: readonly ModelMessage[];
  /** Settings of the adapter. */
  readonly settings: object;
  readonly signal: AbortSignal | undefined;
  /** Ends after the step whose request had more tokens. */
  readonly maxInput?: number | undefined;
  readonly maxSteps?: number | undefined;
  /** Called with the messages of each finished step. */
  readonly onStep: (messages: readonly ModelMessage[]) => Promise<void>;
  readonly onEvent: (event: AgentEvent) => void;
}

export interface StepsResult {
  readonly text: string;
  readonly steps: number;
  readonly use: TokenUse;
  /** Of the last request: how full the window is. */
  readonly lastInput: number;
  /** `full`: it has more to do, and the window is too full for it. */
  readonly ending: "answered" | "interrupted" | "unfinished" | "full";
}

// A person can interrupt; a loop without one must end by itself.
export const MAX_STEPS = 100;
const MAX_DONE_CHARACTERS = 200;

export async function runSteps(options: StepsOptions): Promise<StepsResult> {
  const { model, messages, settings, signal, onStep, onEvent } = options;
  const { maxInput = Infinity, maxSteps = MAX_STEPS } = options;
  let kept = 0;
  let steps = 0;
  let partial = "";
  let last = "";
  /** What was done in a step that has not ended. */
  let done: string[] = [];
  let use: TokenUse = { input: 0, cached: 0, output: 0 };
  let lastInput = 0;
  let isCalling = false;
  let isLost = false;
  let cut: string | undefined;
  let failure: { readonly error: unknown } | undefined;
  const streamed = streamText({
    model,
    messages: [...messages],
    maxRetries: 2,
    ...(settings as { readonly tools: ToolSet }),
    stopWhen: [stepCountIs(maxSteps), ({ steps: all }) => (all.at(-1)?.usage.inputTokens ?? 0) > maxInput],
    ...(signal !== undefined && { abortSignal: signal }),
    // Thrown below, instead of printed.
    onError: ({ error }) => {
      failure ??= { error };
    },
    onStepFinish: async ({ response, usage, text, toolCalls, finishReason: reason, rawFinishReason }) => {
      const lost = unanswered(response.messages.slice(kept), toolCalls);
      const added = [...response.messages.slice(kept), ...lost];
      kept = response.messages.length;
      steps += 1;
      partial = "";
      done = [];
      last = text || last;
      isCalling = toolCalls.length > 0;
      isLost = lost.length > 0;
      // Servers have words of their own for an answer that ended well; one that broke off has none.
      cut = reason === "stop" || (reason === "other" && rawFinishReason !== undefined) ? undefined : reason;
      lastInput = usage.inputTokens ?? 0;
      use = {
        input: use.input + lastInput,
        cached: use.cached + (usage.inputTokenDetails?.cacheReadTokens ?? 0),
        output: use.output + (usage.outputTokens ?? 0),
      };
      await onStep(added);
    },
  });
  try {
    for await (const part of streamed.fullStream) {
      const event = eventOf(part);
      if (event === undefined) continue;
      if (event.type === "text") partial += event.text;
      if (event.type === "result")
        done.push(cutText(showLine(`${event.tool}: ${event.text}`), MAX_DONE_CHARACTERS));
      onEvent(event);
    }
  } catch (error) {
    failure ??= { error };
  }
  if (signal?.aborted === true) {
    // What it had said and done so far belongs to the conversation, and that it was stopped.
    const parts = [partial, ...done.map((one) => `(done before: ${one})`), "(interrupted by the user)"];
    await onStep([{ role: "assistant", content: parts.filter((part) => part !== "").join("\n\n") }]);
    return { text: last || partial, steps, use, lastInput, ending: "interrupted" };
  }
  if (failure !== undefined) throw modelFailure(failure.error);
  const ended = { text: last || partial, steps, use, lastInput };
  if (isCalling && steps < maxSteps && lastInput > maxInput) return { ...ended, ending: "full" };
  const why = isLost
    ? "the model called a tool that is not there"
    : isCalling
      ? `it took ${MAX_STEPS} steps`
      : cut && `the model's answer was cut off (${cut})`;
  if (why === undefined) return { ...ended, ending: "answered" };
  onEvent({ type: "notice", text: `This is unfinished: ${why}.` });
  return { ...ended, ending: "unfinished" };
}

/**
 * The SDK takes `constructor` for a tool that the client carries out, because every object has something of that name. A call
 * without a result would make every later request a wrong one.
 */
function unanswered(
  messages: readonly ModelMessage[],
  calls: readonly { readonly toolCallId: string; readonly toolName: string }[],
): readonly ModelMessage[] {
  const results = messages.flatMap(({ role, content }) => (role === "tool" ? content : []));
  const answered = new Set(results.map((part) => ("toolCallId" in part ? part.toolCallId : "")));
  const lost = calls.filter(({ toolCallId }) => !answered.has(toolCallId));
  const output = { type: "error-text", value: "There is no such tool." } as const;
  const content = lost.map(({ toolCallId, toolName }) => ({
    type: "tool-result" as const,
    toolCallId,
    toolName,
    output,
  }));
  return content.length === 0 ? [] : [{ role: "tool", content }];
}

function eventOf(part: TextStreamPart<ToolSet>): AgentEvent | undefined {
  if (part.type === "text-delta") return { type: "text", text: part.text };
  if (part.type === "tool-call") return { type: "call", tool: part.toolName, input: part.input };
  if (part.type === "tool-error") {
    const { toolName: tool, error } = part;
    const text = error instanceof Error ? error.message : String(error);
    return { type: "result", tool, isError: true, text };
  }
  if (part.type !== "tool-result") return undefined;
  const { toolName: tool, output } = part;
  const text = shownText(output);
  if (part.preliminary === true) return text === "" ? undefined : { type: "output", tool, text };
  return { type: "result", tool, isError: isJsonObject(output) && output.isError === true, text };
}

function shownText(output: unknown): string {
  if (typeof output === "string") return output;
  const text = isJsonObject(output) ? output.text : undefined;
  return typeof text === "string" ? text : (JSON.stringify(output) ?? "");
}
