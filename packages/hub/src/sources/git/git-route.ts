import { onRefusal, SkilletError } from "@skillet/kit/errors";
import { parseUrl } from "@skillet/kit/network";
import { type FetchContext, withDeadline } from "../fetch-context.ts";
import { checkedAddresses, nextLocation } from "../http/address.ts";
import { gitProtocols } from "./git-settings.ts";
import type { GitRepository } from "./run-git.ts";

export interface GitRoute {
  readonly url: string;
  /** Addresses of its host in the format of `http.curloptResolve`. */
  readonly pins: readonly string[];
  readonly redirects: number;
}

/** The route to a repository; a host that content named is looked up first, and must be public or allowed. */
export async function gitRoute(url: string, context: FetchContext): Promise<GitRoute> {
  // Throws before any name is looked up.
  gitProtocols(url, context);
  const server = context.askedBy === "person" ? undefined : serverOf(url);
  return { url, pins: server === undefined ? [] : await checkedPins(server, context), redirects: 0 };
}

/** Looks up a server's name, and pins git to those addresses, because a second look-up could return others. */
async function checkedPins(server: URL, context: FetchContext): Promise<readonly string[]> {
  const { signal } = withDeadline(context);
  const addresses = await checkedAddresses(server, context, signal);
  const { hostname, protocol, port } = server;
  // ssh accepts no pinned addresses, but requires that the user already knows the host.
  if (protocol === "ssh:" || addresses.includes(hostname.replace(/^\[|\]$/g, ""))) return [];
  const number = port === "" ? (protocol === "https:" ? "443" : "80") : port;
  const list = addresses.map((address) => (address.includes(":") ? `[${address}]` : address)).join(",");
  // Versions of curl differ in whether a trailing dot belongs to a name.
  const names = new Set([hostname, hostname.replace(/\.$/, "")]);
  return [...names].map((name) => `${name}:${number}:${list}`);
}

function serverOf(url: string): URL | undefined {
  if (url.startsWith("file:")) return undefined;
  const scp = /^[^@/:]+@([^@/:]+):/.exec(url)?.[1];
  const text = scp === undefined ? url : `ssh://${scp}/`;
  const server = parseUrl(text);
  // A lock may contain text that two parsers read differently; git must contact the server that was checked.
  const plain = /^[a-z]+:\/\/(?:[A-Za-z0-9_][A-Za-z0-9._-]*@)?([A-Za-z0-9._:[\]-]+)\//.exec(text)?.[1];
  if (server !== undefined && server.hostname !== "" && plain === server.host) return server;
  const message = `${JSON.stringify(url)} does not name its server plainly; write it like https://HOST/PATH or ssh://HOST/PATH.`;
  throw new SkilletError("git-protocol-refused", message, { data: { url } });
}

// The first request of git to a server; a redirect must lead to the same request for another repository.
const FIRST_PATH = "/info/refs";
const FIRST_QUERY = "?service=git-upload-pack";

/**
 * git itself would follow a redirect to any address. Here the target must be one that could have been
 * requested: from a public server only public or allowed ones, and never from https to http.
 */
export async function followRedirect(repository: GitRepository, trace: string): Promise<GitRoute> {
  const { context, route } = repository;
  const { maxRedirects } = context.limits;
  // An ssh server can print anything that git could have printed.
  if (!/^https?:/.test(route.url)) throw refused(repository, "redirects, which only http can");
  const redirects = route.redirects + 1;
  if (redirects > maxRedirects) throw refused(repository, `redirects more than ${maxRedirects} times`);
  const next = nextServer(repository, trace);
  const url = `${next.origin}${next.pathname.slice(0, -FIRST_PATH.length)}`;
  const here = serverOf(route.url);
  // Refuses a protocol before any name is looked up.
  gitProtocols(url, context);
  if (here?.origin === next.origin) return { url, redirects, pins: route.pins };
  // The user's own network may redirect within itself.
  const isOwnNetwork = context.askedBy === "person" && here !== undefined && (await isPrivate(here, context));
  return { url, redirects, pins: isOwnNetwork ? [] : await checkedPins(next, context) };
}

function nextServer(repository: GitRepository, trace: string): URL {
  const location = [...trace.matchAll(/<= Recv header: location:[ \t]*(\S+)/gi)].at(-1)?.[1];
  if (location === undefined) throw refused(repository, "redirects without naming an address");
  const asked = new URL(`${repository.route.url}${FIRST_PATH}${FIRST_QUERY}`);
  let next: URL;
  try {
    next = nextLocation(asked, { status: 301, headers: { location } }, "GET") ?? asked;
  } catch (error) {
    if (!SkilletError.isInstance(error)) throw error;
    throw refused(repository, "redirects to an address that is not followed", error);
  }
  if (!next.pathname.endsWith(FIRST_PATH) || next.search !== FIRST_QUERY)
    throw refused(repository, "redirects to something that is not a repository");
  return next;
}

async function isPrivate(server: URL, context: FetchContext): Promise<boolean> {
  const refused = await onRefusal(
    checkedPins(server, { ...context, allowedPrivateHosts: [] }),
    ({ code }) => code,
  );
  return refused === "address-refused";
}

function refused({ url }: GitRepository, problem: string, cause?: SkilletError): SkilletError {
  const why = cause === undefined ? "" : ` ${cause.message}`;
  const message = `${url} ${problem}; ask for the address where the repository is now.${why}`;
  return new SkilletError("git-redirect", message, { data: { url }, cause });
}
