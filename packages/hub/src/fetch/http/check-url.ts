import { SkilletError } from "@skillet/kit/errors";
import { quoteName } from "@skillet/kit/text";
import type { HttpAnswer } from "./send-request.ts";

// Beyond what servers take; keeps hostile redirects out of memory and messages.
const MAX_URL_CHARACTERS = 8192;

/** Reads an address that may be downloaded from: http or https, without credentials. */
export function checkUrl(text: string): URL {
  const fault = findFault(text);
  if (fault === undefined) return new URL(text);
  throw new SkilletError("url-invalid", `The address ${showUrl(text)} ${fault}`, {
    data: { url: showUrl(text) },
  });
}

function findFault(text: string): string | undefined {
  if (text.length > MAX_URL_CHARACTERS) return `is longer than ${MAX_URL_CHARACTERS} characters; shorten it.`;
  // The parser reads odd spellings of addresses, such as 0x7f.1, as what they mean, and refuses zones of IPv6.
  if (!URL.canParse(text)) return "cannot be read; write it like https://example.com/skill.zip.";
  const { protocol, username, password } = new URL(text);
  if (protocol !== "https:" && protocol !== "http:")
    return "is neither http nor https; other protocols are not downloaded from.";
  if (username !== "" || password !== "")
    return "holds credentials, which would end up in locks and logs; leave them out.";
  return undefined;
}

/** An address as it may stand in messages, logs and locks: without credentials, query and fragment. */
export function showUrl(url: string | URL): string {
  const text = String(url);
  if (!URL.canParse(text)) return quoteName(text.replace(/\/\/[^/]*@/g, "//"));
  const { protocol, host, pathname } = new URL(text);
  return `${protocol}//${host}${pathname}`.slice(0, MAX_SHOWN);
}

const MAX_SHOWN = 300;

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
  const message = `${showUrl(url)} ${what}; that is not followed. Ask for the right address, or tell whoever runs the server.`;
  return new SkilletError("http-redirect", message, { data: { url: showUrl(url) } });
}

const PORTS: ReadonlyMap<string, string> = new Map([
  ["http:", "80"],
  ["https:", "443"],
  ["ssh:", "22"],
]);

/** Whether `name` or `name:port` of a URL is in a list of hosts; case and a trailing dot do not count. */
export function isAllowedHost(url: URL, hosts: readonly string[]): boolean {
  const name = plain(url.hostname);
  const port = url.port === "" ? PORTS.get(url.protocol) : url.port;
  const spellings = new Set([name, `${name}:${port}`, ...(name.startsWith("[") ? [name.slice(1, -1)] : [])]);
  return hosts.some((host) => spellings.has(plain(host)));
}

function plain(host: string): string {
  return host.toLowerCase().replace(/\.(?=:|$)/, "");
}
