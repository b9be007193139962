import { readBoundedBody } from "@skillet/kit/network";
import type { ChatAnswer, SentToolCall, TokenUsage } from "./chat-message.ts";

/** The longest answer that is read. */
const MAX_ANSWER_BYTES = 1024 * 1024;
const MAX_TOOL_CALLS = 32;

/** The answer of a chat completion, or undefined where the body is none. */
export async function readAnswer(response: Response): Promise<ChatAnswer | undefined> {
  const bytes = await readBoundedBody(response, { maxBytes: MAX_ANSWER_BYTES });
  const value = bytes && parseJson(bytes.toString("utf8"));
  const message = field(first(field(value, "choices")), "message");
  if (typeof message !== "object" || message === null) return undefined;
  const content = field(message, "content");
  const calls = field(message, "tool_calls");
  const toolCalls = (Array.isArray(calls) ? calls.slice(0, MAX_TOOL_CALLS) : []).flatMap(readCall);
  if (typeof content !== "string" && toolCalls.length === 0 && content !== null) return undefined;
  const usage = readUsage(field(value, "usage"));
  return { content: typeof content === "string" ? content : null, toolCalls, ...(usage && { usage }) };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined;
}

function first(value: unknown): unknown {
  return Array.isArray(value) ? value[0] : undefined;
}

function readCall(call: unknown, index: number): SentToolCall[] {
  const name = field(field(call, "function"), "name");
  const given = field(field(call, "function"), "arguments");
  const id = field(call, "id");
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
  const [promptTokens, completionTokens] = [field(usage, "prompt_tokens"), field(usage, "completion_tokens")];
  return isCount(promptTokens) && isCount(completionTokens) ? { promptTokens, completionTokens } : undefined;
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}
