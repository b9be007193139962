import { type IncomingHttpHeaders, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { isIPv6, type LookupFunction } from "node:net";
import { connectionError, httpError } from "./http-errors.ts";
import { readBody } from "./read-body.ts";

export interface HttpRequest {
  readonly url: URL;
  /** Checked ones; no other is connected to. */
  readonly addresses: readonly string[];
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  readonly maxBytes: number;
  readonly idleMs: number;
  readonly signal: AbortSignal;
  readonly onProgress?: (progress: { readonly doneBytes: number; readonly totalBytes?: number }) => void;
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
      fail(httpError("http-stalled", { url, what: `said nothing for ${seconds} seconds; try again later` }));
    }, idleMs);
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
    sent.on("error", fail);
    sent.on("upgrade", () =>
      fail(
        httpError("http-garbage", { url, what: "wants to speak another protocol; check address and port" }),
      ),
    );
    sent.on("socket", (socket) => {
      socket.on("connect", () => {
        if (request.addresses.includes(socket.remoteAddress ?? "")) return;
        // Node gives addresses in its own spelling; those that differ in more than that are none of ours.
        if (isSameAddress(socket.remoteAddress, request.addresses)) return;
        fail(
          httpError("address-refused", { url, what: "was connected to at an address that was not checked" }),
        );
      });
    });
    sent.on("response", (response) => {
      silence.refresh();
      readBody(response, { request, onData: () => silence.refresh() }).then(
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
