import type { IncomingHttpHeaders } from "node:http";
import { errorCode, SkilletError } from "@skillet/kit/errors";
import { quoteName } from "@skillet/kit/text";
import { showUrl } from "./check-url.ts";
import type { HttpAnswer } from "./send-request.ts";

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
export function httpError(
  kind: HttpErrorCode,
  { url, what, cause }: { readonly url: URL; readonly what: string; readonly cause?: unknown },
): SkilletError {
  return new SkilletError(kind, `${showUrl(url)} ${what}.`, { data: { url: showUrl(url) }, cause });
}

export function bodyFault(
  url: URL,
  {
    headers,
    totalBytes,
    maxBytes,
  }: {
    readonly headers: IncomingHttpHeaders;
    readonly totalBytes: number | undefined;
    readonly maxBytes: number;
  },
): SkilletError | undefined {
  if (totalBytes !== undefined && totalBytes > maxBytes)
    return httpError("http-too-large", {
      url,
      what: `has ${totalBytes} bytes; at most ${maxBytes} are downloaded here`,
    });
  const framing = headers["transfer-encoding"];
  // Node leaves any other list of encodings to the end of the connection, or undecoded.
  if (framing !== undefined && framing.trim().toLowerCase() !== "chunked")
    return httpError("http-encoding", {
      url,
      what: `was transferred as ${quoteName(framing.slice(0, 40))}, which was not asked for; its server must send Content-Length or chunks`,
    });
  // Without either, a connection that breaks looks like the end of the file.
  if (totalBytes === undefined && framing === undefined)
    return httpError("http-truncated", {
      url,
      what: "does not say how long it is, so that a part could pass for the whole; its server must send Content-Length",
    });
  const encoding = headers["content-encoding"]?.toLowerCase() ?? "identity";
  if (encoding === "identity" || (/^(?:x-)?gzip$/.test(encoding) && /\.(?:t?gz|skill)$/i.test(url.pathname)))
    // Some servers call a .tar.gz an encoded .tar; the file is what lies there, so nothing is decoded.
    return undefined;
  return httpError("http-encoding", {
    url,
    what: `came encoded as ${quoteName(encoding.slice(0, 40))}, which was not asked for; its server must honour "Accept-Encoding: identity"`,
  });
}

export function connectionError(url: URL, error: unknown): unknown {
  if (SkilletError.isInstance(error)) return error;
  const code = errorCode(error);
  if (code === undefined) return error;
  const shown = ` (${code})`;
  if (code.startsWith("HPE_"))
    return httpError("http-garbage", {
      url,
      what: `answered with something that is not HTTP${shown}; check address and port`,
      cause: error,
    });
  if (isTlsCode(code))
    return httpError("http-tls", {
      url,
      what: `cannot be trusted${shown}: its certificate or its TLS is not in order; for an authority of your own, set NODE_EXTRA_CA_CERTS`,
      cause: error,
    });
  if (code === "ECONNRESET" || code === "EPIPE")
    return httpError("http-truncated", {
      url,
      what: `ended the connection before the answer was complete${shown}; try again`,
      cause: error,
    });
  return httpError("http-unreachable", {
    url,
    what: `cannot be reached${shown}; check the address and your connection`,
    cause: error,
  });
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
