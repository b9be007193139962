import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { errorCode, SkilletError } from "@skillet/kit/errors";
import { isPublicAddress } from "@skillet/kit/network";
import { quoteShell } from "@skillet/kit/text";
import type { FetchContext } from "../fetch-context.ts";
import { isAllowedHost } from "./check-url.ts";

// More are never tried.
const MAX_ADDRESSES = 8;

/**
 * The addresses of a URL's host, all of them public or the host allowed. They are what is then connected to: a second
 * look-up could give others.
 */
export async function checkedAddresses(
  url: URL,
  { context, signal }: { readonly context: FetchContext; readonly signal: AbortSignal },
): Promise<readonly string[]> {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const addresses = isIP(host) === 0 ? await resolve(host, { context, signal }) : [host];
  if (isAllowedHost(url, context.allowedPrivateHosts)) return addresses;
  // One private address among public ones is how a name is made to change its meaning between look-ups.
  const refused = addresses.find((address) => !isPublicAddress(address));
  if (refused === undefined) return addresses;
  const leads = refused === host ? "is" : `leads to ${refused},`;
  const message = `${url.host} ${leads} an address of this machine or its network, from which nothing is downloaded; if you run that server, allow it: ${allowHostCommand(url.host, context)}`;
  throw new SkilletError("address-refused", message, { data: { host: url.host, address: refused } });
}

async function resolve(
  host: string,
  { context, signal }: { readonly context: FetchContext; readonly signal: AbortSignal },
): Promise<readonly string[]> {
  try {
    const found = await unlessAborted((context.lookUp ?? systemLookUp)(host), signal);
    const addresses = found.slice(0, MAX_ADDRESSES);
    if (addresses.length > 0 && addresses.every((address) => isIP(address) !== 0)) return addresses;
  } catch (error) {
    signal.throwIfAborted();
    throw unknownHost(host, error);
  }
  throw unknownHost(host);
}

async function systemLookUp(host: string): Promise<readonly string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address);
}

// A look-up cannot be ended, only left alone.
function unlessAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolvePromise, reject) => {
    const onAbort = (): void => reject(signal.reason as Error);
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    work.then(resolvePromise, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}

function unknownHost(host: string, cause?: unknown): SkilletError {
  const code = errorCode(cause);
  const message = `The name ${host} has no address${code === undefined ? "" : ` (${code})`}; check its spelling and your connection.`;
  return new SkilletError("http-dns", message, { data: { host }, cause });
}

/**
 * The command that allows a host besides those that are allowed already, ready to be pasted into a shell.
 *
 * A value replaces the list, so the whole list is written. A host is whatever a URL can hold, which is also quotes,
 * semicolons and dollar signs: a redirect must not put a command into the one that is advised.
 */
export function allowHostCommand(
  host: string,
  { allowedPrivateHosts }: Pick<FetchContext, "allowedPrivateHosts">,
): string {
  const hosts = [...new Set([...allowedPrivateHosts, host])];
  return `skillet config set hub.privateHosts ${quoteShell(JSON.stringify(hosts))}`;
}
