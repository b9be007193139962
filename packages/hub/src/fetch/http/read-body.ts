import type { IncomingMessage } from "node:http";
import { bodyFault, httpError } from "./http-errors.ts";
import type { HttpRequest } from "./send-request.ts";

// Enough for what a server has to say about a refusal.
const MAX_EXCUSE_BYTES = 64 * 1024;

/** Reads the body of an answer: whole if it is what was asked for, as much as is useful if it is an excuse. */
export async function readBody(
  response: IncomingMessage,
  { request, onData }: { readonly request: HttpRequest; readonly onData: () => void },
): Promise<Uint8Array> {
  const status = response.statusCode ?? 0;
  const declared = response.headers["content-length"];
  const totalBytes = declared === undefined ? undefined : Number(declared);
  if (request.method === "HEAD" || status === 204 || (status >= 300 && status < 400)) return new Uint8Array();
  const fault = bodyFault(request.url, { headers: response.headers, totalBytes, maxBytes: request.maxBytes });
  // The status is the news, however it is wrapped.
  if (status >= 400) return fault === undefined ? readExcuse(response, onData) : new Uint8Array();
  if (fault !== undefined) throw fault;
  return readWhole(response, { request, totalBytes, onData });
}

async function readExcuse(response: IncomingMessage, onData: () => void): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let doneBytes = 0;
  for await (const chunk of response as AsyncIterable<Uint8Array>) {
    onData();
    chunks.push(chunk);
    doneBytes += chunk.length;
    if (doneBytes >= MAX_EXCUSE_BYTES) break;
  }
  return Buffer.concat(chunks).subarray(0, MAX_EXCUSE_BYTES);
}

async function readWhole(
  response: IncomingMessage,
  {
    request: { url, maxBytes, onProgress },
    totalBytes,
    onData,
  }: {
    readonly request: HttpRequest;
    readonly totalBytes: number | undefined;
    readonly onData: () => void;
  },
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let doneBytes = 0;
  for await (const chunk of response as AsyncIterable<Uint8Array>) {
    onData();
    doneBytes += chunk.length;
    if (doneBytes > maxBytes)
      throw httpError("http-too-large", {
        url,
        what: `is larger than ${maxBytes} bytes, the most that is downloaded here`,
      });
    chunks.push(chunk);
    onProgress?.({ doneBytes, ...(totalBytes === undefined ? {} : { totalBytes }) });
  }
  if (!response.complete || (totalBytes !== undefined && totalBytes !== doneBytes))
    throw httpError("http-truncated", {
      url,
      what: `ended after ${doneBytes} bytes, before it was complete; try again`,
    });
  return Buffer.concat(chunks);
}
