import type { Step } from "../examples/scripted-model.ts";
import {
  type ServedStream,
  type StreamApi,
  type StreamRequest,
  type StreamStep,
  serveStream,
} from "./serve-stream.ts";

export type ClaudeRequest = StreamRequest;
export type ClaudeStep = StreamStep;

interface Body {
  readonly model?: string;
  readonly system?: unknown;
  readonly tools?: readonly { readonly name: string }[];
  readonly messages?: readonly {
    readonly content: string | readonly { readonly type: string; readonly content?: unknown }[];
  }[];
}

export function serveClaude(steps: readonly ClaudeStep[]): Promise<ServedStream> {
  return serveStream(claude, steps);
}

/** Anthropic's Messages API; calls are named `toolu_REQUEST_INDEX`. */
export const claude: StreamApi<Body> = {
  isGeneration: (url) => url === "/v1/messages" || url.startsWith("/v1/messages?"),
  isMain: ({ tools = [] }) => tools.some(({ name }) => /^skill$/i.test(name)),
  see: ({ system, messages = [], tools = [] }) => {
    const parts = messages.flatMap(({ content }) => (typeof content === "string" ? [] : content));
    return {
      tools: tools.map(({ name }) => name),
      text: JSON.stringify([system, messages]),
      results: parts
        .filter(({ type }) => type === "tool_result")
        .map(({ content }) => (typeof content === "string" ? content : JSON.stringify(content))),
    };
  },
  *events(step, request, { model }) {
    for (const [type, data] of eventsOf(step, request, model)) yield [type, { type, ...data }];
  },
};

function* eventsOf(step: Step, request: number, model: string | undefined): Generator<[string, object]> {
  const usage = { input_tokens: 10, output_tokens: 5 };
  const message = { id: `msg_${request}`, type: "message", role: "assistant", model, content: [], usage };
  yield ["message_start", { message: { ...message, stop_reason: null, stop_sequence: null } }];
  const blocks =
    typeof step === "string"
      ? [
          [
            { type: "text", text: "" },
            { type: "text_delta", text: step },
          ] as const,
        ]
      : step.map(({ name, input }, index) => {
          const block = { type: "tool_use", id: `toolu_${request}_${index}`, name, input: {} };
          return [block, { type: "input_json_delta", partial_json: JSON.stringify(input) }] as const;
        });
  for (const [index, [content_block, delta]] of blocks.entries()) {
    yield ["content_block_start", { index, content_block }];
    yield ["content_block_delta", { index, delta }];
    yield ["content_block_stop", { index }];
  }
  const stop_reason = typeof step === "string" ? "end_turn" : "tool_use";
  yield ["message_delta", { delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 5 } }];
  yield ["message_stop", {}];
}
