import type { StreamApi } from "./serve-stream.ts";

interface Body {
  readonly instructions?: string;
  readonly tools?: readonly { readonly name?: string }[];
  readonly input?: readonly { readonly type: string; readonly output?: unknown }[];
}

/** OpenAI's Responses API. An input that is a text is that of a tool with free text, such as `apply_patch`. */
export const codex: StreamApi<Body> = {
  isGeneration: (url) => url.endsWith("/responses"),
  isMain: ({ tools = [] }) => tools.length > 0,
  see: ({ instructions, tools = [], input = [] }) => ({
    tools: tools.map(({ name = "" }) => name),
    text: JSON.stringify([instructions, input]),
    results: input
      .filter(({ type }) => type.endsWith("_call_output"))
      .map(({ output }) => (typeof output === "string" ? output : JSON.stringify(output))),
  }),
  *events(step, request) {
    const id = `resp_${request}`;
    yield event("response.created", { response: { id } });
    for (const [output_index, item] of itemsOf(step, request).entries())
      yield event("response.output_item.done", { output_index, item });
    const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
    yield event("response.completed", { response: { id, usage } });
  },
};

const event = (type: string, data: object): readonly [string, object] => [type, { type, ...data }];

function itemsOf(step: Parameters<typeof codex.events>[0], request: number): readonly object[] {
  const base = { id: `item_${request}`, status: "completed" };
  if (typeof step === "string") {
    const content = [{ type: "output_text", text: step, annotations: [] }];
    return [{ ...base, type: "message", role: "assistant", content }];
  }
  return step.map(({ name, input }, index) => {
    const call = { ...base, call_id: `call_${request}_${index}`, name };
    return typeof input === "string"
      ? { ...call, type: "custom_tool_call", input }
      : { ...call, type: "function_call", arguments: JSON.stringify(input) };
  });
}
