import { type IncomingHttpHeaders, type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { isIPv6, type LookupFunction } from "node:net";
import { errorCode, SkilletError } from "@skillet/kit/errors";
import { quoteName } from "@skillet/kit/text";
import { showUrl } from "./address.ts";

interface HttpRequest {
  readonly url: URL;
  /** Checked ones; no other is connected to. */
  readonly addresses: readonly string[];
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | undefined;
  readonly maxBytes: number;
  readonly idleMs: number;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: {
    readonly doneBytes: number;
    readonly totalBytes?: number | undefined;
  }) => void;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Uint8Array;
}

/** Sends one request and reads its answer whole: bounded in size and in silence, and as long as it says that it is. */
export function sendRequest(request: HttpRequest): Promise<HttpAnswer> {
  const { url, idleMs, signal } = request;
  return new Promise((resolve, reject) => {
    const send = url.protocol === "https:" ? requestHttps : requestHttp;
    const sent = send(url, {
      method: request.method,
      headers: {
        ...request.headers,
        ...(request.body === undefined ? {} : { "content-length": String(request.body.length) }),
      },
      lookup: fixedLookup(request.addresses),
      // A connection of its own: none that was opened for another answer, or to another address, is used again.
      agent: false,
    });
    const settle = (finish: () => void): void => {
      clearTimeout(silence);
      signal.removeEventListener("abort", onAbort);
      finish();
      sent.destroy();
    };
    const fail = (error: unknown): void => settle(() => reject(connectionError(url, error)));
    const onAbort = (): void => settle(() => reject(signal.reason));
    // Neither waits for an event of the connection: one that is already gone has none to give.
    const silence = setTimeout(() => {
      const seconds = Math.ceil(idleMs / 1000);
      fail(httpError("http-stalled", url, `said nothing for ${seconds} seconds; try again later`));
    }, idleMs);
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
    sent.on("error", fail);
    sent.on("upgrade", () =>
      fail(httpError("http-garbage", url, "wants to speak another protocol; check address and port")),
    );
    sent.on("socket", (socket) => {
      socket.on("connect", () => {
        if (request.addresses.includes(socket.remoteAddress ?? "")) return;
        // Node gives addresses in its own spelling; those that differ in more than that are none of ours.
        if (isSameAddress(socket.remoteAddress, request.addresses)) return;
        fail(httpError("address-refused", url, "was connected to at an address that was not checked"));
      });
    });
    sent.on("response", (response) => {
      silence.refresh();
      readBody(response, request, () => silence.refresh()).then(
        (bytes) =>
          settle(() => resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes })),
        fail,
      );
    });
    sent.end(request.body);
  });
}

function fixedLookup(addresses: readonly string[]): LookupFunction {
  const all = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
  return (_host, options, callback) => {
    const [first] = all;
    if (options.all === true) callback(null, all);
    else callback(null, first?.address ?? "", first?.family);
  };
}

function isSameAddress(remote: string | undefined, addresses: readonly string[]): boolean {
  const canonical = (address: string): string =>
    isIPv6(address) ? new URL(`http://[${address}]`).hostname : address;
  return remote !== undefined && addresses.some((address) => canonical(address) === canonical(remote));
}

// Enough for what a server has to say about a refusal.
const MAX_EXCUSE_BYTES = 64 * 1024;

/** Reads the body of an answer: whole if it is what was asked for, as much as is useful if it is an excuse. */
async function readBody(
  response: IncomingMessage,
  request: HttpRequest,
  onData: () => void,
): Promise<Uint8Array> {
  const status = response.statusCode ?? 0;
  const declared = response.headers["content-length"];
  const totalBytes = declared === undefined ? undefined : Number(declared);
  if (request.method === "HEAD" || status === 204 || (status >= 300 && status < 400)) return new Uint8Array();
  const fault = bodyFault(request.url, response.headers, totalBytes, request.maxBytes);
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
      throw httpError(
        "http-too-large",
        url,
        `is larger than ${maxBytes} bytes, the most that is downloaded here`,
      );
    chunks.push(chunk);
    onProgress({ doneBytes, totalBytes });
  }
  if (!response.complete || (totalBytes !== undefined && totalBytes !== doneBytes))
    throw httpError(
      "http-truncated",
      url,
      `ended after ${doneBytes} bytes, before it was complete; try again`,
    );
  return Buffer.concat(chunks);
}

type HttpErrorCode =
  | "address-refused"
  | "http-encoding"
  | "http-garbage"
  | "http-stalled"
  | "http-tls"
  | "http-too-large"
  | "http-truncated"
  | "http-unreachable";

