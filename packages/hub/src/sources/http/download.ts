import type { IncomingHttpHeaders } from "node:http";
import { SkilletError } from "@skillet/kit/errors";
import manifest from "../../../package.json" with { type: "json" };
import { type FetchContext, withDeadline } from "../fetch-context.ts";
import { checkedAddresses, checkUrl, nextLocation, showUrl } from "./address.ts";
import { type HttpAnswer, httpError, sendRequest, statusError } from "./send-request.ts";

export interface DownloadOptions {
  readonly accept?: string;
  readonly maxBytes?: number;
  /** Sent only to the requested origin, and not to it again after a redirect elsewhere. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly method?: "GET" | "HEAD" | "POST" | "PUT" | "PATCH";
  readonly body?: Uint8Array;
  /** Statuses other than 2xx that are returned, without a body, instead of thrown. */
  readonly statuses?: readonly number[];
}

export interface Download {
  readonly bytes: Uint8Array;
  readonly url: string;
  readonly contentType?: string | undefined;
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
}

/**
 * Fetches a URL completely, within the limits: only from public or allowed hosts, at exactly the addresses
 * that were checked; each redirect is checked again.
 *
 * Proxies from the environment are not used: with a proxy, the final address cannot be checked.
 */
export async function download(
  url: string,
  context: FetchContext,
  options: DownloadOptions = {},
): Promise<Download> {
  const { deadline, signal } = withDeadline(context);
  try {
    return await follow(checkUrl(url), context, options, signal);
  } catch (error) {
    context.signal?.throwIfAborted();
    if (!deadline.aborted) throw error;
    const seconds = Math.ceil(context.limits.deadlineMs / 1000);
    const message = `${showUrl(url)} was not downloaded within the limit of ${seconds} seconds; try again later.`;
    throw new SkilletError("http-stalled", message, { data: { url: showUrl(url) }, cause: error });
  }
}

// The program and its version; nothing about the machine.
const USER_AGENT: string = `skillet/${manifest.version}`;

async function follow(
  start: URL,
  context: FetchContext,
  options: DownloadOptions,
  signal: AbortSignal,
): Promise<Download> {
  const { limits, onStep } = context;
  const { method = "GET", accept = "*/*", maxBytes = limits.maxDownloadBytes } = options;
  let url = start;
  // Never reset: a redirect back from another site is that site's choice, and gets no credentials.
  let isFirstOrigin = true;
  for (let redirects = 0; ; redirects++) {
    const what = showUrl(url);
    const answer = await sendRequest({
      url,
      addresses: await checkedAddresses(url, context, signal),
      method,
      headers: {
        "user-agent": USER_AGENT,
        accept,
        // Limits and digests apply to the stored bytes.
        "accept-encoding": "identity",
        ...(isFirstOrigin ? options.headers : undefined),
      },
      body: options.body,
      maxBytes,
      idleMs: limits.idleMs,
      signal,
      onProgress: (progress) => onStep?.({ step: "fetch", what, ...progress }),
    });
    const location = nextLocation(url, answer, method);
    if (location === undefined) return finish(url, answer, options);
    if (redirects === limits.maxRedirects) {
      const message = `${showUrl(start)} redirects more than ${limits.maxRedirects} times, last to ${showUrl(location)}; ask for the address where it ends.`;
      throw new SkilletError("http-redirect", message, { data: { url: showUrl(start) } });
    }
    url = location;
    isFirstOrigin &&= url.origin === start.origin;
  }
}

function finish(url: URL, answer: HttpAnswer, { statuses = [] }: DownloadOptions): Download {
  const { status, headers, bytes } = answer;
  if ((status < 200 || status >= 300) && !statuses.includes(status)) throw statusError(url, answer);
  // Ranges and deltas: neither was requested, and nothing distinguishes them from the whole.
  if (status === 206 || status === 226) {
    const what = `answered with a part (${status}), although the whole was asked for`;
    throw httpError("http-truncated", url, `${what}; ask the server's operator`);
  }
  return { bytes, url: url.href, status, headers, contentType: headers["content-type"] };
}
