import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { unlessAborted } from "@skillet/core/internal";
import { errorCode, SkilletError } from "@skillet/kit/errors";
import { isPublicAddress, parseUrl } from "@skillet/kit/network";
import { quoteName, quoteShell, shellArgument } from "@skillet/kit/text";
import type { FetchContext } from "../fetch-context.ts";
import type { HttpAnswer } from "./send-request.ts";

// More than servers accept; keeps long redirects from hostile servers out of memory and messages.
const MAX_URL_CHARACTERS = 8192;

/** Parses a URL for a download: http or https, without credentials. */
export function checkUrl(text: string): URL {
  // The parser normalises odd spellings of addresses, for example 0x7f.1, and refuses IPv6 zones.
  const url = text.length > MAX_URL_CHARACTERS ? undefined : parseUrl(text);
  const isHttp = url?.protocol === "https:" || url?.protocol === "http:";
  if (isHttp && url.username === "" && url.password === "") return url;
  const fault =
    text.length > MAX_URL_CHARACTERS
      ? `is longer than ${MAX_URL_CHARACTERS} characters; shorten it.`
      : url === undefined
        ? "cannot be read; write it like https://example.com/skill.zip."
        : isHttp
          ? "holds credentials, which would end up in locks and logs; leave them out."
          : "is neither http nor https; other protocols are not downloaded from.";
  const shown = showUrl(text);
  throw new SkilletError("url-invalid", `The address ${shown} ${fault}`, { data: { url: shown } });
}

/** A URL for messages, logs and locks: without credentials, query and fragment. */
export function showUrl(url: string | URL): string {
  const parsed = parseUrl(String(url));
  if (parsed === undefined) return quoteName(String(url).replace(/\/\/[^/]*@/g, "//"));
  return `${parsed.protocol}//${parsed.host}${parsed.pathname}`.slice(0, MAX_SHOWN);
}

const MAX_SHOWN = 300;

// The statuses that mean "the same, elsewhere"; 300 and 304 do not.
const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];

/** The target of a redirect, or undefined for any other answer; an unsafe redirect is an error. */
export function nextLocation(
  url: URL,
  answer: Pick<HttpAnswer, "status" | "headers">,
  method: string,
): URL | undefined {
  const { location } = answer.headers;
  if (!REDIRECTS.includes(answer.status) || location === undefined) return undefined;
  const target = parseUrl(location, url.href);
  if (target === undefined) throw refuse(url, "redirects to an address that cannot be read");
  const next = checkUrl(target.href);
  if (url.protocol === "https:" && next.protocol === "http:")
    throw refuse(url, `redirects from https to ${showUrl(next)}, which can be tampered with in transit`);
  // Clients differ in whether the older statuses turn other methods into GET.
  if (method !== "GET" && method !== "HEAD" && answer.status < 307)
    throw refuse(url, `answers ${method} with a redirect (${answer.status})`);
  return next;
}

function refuse(url: URL, what: string): SkilletError {
  const message = `${showUrl(url)} ${what}; that is not followed. Ask for the right address, or tell the server's operator.`;
  return new SkilletError("http-redirect", message, { data: { url: showUrl(url) } });
}

const PORTS: ReadonlyMap<string, string> = new Map([
  ["http:", "80"],
  ["https:", "443"],
  ["ssh:", "22"],
]);

/** Whether `name` or `name:port` of a URL is in a list of hosts, ignoring case and a trailing dot. */
export function isAllowedHost(url: URL, hosts: readonly string[]): boolean {
  const name = plain(url.hostname);
  const port = url.port === "" ? PORTS.get(url.protocol) : url.port;
  const spellings = new Set([name, `${name}:${port}`, ...(name.startsWith("[") ? [name.slice(1, -1)] : [])]);
  return hosts.some((host) => spellings.has(plain(host)));
}

/** Judged by the literal name, because whoever runs other names decides what they resolve to. */
export function isOwnMachine({ hostname }: URL): boolean {
  return /^(?:localhost|\[::1\]|127(?:\.[0-9]{1,3}){3})$/.test(hostname);
}

function plain(host: string): string {
  return host.toLowerCase().replace(/\.(?=:|$)/, "");
}

// No more are tried.
const MAX_ADDRESSES = 8;

/** All public, or the host is allowed. Exactly these are connected to, because a second look-up could return others. */
export async function checkedAddresses(
  url: URL,
  context: FetchContext,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const addresses = isIP(host) === 0 ? await resolve(host, context, signal) : [host];
  if (isAllowedHost(url, context.allowedPrivateHosts)) return addresses;
  // A private address among public ones is a sign of DNS rebinding.
  const refused = addresses.find((address) => !isPublicAddress(address));
  if (refused === undefined) return addresses;
  const leads = refused === host ? "is" : `resolves to ${refused},`;
  const message = `${url.host} ${leads} an address of this machine or its network, from which nothing is downloaded; if you run that server, pass --private-host ${shellArgument(url.host)}, or allow it for good: ${allowHostCommand(url.host, context)}`;
  throw new SkilletError("address-refused", message, { data: { host: url.host, address: refused } });
}

async function resolve(host: string, context: FetchContext, signal: AbortSignal): Promise<readonly string[]> {
  let cause: unknown;
  try {
    // A look-up cannot be aborted, only abandoned.
    const found = await unlessAborted((context.lookUp ?? systemLookUp)(host), signal);
    const addresses = found.slice(0, MAX_ADDRESSES);
    if (addresses.length > 0 && addresses.every((address) => isIP(address) !== 0)) return addresses;
  } catch (error) {
    signal.throwIfAborted();
    cause = error;
  }
  const code = errorCode(cause);
  const message = `The name ${host} has no address${code === undefined ? "" : ` (${code})`}; check its spelling and your connection.`;
  throw new SkilletError("http-dns", message, { data: { host }, cause });
}

async function systemLookUp(host: string): Promise<readonly string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address);
}

/**
 * The command that allows a host. A value replaces the list, so the whole list is written. Hosts of URLs may
 * contain quotes, semicolons and dollar signs: a redirect must not inject a command into this one.
 */
export function allowHostCommand(
  host: string,
  { allowedPrivateHosts }: Pick<FetchContext, "allowedPrivateHosts">,
): string {
  const hosts = [...new Set([...allowedPrivateHosts, host])];
  return `skillet config set hub.privateHosts ${quoteShell(JSON.stringify(hosts))}`;
}
