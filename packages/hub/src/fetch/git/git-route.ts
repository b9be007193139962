import { SkilletError } from "@skillet/kit/errors";
import type { FetchContext } from "../fetch-context.ts";
import { checkedAddresses } from "../http/checked-addresses.ts";
import { gitEnvironment, TOKEN_VARIABLE } from "./git-environment.ts";
import { gitSettings } from "./git-settings.ts";

/** How git gets to a server: the URL, and what it is started with. */
export interface GitRoute {
  /** The repository's own, or where a server sent us from there. */
  readonly url: string;
  /** Before every command. */
  readonly settings: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** Addresses of its host, as `http.curloptResolve` takes them. */
  readonly pins: readonly string[];
  /** How often a server sent us on. */
  readonly redirects: number;
}

/** What a route is made of besides its URL. */
interface RouteOptions {
  readonly directory: string;
  readonly context: FetchContext;
}

/** The way to a repository; a host that somebody else than a person named is looked up first, and must be public or allowed. */
export async function gitRoute(url: string, options: RouteOptions): Promise<GitRoute> {
  const { context } = options;
  // Before any name is looked up.
  const route = routeTo(url, { ...options, redirects: 0 });
  const server = context.askedBy === "person" ? undefined : serverOf(url);
  return server === undefined
    ? route
    : routeTo(url, { ...options, redirects: 0, pins: await checkedPins(server, context) });
}

/** The same for a URL whose host was checked. */
export function routeTo(
  url: string,
  options: RouteOptions & { readonly redirects: number; readonly pins?: readonly string[] },
): GitRoute {
  const { context, directory, redirects, pins = [] } = options;
  const environment = gitEnvironment({ url, directory, environment: context.environment, asker: context });
  const hasToken = environment[TOKEN_VARIABLE] !== undefined;
  const settings = gitSettings({ url, limits: context.limits, hasToken, pins });
  return { url, settings, environment, pins, redirects };
}

/** Looks a server's name up, and gives what keeps git at those addresses: a second look-up could give others. */
export async function checkedPins(server: URL, context: FetchContext): Promise<readonly string[]> {
  const deadline = AbortSignal.timeout(context.limits.deadlineMs);
  const signal = context.signal === undefined ? deadline : AbortSignal.any([deadline, context.signal]);
  const addresses = await checkedAddresses(server, { context, signal });
  const { hostname, protocol, port } = server;
  // ssh takes no addresses; there a host must be one of the user's known ones.
  if (protocol === "ssh:" || addresses.includes(hostname.replace(/^\[|\]$/g, ""))) return [];
  const number = port === "" ? (protocol === "https:" ? "443" : "80") : port;
  const list = addresses.map((address) => (address.includes(":") ? `[${address}]` : address)).join(",");
  // Versions of curl differ in whether a dot at the end belongs to a name.
  const names = new Set([hostname, hostname.replace(/\.$/, "")]);
  return [...names].map((name) => `${name}:${number}:${list}`);
}

/** The server of a git URL; undefined for a folder. */
export function serverOf(url: string): URL | undefined {
  if (url.startsWith("file:")) return undefined;
  const scp = /^[^@/:]+@([^@/:]+):/.exec(url)?.[1];
  const text = scp === undefined ? url : `ssh://${scp}/`;
  const server = URL.canParse(text) ? new URL(text) : undefined;
  // What two parsers could read differently, a lock may hold; what was checked must be what git asks.
  const plain = /^[a-z]+:\/\/(?:[A-Za-z0-9_][A-Za-z0-9._-]*@)?([A-Za-z0-9._:[\]-]+)\//.exec(text)?.[1];
  if (server !== undefined && server.hostname !== "" && plain === server.host) return server;
  throw new SkilletError(
    "git-protocol-refused",
    `${JSON.stringify(url)} does not name its server plainly; write it like https://HOST/PATH or ssh://HOST/PATH.`,
    { data: { url } },
  );
}
