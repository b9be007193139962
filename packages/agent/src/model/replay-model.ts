import { SkilletError } from "@skillet/core";
import { isJsonObject, textOf } from "@skillet/kit/json";
import type { LanguageModel, ModelMessage } from "ai";

type Model = Extract<LanguageModel, { readonly specificationVersion: "v3" }>;
type Content = Awaited<ReturnType<Model["doGenerate"]>>["content"][number];
type StreamPart =
  Awaited<ReturnType<Model["doStream"]>>["stream"] extends ReadableStream<infer Part> ? Part : never;

/**
 * A model that repeats the assistant messages of a recorded conversation, one per request, in order.
 * Everything else is real: tools run, questions are asked, skills are loaded.
 */
export function replayModel(messages: readonly ModelMessage[]): Model {
  const answers = messages.filter(({ role }) => role === "assistant");
  let next = 0;
  const answer = (): StreamPart[] => {
    const message = answers[next];
    next += 1;
    if (message === undefined)
      throw new SkilletError(
        "replay-ended",
        `The recorded conversation has ${answers.length} answers, and one more was asked for.`,
      );
    return partsOf(message, next);
  };
  return {
    specificationVersion: "v3",
    provider: "replay",
    modelId: "replay",
    supportedUrls: {},
    doGenerate: async () => {
      const parts = answer();
      const content = parts.flatMap((part): Content[] => {
        if (part.type === "tool-call") return [part];
        return part.type === "text-delta" ? [{ type: "text", text: part.delta }] : [];
      });
      return { content, finishReason: finishOf(parts), usage: NO_USAGE, warnings: [] };
    },
    doStream: async () => {
      const parts = answer();
      const finish: StreamPart = { type: "finish", finishReason: finishOf(parts), usage: NO_USAGE };
      return { stream: ReadableStream.from([...parts, finish]) as ReadableStream<StreamPart> };
    },
  };
}

const NO_USAGE = {
  inputTokens: { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 0, text: 0, reasoning: 0 },
};

function finishOf(parts: readonly StreamPart[]) {
  const calls = parts.some(({ type }) => type === "tool-call");
  return { unified: calls ? ("tool-calls" as const) : ("stop" as const), raw: undefined };
}

function partsOf({ content }: ModelMessage, place: number): StreamPart[] {
  const given: readonly unknown[] = typeof content === "string" ? [{ type: "text", text: content }] : content;
  return given.filter(isJsonObject).flatMap((part, index): StreamPart[] => {
    const id = `${place}-${index}`;
    if (part.type === "text")
      return [
        { type: "text-start", id },
        { type: "text-delta", id, delta: textOf(part, "text") ?? "" },
        { type: "text-end", id },
      ];
    if (part.type !== "tool-call") return [];
    const toolCallId = textOf(part, "toolCallId") ?? id;
    return [
      {
        type: "tool-call",
        toolCallId,
        toolName: textOf(part, "toolName") ?? "",
        input: JSON.stringify(part.input ?? {}),
      },
    ];
  });
}
