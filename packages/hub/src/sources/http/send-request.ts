import { type IncomingHttpHeaders, type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { isIPv6, type LookupFunction } from "node:net";
import { errorCode, SkilletError } from "@skillet/kit/errors";
import { parseUrl } from "@skillet/kit/network";
import { quoteName } from "@skillet/kit/text";
import { showUrl } from "./address.ts";

interface HttpRequest {
  readonly url: URL;
  /** The checked addresses; no other is connected to. */
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
  /** Empty unless the request succeeded. */
  readonly bytes: Uint8Array;
}

/** Sends one request and reads the whole response, bounded in size and silence, and as long as it declares. */
export function sendRequest(request: HttpRequest): Promise<HttpAnswer> {
  const { url, addresses, method, body, idleMs, signal } = request;
  return new Promise((resolve, reject) => {
    const send = url.protocol === "https:" ? requestHttps : requestHttp;
    const length = body === undefined ? {} : { "content-length": String(body.length) };
    const sent = send(url, {
      method,
      headers: { ...request.headers, ...length },
      lookup: fixedLookup(addresses),
      // Uses a new connection: none that was opened for another response, or to another address, is reused.
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
    // Neither waits for an event of the connection, because a connection that is gone emits none.
    const silence = setTimeout(() => {
      const seconds = Math.ceil(idleMs / 1000);
      fail(httpError("http-stalled", url, `sent nothing for ${seconds} seconds; try again later`));
    }, idleMs);
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
    sent.on("error", fail);
    sent.on("upgrade", () =>
      fail(httpError("http-garbage", url, "wants to switch to another protocol; check address and port")),
    );
    sent.on("socket", (socket) => {
      socket.on("connect", () => {
        if (isSameAddress(socket.remoteAddress, addresses)) return;
        fail(httpError("address-refused", url, "was contacted at an unchecked address"));
      });
    });
    sent.on("response", (response) => {
      silence.refresh();
      const { statusCode: status = 0, headers } = response;
      readBody(response, request, () => silence.refresh()).then(
        (bytes) => settle(() => resolve({ status, headers, bytes })),
        fail,
      );
    });
    sent.end(body);
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

// Node normalises addresses, and reports IPv6 zones (`%eth0`), which no URL contains, only where they matter.
function isSameAddress(remote: string | undefined, addresses: readonly string[]): boolean {
  const canonical = (address: string): string =>
    parseUrl(`http://[${address.replace(/%.*/, "")}]`)?.hostname ?? address;
  return remote !== undefined && addresses.some((address) => canonical(address) === canonical(remote));
}

async function readBody(
  response: IncomingMessage,
  { url, method, maxBytes, onProgress }: HttpRequest,
  onData: () => void,
): Promise<Uint8Array> {
  const { statusCode: status = 0, headers } = response;
  // Only status and headers matter for redirects and errors, however their bodies are encoded.
  if (method === "HEAD" || status === 204 || status >= 300) return new Uint8Array();
  const declared = headers["content-length"];
  const totalBytes = declared === undefined ? undefined : Number(declared);
  checkFraming(url, headers, totalBytes, maxBytes);
  const chunks: Uint8Array[] = [];
  let doneBytes = 0;
  for await (const chunk of response as AsyncIterable<Uint8Array>) {
    onData();
    doneBytes += chunk.length;
    if (doneBytes > maxBytes)
      throw httpError("http-too-large", url, `is larger than ${maxBytes} bytes, the most that is downloaded`);
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

/** An error about one URL; `what` completes the sentence that begins with it. */
export function httpError(code: HttpErrorCode, url: URL, what: string, cause?: unknown): SkilletError {
  return new SkilletError(code, `${showUrl(url)} ${what}.`, { data: { url: showUrl(url) }, cause });
}

function checkFraming(
  url: URL,
  headers: IncomingHttpHeaders,
  totalBytes: number | undefined,
  maxBytes: number,
): void {
  if (totalBytes !== undefined && totalBytes > maxBytes)
    throw httpError("http-too-large", url, `has ${totalBytes} bytes; at most ${maxBytes} are downloaded`);
  const framing = headers["transfer-encoding"];
  // Node reads any other transfer encoding until the connection ends, or leaves it undecoded.
  if (framing !== undefined && framing.trim().toLowerCase() !== "chunked") {
    const what = `was transferred as ${quoteName(framing.slice(0, 40))}, which was not requested`;
    throw httpError("http-encoding", url, `${what}; its server must send Content-Length or chunks`);
  }
  // Without either, a broken connection looks like the end of the file.
  if (totalBytes === undefined && framing === undefined) {
    const what = "does not say how long it is, so that a part could pass for the whole";
    throw httpError("http-truncated", url, `${what}; its server must send Content-Length`);
  }
  const encoding = headers["content-encoding"]?.toLowerCase() ?? "identity";
  // Some servers declare a .tar.gz as an encoded .tar; the stored file is meant, so nothing is decoded.
  const isPacked = /^(?:x-)?gzip$/.test(encoding) && /\.(?:t?gz|skill)$/i.test(url.pathname);
  if (encoding === "identity" || isPacked) return;
  const what = `came encoded as ${quoteName(encoding.slice(0, 40))}, which was not requested`;
  throw httpError("http-encoding", url, `${what}; its server must honour "Accept-Encoding: identity"`);
}

const TLS_CODE = /^(?:EPROTO$|ERR_TLS_|ERR_SSL_|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|HOSTNAME_MISMATCH)/;

const CONNECTION_FAULTS: readonly (readonly [code: RegExp, HttpErrorCode, fault: string, advice: string])[] =
  [
    [/^HPE_/, "http-garbage", "answered with something that is not HTTP", "; check address and port"],
    [
      TLS_CODE,
      "http-tls",
      "cannot be trusted",
      ": its certificate or its TLS is not in order; for an authority of your own, set NODE_EXTRA_CA_CERTS",
    ],
    [
      /^(?:ECONNRESET|EPIPE)$/,
      "http-truncated",
      "ended the connection before the answer was complete",
      "; try again",
    ],
    [/^/, "http-unreachable", "cannot be reached", "; check the address and your connection"],
  ];

function connectionError(url: URL, error: unknown): unknown {
  const code = errorCode(error);
  if (SkilletError.isInstance(error) || code === undefined) return error;
  const [, kind, fault, advice] = CONNECTION_FAULTS.find(([pattern]) => pattern.test(code)) ?? [];
  return kind === undefined ? error : httpError(kind, url, `${fault} (${code})${advice}`, error);
}

const MEANINGS: ReadonlyMap<number, string> = new Map([
  [401, " (not signed in)"],
  [403, " (not allowed)"],
  [404, " (nothing there)"],
  [410, " (taken away)"],
  [429, " (too many requests)"],
  [503, " (not available)"],
]);

export function statusError(url: URL, { status, headers }: HttpAnswer): SkilletError {
  const retryAfter = headers["retry-after"]?.replace(/[^\x20-\x7e]/g, "").slice(0, 40);
  const shown = showUrl(url);
  const message = `${shown} answered ${status}${MEANINGS.get(status) ?? ""}; ${advise(status, retryAfter)}.`;
  return new SkilletError("http-status", message, {
    data: { url: shown, status, ...(retryAfter === undefined ? {} : { retryAfter }) },
  });
}

function advise(status: number, retryAfter: string | undefined): string {
  if (retryAfter !== undefined)
    return /^\d+$/.test(retryAfter) ? `try again in ${retryAfter} seconds` : `try again after ${retryAfter}`;
  if (status === 401 || status === 403) return "check that you may read it and that your credentials are set";
  if (status === 404 || status === 410) return "check the address";
  return status === 429 || status >= 500
    ? "try again later"
    : "check the address, or ask the server's operator";
}
