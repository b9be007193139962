import { fieldOf, parseJson } from "@skillet/kit/json";
import { readBoundedBody } from "@skillet/kit/network";
import type { ChatAnswer, SentToolCall, TokenUsage } from "./chat-message.ts";

/** The longest answer that is read. */
const MAX_ANSWER_BYTES = 1024 * 1024;
const MAX_TOOL_CALLS = 32;

/** The answer of a chat completion, or undefined where the body is none. */
export async function readAnswer(response: Response): Promise<ChatAnswer | undefined> {
  const bytes = await readBoundedBody(response, { maxBytes: MAX_ANSWER_BYTES });
  const value = parseJson(bytes);
  const message = fieldOf(first(fieldOf(value, "choices")), "message");
  if (typeof message !== "object" || message === null) return undefined;
  const content = fieldOf(message, "content");
  const calls = fieldOf(message, "tool_calls");
  const toolCalls = (Array.isArray(calls) ? calls.slice(0, MAX_TOOL_CALLS) : []).flatMap(readCall);
  if (typeof content !== "string" && toolCalls.length === 0 && content !== null) return undefined;
  const usage = readUsage(fieldOf(value, "usage"));
  return { content: typeof content === "string" ? content : null, toolCalls, ...(usage && { usage }) };
}

function first(value: unknown): unknown {
  return Array.isArray(value) ? value[0] : undefined;
}

function readCall(call: unknown, index: number): SentToolCall[] {
  const name = fieldOf(fieldOf(call, "function"), "name");
  const given = fieldOf(fieldOf(call, "function"), "arguments");
  const id = fieldOf(call, "id");
  if (typeof name !== "string") return [];
  return [
    {
      id: typeof id === "string" && id !== "" ? id : `call_${index}`,
      type: "function",
      function: {
        name,
        // Some servers send an object where the protocol has the text of one.
        arguments: typeof given === "string" ? given : (JSON.stringify(given) ?? "{}"),
      },
    },
  ];
}

function readUsage(usage: unknown): TokenUsage | undefined {
  const [promptTokens, completionTokens] = [
    fieldOf(usage, "prompt_tokens"),
    fieldOf(usage, "completion_tokens"),
  ];
  return isCount(promptTokens) && isCount(completionTokens) ? { promptTokens, completionTokens } : undefined;
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}
