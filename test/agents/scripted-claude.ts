import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import type { Step } from "../examples/scripted-model.ts";

/** A request of the agent's main loop. */
export interface ClaudeRequest {
  readonly tools: readonly string[];
  /** Everything but the tools, as text. */
  readonly text: string;
  /** Of the tools that were called so far. */
  readonly results: readonly string[];
}

interface Body {
  readonly model?: string;
  readonly system?: unknown;
  readonly tools?: readonly { readonly name: string }[];
  readonly messages?: readonly {
    readonly content: string | readonly { readonly type: string; readonly content?: unknown }[];
  }[];
}

/** What the model answers, which may depend on what it was sent. */
export type ClaudeStep = Step | ((request: ClaudeRequest) => Step);

/**
 * Serves Anthropic's Messages API as streams; the n-th request of the main loop gets the n-th step, and calls are named
 * `toolu_REQUEST_INDEX`. Side requests, which have few tools, get a word.
 */
export async function serveClaude(steps: readonly ClaudeStep[]): Promise<{
  readonly url: string;
  readonly requests: readonly ClaudeRequest[];
  close(): void;
}> {
  const requests: ClaudeRequest[] = [];
  const server = createServer(async (request, response) => {
    const body = await readJson(request);
    if (request.url?.startsWith("/v1/messages?") !== true && request.url !== "/v1/messages") {
      response.setHeader("content-type", "application/json").end('{"input_tokens":10}');
      return;
    }
    const isMain = body.tools?.some(({ name }) => name === "Skill") === true;
    const seen = describe(body);
    if (isMain) requests.push(seen);
    const next = (isMain ? steps[requests.length - 1] : undefined) ?? "Done.";
    const step = typeof next === "function" ? next(seen) : next;
    response.setHeader("content-type", "text/event-stream");
    for (const [type, data] of eventsOf(step, requests.length, body.model))
      response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
    response.end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, requests, close: () => server.closeAllConnections() ?? server.close() };
}

async function readJson(request: IncomingMessage): Promise<Body> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  return text === "" ? {} : JSON.parse(text);
}

function describe({ system, messages = [], tools = [] }: Body): ClaudeRequest {
  const parts = messages.flatMap(({ content }) => (typeof content === "string" ? [] : content));
  return {
    tools: tools.map(({ name }) => name),
    text: JSON.stringify([system, messages]),
    results: parts
      .filter(({ type }) => type === "tool_result")
      .map(({ content }) => (typeof content === "string" ? content : JSON.stringify(content))),
  };
}

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
