import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import type { Step } from "../examples/scripted-model.ts";

/** A request of an agent's main loop. */
export interface StreamRequest {
  readonly tools: readonly string[];
  /** Everything but the tools, as text. */
  readonly text: string;
  /** Of the tools that were called so far. */
  readonly results: readonly string[];
}

/** What the model answers, which may depend on what it was sent. */
export type StreamStep = Step | ((request: StreamRequest) => Step);

/** How an agent asks its model over HTTP, and how it is answered: by server-sent events. */
export interface StreamApi<Body> {
  isGeneration(url: string): boolean;
  /** Other requests are for titles, routes and the like, and have few tools. */
  isMain(body: Body): boolean;
  see(body: Body): StreamRequest;
  /** Those without a name are sent without one. */
  events(step: Step, request: number, body: Body): Iterable<readonly [name: string, data: object]>;
}

export interface ServedStream {
  readonly url: string;
  readonly requests: readonly StreamRequest[];
  /** Hosts that were asked for by programs with this server as their proxy; none is reached. */
  readonly outside: readonly string[];
  close(): void;
}

/** Serves a model on loopback; the n-th request of the main loop gets the n-th step, side requests get a word. */
export async function serveStream<Body>(
  api: StreamApi<Body>,
  steps: readonly StreamStep[],
): Promise<ServedStream> {
  const requests: StreamRequest[] = [];
  const outside: string[] = [];
  const server = createServer(async (request, response) => {
    const body = await readJson<Body>(request);
    if (!api.isGeneration(request.url ?? "")) {
      response.setHeader("content-type", "application/json").end('{"input_tokens":10}');
      return;
    }
    const isMain = api.isMain(body);
    const seen = api.see(body);
    if (isMain) requests.push(seen);
    const next = (isMain ? steps[requests.length - 1] : undefined) ?? "Done.";
    const step = typeof next === "function" ? next(seen) : next;
    response.setHeader("content-type", "text/event-stream");
    for (const [name, data] of api.events(step, requests.length, body))
      response.write(`${name === "" ? "" : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`);
    response.end();
  });
  server.on("connect", ({ url = "" }, socket) => {
    outside.push(url);
    socket.on("error", () => socket.destroy());
    socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, requests, outside, close: () => server.closeAllConnections() ?? server.close() };
}

async function readJson<Body>(request: IncomingMessage): Promise<Body> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  return JSON.parse(text === "" ? "{}" : text);
}
