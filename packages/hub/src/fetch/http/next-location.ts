import { SkilletError } from "@skillet/kit/errors";
import { checkUrl } from "./check-url.ts";
import type { HttpAnswer } from "./send-request.ts";
import { showUrl } from "./show-url.ts";

// Those that mean "the same, elsewhere"; 300 and 304 are no such thing.
const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];

/** Where an answer leads on to, or nothing when it is the end; an answer that leads somewhere unsafe is an error. */
export function nextLocation(
  url: URL,
  { answer, method }: { readonly answer: Pick<HttpAnswer, "status" | "headers">; readonly method: string },
): URL | undefined {
  const { location } = answer.headers;
  if (!REDIRECTS.includes(answer.status) || location === undefined) return undefined;
  if (!URL.canParse(location, url.href)) throw refuse(url, "leads to an address that cannot be read");
  const next = checkUrl(new URL(location, url).href);
  if (url.protocol === "https:" && next.protocol === "http:")
    throw refuse(url, `leads from https to ${showUrl(next)}, which anybody on the way could change`);
  // The older statuses turn what is sent into what is asked for, as clients please.
  if (method !== "GET" && method !== "HEAD" && answer.status < 307)
    throw refuse(url, `answers ${method} with a redirect (${answer.status})`);
  return next;
}

function refuse(url: URL, what: string): SkilletError {
  return new SkilletError(
    "http-redirect",
    `${showUrl(url)} ${what}; that is not followed. Ask for the right address, or tell whoever runs the server.`,
    { data: { url: showUrl(url) } },
  );
}
