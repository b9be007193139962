import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

/** A turn of the model: calls of tools, or the text that ends the conversation. */
export type Step = string | readonly { readonly name: string; readonly input: unknown }[];

/** A request, whichever API it was for. */
export interface SeenRequest {
  readonly system: string;
  readonly tools: readonly string[];
  /** Of all tools that were called so far. */
  readonly results: readonly string[];
}

export interface ScriptedModel {
  readonly url: string;
  readonly requests: readonly SeenRequest[];
  close(): void;
}

/** Serves three model APIs on loopback; the n-th request gets the n-th step, and one too many gets an error. */
export async function serveModel(steps: readonly Step[]): Promise<ScriptedModel> {
  const requests: SeenRequest[] = [];
  const threads = new Map<string, Body>();
  const server = createServer(async (request, response) => {
    const api = APIS[request.url ?? ""];
    const step = steps[requests.length];
    const body = continueThread(threads, await readJson(request), requests.length + 1);
    if (api === undefined || step === undefined) {
      response.writeHead(400).end(`{"error":{"message":"Nothing is scripted for ${request.url}"}}`);
      return;
    }
    requests.push(api.see(body));
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(api.answer(step, requests.length)));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, requests, close: () => server.closeAllConnections() ?? server.close() };
}

async function readJson(request: IncomingMessage): Promise<Body> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString());
}

/** In a thread of Anthropic's API a request has only the messages that are new. */
function continueThread(threads: Map<string, Body>, sent: Body, turn: number): Body {
  const before = threads.get(sent.thread?.previous_message_id ?? "");
  const body = before
    ? { ...before, messages: [...(before.messages ?? []), ...(sent.messages ?? [])] }
    : sent;
  threads.set(`msg_${turn}`, body);
  return body;
}

/** The fields of the three APIs that matter here. */
interface Body {
  readonly system?: Content;
  readonly instructions?: string;
  readonly messages?: readonly { readonly role: string; readonly content: Content }[];
  readonly input?: readonly { readonly type?: string; readonly output?: Content }[];
  readonly thread?: { readonly previous_message_id?: string };
  readonly tools?: readonly { readonly name?: string; readonly function?: { readonly name: string } }[];
}

type Content =
  | string
  | readonly { readonly type: string; readonly text?: string; readonly content?: Content }[];

interface Api {
  see(body: Body): SeenRequest;
  answer(step: Step, turn: number): unknown;
}

function textOf(content: Content = ""): string {
  return typeof content === "string"
    ? content
    : content.map(({ type, text = `[${type}]` }) => text).join("\n");
}

const json = (input: unknown): string => (typeof input === "string" ? input : JSON.stringify(input));
const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };

const chatCompletions: Api = {
  see: ({ messages = [], tools = [] }) => {
    const of = (...roles: string[]) =>
      messages.filter(({ role }) => roles.includes(role)).map(({ content }) => textOf(content));
    return {
      system: of("system", "developer").join("\n"),
      tools: tools.map((one) => one.function?.name ?? ""),
      results: of("tool"),
    };
  },
  answer: (step, turn) => {
    const calls =
      typeof step === "string"
        ? undefined
        : step.map(({ name, input }, index) => ({
            id: `call_${turn}_${index}`,
            type: "function",
            function: { name, arguments: json(input) },
          }));
    const message = { role: "assistant", content: calls ? null : step, ...(calls && { tool_calls: calls }) };
    const choice = { index: 0, message, finish_reason: calls ? "tool_calls" : "stop" };
    return {
      id: `chat_${turn}`,
      object: "chat.completion",
      created: 0,
      model: "scripted",
      choices: [choice],
      usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
    };
  },
};

const responses: Api = {
  see: ({ instructions = "", input = [], tools = [] }) => ({
    system: instructions,
    tools: tools.map(({ name = "" }) => name),
    results: input.filter(({ type }) => type === "function_call_output").map(({ output }) => textOf(output)),
  }),
  answer: (step, turn) => ({
    id: `resp_${turn}`,
    object: "response",
    created_at: 0,
    model: "scripted",
    status: "completed",
    usage,
    output:
      typeof step === "string"
        ? [
            {
              id: `msg_${turn}`,
              type: "message",
              role: "assistant",
              status: "completed",
              content: [{ type: "output_text", text: step, annotations: [] }],
            },
          ]
        : step.map(({ name, input }, index) => ({
            id: `fc_${turn}_${index}`,
            call_id: `call_${turn}_${index}`,
            type: "function_call",
            status: "completed",
            name,
            arguments: json(input),
          })),
  }),
};

const anthropic: Api = {
  see: ({ system, messages = [], tools = [] }) => ({
    system: textOf(system),
    tools: tools.map(({ name = "" }) => name),
    results: messages
      .flatMap(({ content }) => (typeof content === "string" ? [] : content))
      .filter(({ type }) => type === "tool_result")
      .map(({ content }) => textOf(content)),
  }),
  answer: (step, turn) => ({
    id: `msg_${turn}`,
    type: "message",
    role: "assistant",
    model: "scripted",
    usage,
    stop_sequence: null,
    stop_reason: typeof step === "string" ? "end_turn" : "tool_use",
    content:
      typeof step === "string"
        ? [{ type: "text", text: step }]
        : step.map(({ name, input }, index) => ({
            type: "tool_use",
            id: `call_${turn}_${index}`,
            name,
            input,
          })),
  }),
};

const APIS: Readonly<Record<string, Api>> = {
  "/v1/chat/completions": chatCompletions,
  "/v1/responses": responses,
  "/v1/messages": anthropic,
  "/v1/messages?beta=true": anthropic,
};
