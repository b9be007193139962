import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** A request as the model's server receives it. */
export interface Asked {
  readonly headers: IncomingHttpHeaders;
  readonly url: string;
  readonly body: {
    readonly model: string;
    readonly messages: readonly { readonly role: string; readonly content: string | null }[];
    readonly tools: readonly { readonly function: { readonly name: string } }[];
  };
  readonly query: string;
  /** The turn within its conversation, from 1. */
  readonly turn: number;
}

export type Behaviour = (asked: Asked, response: ServerResponse) => void;

/** A server on this machine that behaves like a model, and the requests that it received. */
export async function serveModel(behaviour: Behaviour): Promise<{ endpoint: string; asked: Asked[] }> {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = JSON.parse(Buffer.concat(chunks).toString("utf8")) as Asked["body"];
      const query = body.messages.find(({ role }) => role === "user")?.content ?? "";
      const turn = body.messages.filter(({ role }) => role === "assistant").length + 1;
      const one = { headers: request.headers, url: request.url ?? "", body, query, turn };
      asked.push(one);
      behaviour(one, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, asked };
}

const USAGE = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 };

function complete(response: ServerResponse, message: unknown, usage: unknown = USAGE): void {
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify({ choices: [{ message }], ...(usage !== null && { usage }) }));
}

export function say(response: ServerResponse, content: string, usage?: unknown): void {
  complete(response, { role: "assistant", content }, usage);
}

export function call(
  response: ServerResponse,
  ...calls: readonly (readonly [name: string, given: Readonly<Record<string, string>>])[]
): void {
  complete(response, {
    role: "assistant",
    content: null,
    tool_calls: calls.map(([name, given], index) => ({
      id: `call_${index}`,
      type: "function",
      function: { name, arguments: JSON.stringify(given) },
    })),
  });
}
