import type { IncomingMessage, ServerResponse } from "node:http";
import { fieldOf, isJsonObject, textOf } from "@skillet/kit/json";
import { FAULT, faultAnswer, META, ProtocolFault } from "../protocol/json-rpc.ts";

const MAX_STREAM_BYTES = 1024 * 1024;
const KEEP_ALIVE_MS = 25_000;

export function isModern(message: unknown): boolean {
  const meta = fieldOf(fieldOf(message, "params"), "_meta");
  return isJsonObject(meta) && META.version in meta;
}

/** The parameter that the header Mcp-Name repeats; proxies in between must be able to trust the headers. */
const NAMED: Readonly<Record<string, string>> = {
  "tools/call": "name",
  "prompts/get": "name",
  "resources/read": "uri",
};

export function checkHeaders({ headers }: IncomingMessage, message: unknown): object | undefined {
  const params = fieldOf(message, "params");
  const method = textOf(message, "method") ?? "";
  const id = fieldOf(message, "id");
  if (id === undefined) return undefined;
  const named = Object.hasOwn(NAMED, method) ? textOf(params, NAMED[method] ?? "") : undefined;
  const wanted = [
    ["mcp-protocol-version", textOf(fieldOf(params, "_meta"), META.version)],
    ["mcp-method", method],
    ["mcp-name", named],
  ] as const;
  const wrong = wanted.find(
    ([header, value]) => value !== undefined && decodeHeader(textOf(headers, header)?.trim()) !== value,
  );
  if (wrong === undefined) return undefined;
  const fault = new ProtocolFault(
    FAULT.headerMismatch,
    `The header ${wrong[0]} is missing or not as the body says.`,
  );
  return faultAnswer(typeof id === "string" || typeof id === "number" ? id : null, fault);
}

/** Values that a header cannot hold are sent as `=?base64?…?=`. */
function decodeHeader(value: string | undefined): string | undefined {
  const [, encoded] = /^=\?base64\?([A-Za-z0-9+/=]*)\?=$/.exec(value ?? "") ?? [];
  return encoded === undefined ? value : Buffer.from(encoded, "base64").toString();
}

const STATUS: ReadonlyMap<unknown, number> = new Map([
  [FAULT.method, 404],
  [FAULT.version, 400],
  [FAULT.request, 400],
]);

export function statusOf(answer: object | undefined): number {
  return STATUS.get(fieldOf(fieldOf(answer, "error"), "code")) ?? 200;
}

const SAFE_HEADERS = { "cache-control": "no-store", "x-content-type-options": "nosniff" };

export function reply(
  response: ServerResponse,
  answer: object | undefined,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): void {
  const shown = { ...SAFE_HEADERS, ...headers };
  if (answer === undefined) response.writeHead(202, shown).end();
  else
    response.writeHead(status, { ...shown, "content-type": "application/json" }).end(JSON.stringify(answer));
}

/** The body of a refused request is not read: the connection ends with the answer. */
export function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  message: string,
): void {
  const headers = { connection: "close", ...(status === 401 && { "www-authenticate": "Bearer" }) };
  reply(response, faultAnswer(null, new ProtocolFault(FAULT.request, message)), status, headers);
  request.resume();
}

export function openStream(response: ServerResponse): void {
  response.writeHead(200, { ...SAFE_HEADERS, "content-type": "text/event-stream" });
  response.flushHeaders();
  const beat = setInterval(() => response.write(": \n\n"), KEEP_ALIVE_MS).unref();
  response.once("close", () => clearInterval(beat));
}

export function sendEvent(stream: ServerResponse | undefined, message: object): void {
  if (stream === undefined || stream.writableEnded || stream.destroyed) return;
  if (!stream.headersSent) openStream(stream);
  // Do not buffer messages for a client that does not read them.
  if (stream.writableLength > MAX_STREAM_BYTES) stream.destroy();
  else stream.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
}