/** An error about one address; `what` completes the sentence that begins with it. */
export function httpError(kind: HttpErrorCode, url: URL, what: string, cause?: unknown): SkilletError {
  return new SkilletError(kind, `${showUrl(url)} ${what}.`, { data: { url: showUrl(url) }, cause });
}

function bodyFault(
  url: URL,
  headers: IncomingHttpHeaders,
  totalBytes: number | undefined,
  maxBytes: number,
): SkilletError | undefined {
  if (totalBytes !== undefined && totalBytes > maxBytes)
    return httpError(
      "http-too-large",
      url,
      `has ${totalBytes} bytes; at most ${maxBytes} are downloaded here`,
    );
  const framing = headers["transfer-encoding"];
  // Node leaves any other list of encodings to the end of the connection, or undecoded.
  if (framing !== undefined && framing.trim().toLowerCase() !== "chunked")
    return httpError(
      "http-encoding",
      url,
      `was transferred as ${quoteName(framing.slice(0, 40))}, which was not asked for; its server must send Content-Length or chunks`,
    );
  // Without either, a connection that breaks looks like the end of the file.
  if (totalBytes === undefined && framing === undefined)
    return httpError(
      "http-truncated",
      url,
      "does not say how long it is, so that a part could pass for the whole; its server must send Content-Length",
    );
  const encoding = headers["content-encoding"]?.toLowerCase() ?? "identity";
  if (encoding === "identity" || (/^(?:x-)?gzip$/.test(encoding) && /\.(?:t?gz|skill)$/i.test(url.pathname)))
    // Some servers call a .tar.gz an encoded .tar; the file is what lies there, so nothing is decoded.
    return undefined;
  return httpError(
    "http-encoding",
    url,
    `came encoded as ${quoteName(encoding.slice(0, 40))}, which was not asked for; its server must honour "Accept-Encoding: identity"`,
  );
}

function connectionError(url: URL, error: unknown): unknown {
  if (SkilletError.isInstance(error)) return error;
  const code = errorCode(error);
  if (code === undefined) return error;
  const shown = ` (${code})`;
  if (code.startsWith("HPE_"))
    return httpError(
      "http-garbage",
      url,
      `answered with something that is not HTTP${shown}; check address and port`,
      error,
    );
  if (isTlsCode(code))
    return httpError(
      "http-tls",
      url,
      `cannot be trusted${shown}: its certificate or its TLS is not in order; for an authority of your own, set NODE_EXTRA_CA_CERTS`,
      error,
    );
  if (code === "ECONNRESET" || code === "EPIPE")
    return httpError(
      "http-truncated",
      url,
      `ended the connection before the answer was complete${shown}; try again`,
      error,
    );
  return httpError(
    "http-unreachable",
    url,
    `cannot be reached${shown}; check the address and your connection`,
    error,
  );
}

function isTlsCode(code: string): boolean {
  return (
    code === "EPROTO" ||
    /^(?:ERR_TLS_|ERR_SSL_|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|HOSTNAME_MISMATCH)/.test(code)
  );
}

export function statusError(
  url: URL,
  { status, headers }: Pick<HttpAnswer, "status" | "headers">,
): SkilletError {
  const retryAfter = headers["retry-after"]?.replace(/[^\x20-\x7e]/g, "").slice(0, 40);
  const shown = showUrl(url);
  const message = `${shown} answered ${status}${meaningOf(status)}; ${advise(status, retryAfter)}.`;
  return new SkilletError("http-status", message, {
    data: { url: shown, status, ...(retryAfter === undefined ? {} : { retryAfter }) },
  });
}

function meaningOf(status: number): string {
  const meaning = MEANINGS.get(status);
  return meaning === undefined ? "" : ` (${meaning})`;
}

const MEANINGS: ReadonlyMap<number, string> = new Map([
  [401, "not signed in"],
  [403, "not allowed"],
  [404, "nothing there"],
  [410, "taken away"],
  [429, "too many requests"],
  [503, "not available"],
]);

function advise(status: number, retryAfter: string | undefined): string {
  if (retryAfter !== undefined)
    return /^\d+$/.test(retryAfter) ? `try again in ${retryAfter} seconds` : `try again after ${retryAfter}`;
  if (status === 401 || status === 403) return "check that you may read it and that your credentials are set";
  if (status === 404 || status === 410) return "check the address";
  return status === 429 || status >= 500
    ? "try again later"
    : "check the address, or ask whoever runs the server";
}
