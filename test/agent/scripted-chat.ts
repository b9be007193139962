import { claude } from "../agents/scripted-claude.ts";
import { type ServedStream, type StreamApi, type StreamStep, serveStream } from "../agents/serve-stream.ts";
import type { Step } from "../examples/scripted-model.ts";

interface Body {
  readonly messages?: readonly { readonly role: string; readonly content: unknown }[];
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
}

/** Chat completions, as OpenAI streams them. */
const chat: StreamApi<Body> = {
  isGeneration: (url) => url === "/v1/chat/completions",
  isMain: () => true,
  see: ({ messages = [], tools = [] }) => ({
    tools: tools.map((tool) => tool.function.name),
    text: JSON.stringify(messages),
    results: messages.filter(({ role }) => role === "tool").map(({ content }) => String(content)),
  }),
  *events(step, request) {
    const base = { id: `chat_${request}`, object: "chat.completion.chunk", created: 0, model: "scripted" };
    const chunk = (delta: object, finish: string | null): [string, object] => [
      "",
      { ...base, choices: [{ index: 0, delta, finish_reason: finish }] },
    ];
    yield chunk(deltaOf(step, request), null);
    yield chunk({}, typeof step === "string" ? "stop" : "tool_calls");
    yield [
      "",
      { ...base, choices: [], usage: { prompt_tokens: 100, completion_tokens: 5, total_tokens: 105 } },
    ];
  },
};

function deltaOf(step: Step, request: number): object {
  if (typeof step === "string") return { role: "assistant", content: step };
  return {
    role: "assistant",
    tool_calls: step.map(({ name, input }, index) => ({
      index,
      id: `call_${request}_${index}`,
      type: "function",
      function: { name, arguments: JSON.stringify(input) },
    })),
  };
}

/** A model on loopback in one of the protocols that the agent speaks, and the variables that lead the agent to it. */
export async function serveAgentModel(
  protocol: "anthropic" | "openai",
  steps: readonly StreamStep[],
): Promise<ServedStream & { readonly environment: Readonly<Record<string, string>> }> {
  const served =
    protocol === "openai"
      ? await serveStream(chat, steps)
      : await serveStream({ ...claude, isMain: () => true }, steps);
  const prefix = protocol.toUpperCase();
  const environment = {
    [`${prefix}_BASE_URL`]: served.url,
    [`${prefix}_MODEL`]: "scripted",
    [`${prefix}_API_KEY`]: "test-key",
  };
  return { ...served, environment };
}
