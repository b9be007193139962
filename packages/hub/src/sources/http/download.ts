import type { IncomingHttpHeaders } from "node:http";
import { SkilletError } from "@skillet/kit/errors";
import manifest from "../../../package.json" with { type: "json" };
import { type FetchContext, withDeadline } from "../fetch-context.ts";
import { checkedAddresses, checkUrl, nextLocation, showUrl } from "./address.ts";
import { type HttpAnswer, httpError, sendRequest, statusError } from "./send-request.ts";

export interface DownloadOptions {
  readonly accept?: string;
  readonly maxBytes?: number;
  /** Sent to the origin that was asked for and to no other, nor to it again once another was asked. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly method?: "GET" | "HEAD" | "POST" | "PUT" | "PATCH";
  readonly body?: Uint8Array;
  /** Answers besides 2xx that are returned instead of thrown. */
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
 * Fetches one address whole, within the limits: only public hosts or allowed ones, at exactly the addresses that were
 * checked; each redirect is checked anew.
 *
 * Proxies of the environment are not used: behind one, no one here sees the address that is connected to.
 */
export async function download(
  url: string,
  context: FetchContext,
  options: DownloadOptions = {},
): Promise<Download> {
  const { deadline, signal } = withDeadline(context);
  try {
    return await follow(checkUrl(url), { context, options, signal });
  } catch (error) {
    context.signal?.throwIfAborted();
    if (!deadline.aborted) throw error;
    const seconds = Math.ceil(context.limits.deadlineMs / 1000);
    const message = `${showUrl(url)} was not there after ${seconds} seconds, the most that one download may take; try again later.`;
    throw new SkilletError("http-stalled", message, { data: { url: showUrl(url) }, cause: error });
  }
}

interface Errand {
  readonly context: FetchContext;
  readonly options: DownloadOptions;
  readonly signal: AbortSignal;
}

async function follow(start: URL, errand: Errand): Promise<Download> {
  const { context, options } = errand;
  const method = options.method ?? "GET";
  let url = start;
  // For good: what another site leads back to is that site's choice, and not for the caller's credentials.
  let isFirstOrigin = true;
  for (let redirects = 0; ; redirects++) {
    const answer = await ask(url, { ...errand, isFirstOrigin });
    const location = nextLocation(url, answer, method);
    if (location === undefined) return finish(url, answer, options);
    if (redirects === context.limits.maxRedirects) {
      const message = `${showUrl(start)} leads on more than ${context.limits.maxRedirects} times, last to ${showUrl(location)}; ask for the address where it ends.`;
      throw new SkilletError("http-redirect", message, { data: { url: showUrl(start) } });
    }
    url = location;
    isFirstOrigin &&= url.origin === start.origin;
  }
}

async function ask(
  url: URL,
  { context, options, signal, isFirstOrigin }: Errand & { readonly isFirstOrigin: boolean },
): Promise<HttpAnswer> {
  return sendRequest({
    url,
    addresses: await checkedAddresses(url, context, signal),
    method: options.method ?? "GET",
    headers: {
      "user-agent": USER_AGENT,
      accept: options.accept ?? "*/*",
      // What is counted, compared and digested are the bytes as they lie there.
      "accept-encoding": "identity",
      ...(isFirstOrigin ? options.headers : undefined),
    },
    body: options.body,
    maxBytes: options.maxBytes ?? context.limits.maxDownloadBytes,
    idleMs: context.limits.idleMs,
    signal,
    onProgress: (progress) => context.onStep?.({ step: "fetch", what: showUrl(url), ...progress }),
  });
}

function finish(url: URL, answer: HttpAnswer, options: DownloadOptions): Download {
  const { status, headers, bytes } = answer;
  const isFine = (status >= 200 && status < 300) || options.statuses?.includes(status) === true;
  if (!isFine) throw statusError(url, answer);
  if (PARTS.has(status))
    throw httpError(
      "http-truncated",
      url,
      `answered with a part (${status}), although the whole was asked for; ask whoever runs the server`,
    );
  const contentType = headers["content-type"];
  return { bytes, url: url.href, status, headers, contentType };
}

// Ranges and deltas: neither was asked for, and nothing tells them from the whole.
const PARTS: ReadonlySet<number> = new Set([206, 226]);

/** What servers are told about us: the program and its version, nothing of the machine. */
const USER_AGENT: string = `skillet/${manifest.version}`;
