import { SkilletError } from "@skillet/core";
import { fieldOf, isJsonObject, textOf } from "@skillet/kit/json";
import { cutText, showLine } from "@skillet/kit/text";
import {
  AISDKError,
  APICallError,
  type LanguageModel,
  type ModelMessage,
  RetryError,
  stepCountIs,
  streamText,
  type TextStreamPart,
  type ToolSet,
} from "ai";
import type { AgentEvent, TokenUse } from "./agent-options.ts";

/** One answer of a model: it takes steps until it calls no more tools. */
export interface StepsOptions {
  readonly model: LanguageModel;
  readonly messages: readonly ModelMessage[];
  /** Settings of the AI SDK adapter. */
  readonly settings: object;
  readonly signal: AbortSignal | undefined;
  /** Ends after a step whose request had more tokens. */
  readonly maxInput?: number | undefined;
  readonly maxSteps?: number | undefined;
  /** Gets the messages that each finished step added. */
  readonly onStep: (messages: readonly ModelMessage[]) => Promise<void>;
  readonly onEvent: (event: AgentEvent) => void;
}

export interface StepsResult {
  readonly text: string;
  readonly steps: number;
  readonly use: TokenUse;
  /** Input tokens of the last request: how full the context window is. */
  readonly lastInput: number;
  /** `full`: the model has more to do, but the context window is too full. */
  readonly ending: "answered" | "interrupted" | "unfinished" | "full";
}

// A user can interrupt; a loop that nobody watches must end by itself.
export const MAX_STEPS = 100;
const MAX_DONE_CHARACTERS = 200;

export const NO_TOKENS: TokenUse = { input: 0, cached: 0, output: 0 };

export function sumTokens(some: TokenUse, more: TokenUse): TokenUse {
  return {
    input: some.input + more.input,
    cached: some.cached + more.cached,
    output: some.output + more.output,
  };
}

export async function runSteps(options: StepsOptions): Promise<StepsResult> {
  const { model, messages, settings, signal, onStep, onEvent } = options;
  const { maxInput = Infinity, maxSteps = MAX_STEPS } = options;
  let kept = 0;
  let steps = 0;
  let partial = "";
  let last = "";
  /** Tool results of the step that is under way. */
  let done: string[] = [];
  let use = NO_TOKENS;
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
    // The error is thrown below instead of printed.
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
      // Servers have their own finish reasons for a complete answer; an answer that broke off has none.
      cut = reason === "stop" || (reason === "other" && rawFinishReason !== undefined) ? undefined : reason;
      lastInput = usage.inputTokens ?? 0;
      const cached = usage.inputTokenDetails?.cacheReadTokens ?? 0;
      use = sumTokens(use, { input: lastInput, cached, output: usage.outputTokens ?? 0 });
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
    // What the model said and did so far is part of the conversation, and so is the interruption.
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
 * Answers calls of tools that do not exist: the SDK leaves a call of `constructor` to the client, because
 * every object has such a property. A call without a result would invalidate every later request.
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

const MAX_SHOWN_CHARACTERS = 200;

/** Turns a failure of the model's server into an error that says what to do; keeps any other error. */
function modelFailure(error: unknown): unknown {
  const last = RetryError.isInstance(error) ? error.lastError : error;
  // The SDK wraps errors that are thrown while an answer is read.
  for (let cause: unknown = last; cause instanceof Error; cause = cause.cause)
    if (SkilletError.isInstance(cause)) return cause;
  const failed = (message: string, data: Readonly<Record<string, unknown>> = {}): SkilletError =>
    new SkilletError("model-failed", message, { data, cause: error });
  if (APICallError.isInstance(last)) {
    const { statusCode: status, url } = last;
    const said = showLine(last.message).slice(0, MAX_SHOWN_CHARACTERS);
    return failed(`The model's server ${URL.parse(url)?.host ?? ""} ${describe(status, said)}`, { status });
  }
  if (AISDKError.isInstance(last))
    return failed(
      "The model's server answered with something that is not its protocol. Check the endpoint and `agent.model.protocol`.",
    );
  // An error in the middle of an answer: only its kind is shown, because its text can be anything.
  const isBroken = last instanceof TypeError && last.message === "terminated";
  if (last instanceof Error && !isBroken) return error;
  const kind = textOf(fieldOf(last, "error") ?? last, "type") ?? "";
  const why = /^[\w-]{1,60}$/.test(kind) ? ` (${kind})` : "";
  return failed(`The model's server broke off its answer${why}. Go on later: the conversation is kept.`);
}

function describe(status: number | undefined, said: string): string {
  if (status === undefined)
    return `cannot be reached: ${said}. Check the endpoint, and that the server runs.`;
  if (status === 401 || status === 403)
    return `refused the key (${status}). Check the key, and that it may use this model.`;
  if (status === 404)
    return "does not know the model or the address (404). Check the model's name and the endpoint.";
  if (status === 429) return "has had too many requests (429). Wait, then go on: the conversation is kept.";
  if (status >= 500) return `failed (${status}): ${said}. Go on later: the conversation is kept.`;
  return `answered ${status}: ${said}.`;
}
