import { SkilletError } from "@skillet/kit/errors";
import type { HubLimits } from "../../hub-limits.ts";
import { type FetchContext, withDeadline } from "../fetch-context.ts";
import { allowHostCommand, checkedAddresses, isAllowedHost, nextLocation } from "../http/address.ts";
import type { GitRepository } from "./run-git.ts";

export interface GitRoute {
  readonly url: string;
  readonly settings: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** Addresses of its host, as `http.curloptResolve` takes them. */
  readonly pins: readonly string[];
  readonly redirects: number;
}

/** The way to a repository; a host that someone other than a person named is looked up first, and must be public or allowed. */
export async function gitRoute(url: string, directory: string, context: FetchContext): Promise<GitRoute> {
  // Before any name is looked up.
  const route = routeTo(url, directory, context);
  const server = context.askedBy === "person" ? undefined : serverOf(url);
  if (server === undefined) return route;
  return routeTo(url, directory, context, { pins: await checkedPins(server, context) });
}

function routeTo(
  url: string,
  directory: string,
  context: FetchContext,
  { pins = [], redirects = 0 }: Partial<Pick<GitRoute, "pins" | "redirects">> = {},
): GitRoute {
  const environment = gitEnvironment(url, directory, context.environment, context);
  const hasToken = environment[TOKEN_VARIABLE] !== undefined;
  const settings = gitSettings({ url, limits: context.limits, hasToken, pins });
  return { url, settings, environment, pins, redirects };
}

/** Looks a server's name up, and gives what keeps git at those addresses: a second look-up could give others. */
async function checkedPins(server: URL, context: FetchContext): Promise<readonly string[]> {
  const { signal } = withDeadline(context);
  const addresses = await checkedAddresses(server, context, signal);
  const { hostname, protocol, port } = server;
  // ssh takes no addresses; there a host must be one of the user's known ones.
  if (protocol === "ssh:" || addresses.includes(hostname.replace(/^\[|\]$/g, ""))) return [];
  const number = port === "" ? (protocol === "https:" ? "443" : "80") : port;
  const list = addresses.map((address) => (address.includes(":") ? `[${address}]` : address)).join(",");
  // Versions of curl differ in whether a dot at the end belongs to a name.
  const names = new Set([hostname, hostname.replace(/\.$/, "")]);
  return [...names].map((name) => `${name}:${number}:${list}`);
}

function serverOf(url: string): URL | undefined {
  if (url.startsWith("file:")) return undefined;
  const scp = /^[^@/:]+@([^@/:]+):/.exec(url)?.[1];
  const text = scp === undefined ? url : `ssh://${scp}/`;
  const server = URL.canParse(text) ? new URL(text) : undefined;
  // What two parsers could read differently, a lock may hold; what was checked must be what git asks.
  const plain = /^[a-z]+:\/\/(?:[A-Za-z0-9_][A-Za-z0-9._-]*@)?([A-Za-z0-9._:[\]-]+)\//.exec(text)?.[1];
  if (server !== undefined && server.hostname !== "" && plain === server.host) return server;
  const message = `${JSON.stringify(url)} does not name its server plainly; write it like https://HOST/PATH or ssh://HOST/PATH.`;
  throw new SkilletError("git-protocol-refused", message, { data: { url } });
}

/**
 * Settings that stand above every config file, as arguments: they keep what a repository or a server says from starting
 * anything, while the user's own credential helpers, proxies and certificates stay in force.
 */
export function gitSettings(options: {
  readonly url: string;
  readonly limits: HubLimits;
  readonly hasToken: boolean;
  readonly pins?: readonly string[];
}): readonly string[] {
  const { url, limits, hasToken, pins = [] } = options;
  const settings: readonly (readonly [string, string])[] = [
    ...FIXED,
    // Larger blobs are streamed instead of held in memory.
    ["core.bigFileThreshold", String(limits.maxFileBytes)],
    ...TOLERATED.map((fault) => [`fetch.fsck.${fault}`, "ignore"] as const),
    ...pins.map((pin) => ["http.curloptResolve", pin] as const),
    ["http.lowSpeedTime", String(Math.max(1, Math.ceil(limits.idleMs / 1000)))],
    ["remote.origin.url", url],
    ...(hasToken ? tokenHelper(url) : []),
  ];
  return settings.flatMap(([name, value]) => ["-c", `${name}=${value}`]);
}

// Nothing is flushed to disk, since it is thrown away again. git would go wherever a server sends it: see
// followRedirect, which keeps alternates of plain servers off as well.
const FIXED: readonly (readonly [string, string])[] = `
  core.hooksPath=/dev/null core.fsmonitor=false core.symlinks=false core.askPass= core.fsync=none
  protocol.version=2 protocol.allow=never protocol.ext.allow=never
  transfer.fsckObjects=true fetch.fsckObjects=true transfer.bundleURI=false fetch.uriProtocols=
  fetch.negotiationAlgorithm=noop fetch.recurseSubmodules=false submodule.recurse=false
  fetch.writeCommitGraph=false fetch.prune=false gc.auto=0 maintenance.auto=false
  http.followRedirects=false http.lowSpeedLimit=1
  remote.origin.promisor=true remote.origin.partialCloneFilter=blob:none
`
  .trim()
  .split(/\s+/)
  .map((setting) => setting.split("=") as [string, string]);

// Old tools wrote these into commits that good repositories still have; none of them concerns paths.
const TOLERATED: readonly string[] = `
  badDate badDateOverflow badEmail badName badTimezone missingAuthor missingEmail
  missingNameBeforeEmail missingSpaceBeforeDate missingSpaceBeforeEmail multipleAuthors zeroPaddedDate
  zeroPaddedFilemode
`
  .trim()
  .split(/\s+/);

/**
 * A helper instead of a header: git asks it for one host only, while a header would follow a redirect to any other. The
 * empty one before it keeps the user's own helpers from storing the token.
 */
function tokenHelper(url: string): readonly (readonly [string, string])[] {
  const { origin } = new URL(url);
  const program = `!f() { test "$1" = get && printf 'username=x-access-token\\npassword=%s\\n' "$${TOKEN_VARIABLE}"; }; f`;
  return [
    [`credential.${origin}.helper`, ""],
    [`credential.${origin}.helper`, program],
  ];
}

// What the user's own helpers, agents, proxies and certificates need; nothing else of the caller's comes along.
const PASSED: readonly string[] = `
  PATH HOME USER LOGNAME TMPDIR XDG_CONFIG_HOME XDG_RUNTIME_DIR DBUS_SESSION_BUS_ADDRESS SSH_AUTH_SOCK
  GIT_SSH GIT_SSH_COMMAND GIT_SSH_VARIANT GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM GIT_CONFIG_NOSYSTEM
  GIT_SSL_CAINFO GIT_SSL_CAPATH SSL_CERT_FILE SSL_CERT_DIR HTTP_PROXY http_proxy HTTPS_PROXY
  https_proxy ALL_PROXY all_proxy NO_PROXY no_proxy
`
  .trim()
  .split(/\s+/);

const TOKEN_VARIABLE = "SKILLET_GIT_TOKEN";

const TOKENS: ReadonlyMap<string, readonly string[]> = new Map([
  ["github.com", ["GH_TOKEN", "GITHUB_TOKEN"]],
  ["gitlab.com", ["GITLAB_TOKEN"]],
]);

/** What git gets: no prompt of any kind, no lazy download, English messages, and a token for its own host alone. */
export function gitEnvironment(
  url: string,
  directory: string,
  environment: Readonly<Record<string, string | undefined>>,
  asker: GitAsker,
): Record<string, string> {
  const own: Record<string, string> = Object.create(null);
  for (const name of PASSED) {
    const value = environment[name];
    if (value !== undefined) own[name] = value;
  }
  const token = tokenFor(url, environment);
  return {
    ...own,
    ...(token !== undefined && { [TOKEN_VARIABLE]: token }),
    LC_ALL: "C",
    GIT_DIR: directory,
    GIT_ALLOW_PROTOCOL: gitProtocols(url, asker),
    GIT_TERMINAL_PROMPT: "0",
    // Set and empty: git then asks neither this nor what its config names.
    GIT_ASKPASS: "",
    // Without a terminal, which a process of its own session has not, ssh could only ask through a window.
    SSH_ASKPASS_REQUIRE: "never",
    GCM_INTERACTIVE: "never",
    GIT_LFS_SKIP_SMUDGE: "1",
    GIT_NO_LAZY_FETCH: "1",
    GIT_NO_REPLACE_OBJECTS: "1",
    GIT_OPTIONAL_LOCKS: "0",
  };
}

export function tokenFor(
  url: string,
  environment: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const host = /^https:\/\/([^/]+)\//.exec(url)?.[1];
  const names = host === undefined ? undefined : TOKENS.get(host);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a line end would add a line to what the helper says.
  return names?.map((name) => environment[name]).find((token) => token && !/[\x00-\x1f\x7f]/.test(token));
}

export type GitAsker = Pick<FetchContext, "askedBy" | "allowedPrivateHosts">;

/**
 * The protocols that git may use for a URL, as `GIT_ALLOW_PROTOCOL` takes them; throws for a URL that none of them fits.
 *
 * Whatever a server redirects to, and whatever a user's `url.insteadOf` makes of it, stays within them.
 */
export function gitProtocols(url: string, asker: GitAsker): string {
  const scheme = /^([a-z]+):\/\//.exec(url)?.[1];
  if (scheme === "file") return "file";
  if (scheme === "https" || scheme === "ssh") return "https:ssh";
  if (scheme === undefined && /^[A-Za-z0-9_][A-Za-z0-9._-]*@[A-Za-z0-9]/.test(url)) return "https:ssh";
  if (scheme === "http" && isAllowed(new URL(url), asker)) return "http:https";
  throw new SkilletError(
    "git-protocol-refused",
    scheme === "http"
      ? `${url} uses plain http, which can be tampered with in transit. Use https or ssh, or if you run that server, allow it: ${allowHostCommand(new URL(url).host, asker)}`
      : `Unsupported protocol in ${JSON.stringify(url)}. Use https, ssh or file.`,
    { data: { url } },
  );
}

function isAllowed(url: URL, { askedBy, allowedPrivateHosts }: GitAsker): boolean {
  return (
    isAllowedHost(url, allowedPrivateHosts) ||
    // No one is on the way to this machine itself; but what runs on it is not for strangers to ask.
    (askedBy === "person" && /^(?:localhost|\[::1\]|127(?:\.[0-9]{1,3}){3})$/.test(url.hostname))
  );
}

// What git asks a server for first; a redirect must lead to the same of another repository.
const FIRST_PATH = "/info/refs";
const FIRST_QUERY = "?service=git-upload-pack";

/**
 * git itself would go to any address. Here it must be one that could have been asked for: from a public server only to
 * public or allowed ones, and never from https to http.
 */
export async function followRedirect(repository: GitRepository, trace: string): Promise<GitRoute> {
  const { context, directory, route } = repository;
  // An ssh server can say anything that git could have said.
  if (!/^https?:/.test(route.url)) throw refused(repository, "leads elsewhere, which only http can");
  const redirects = route.redirects + 1;
  if (redirects > context.limits.maxRedirects)
    throw refused(repository, `leads on more than ${context.limits.maxRedirects} times`);
  const next = locate(repository, trace);
  const url = `${next.origin}${next.pathname.slice(0, -FIRST_PATH.length)}`;
  const here = serverOf(route.url);
  // Refuses a protocol before any name is looked up.
  const unpinned = routeTo(url, directory, context, { redirects });
  if (here?.origin === next.origin) return routeTo(url, directory, context, { redirects, pins: route.pins });
  // Someone's own network may lead about in itself.
  if (context.askedBy === "person" && here !== undefined && (await isPrivate(here, context))) return unpinned;
  return routeTo(url, directory, context, { redirects, pins: await checkedPins(next, context) });
}

function locate(repository: GitRepository, trace: string): URL {
  const location = [...trace.matchAll(/<= Recv header: location:[ \t]*(\S+)/gi)].at(-1)?.[1];
  if (location === undefined) throw refused(repository, "leads to an address that it does not say");
  const asked = new URL(`${repository.route.url}${FIRST_PATH}${FIRST_QUERY}`);
  const next = nextOf(repository, asked, location);
  if (!next.pathname.endsWith(FIRST_PATH) || next.search !== FIRST_QUERY)
    throw refused(repository, "leads to something that is not a repository");
  return next;
}

function nextOf(repository: GitRepository, asked: URL, location: string): URL {
  try {
    const next = nextLocation(asked, { status: 301, headers: { location } }, "GET");
    return next ?? asked;
  } catch (error) {
    if (!SkilletError.isInstance(error)) throw error;
    throw refused(repository, "leads to an address that is not gone to", error);
  }
}

async function isPrivate(server: URL, context: FetchContext): Promise<boolean> {
  try {
    await checkedPins(server, { ...context, allowedPrivateHosts: [] });
    return false;
  } catch (error) {
    if (!SkilletError.isInstance(error)) throw error;
    return error.code === "address-refused";
  }
}

function refused({ url }: GitRepository, what: string, cause?: SkilletError): SkilletError {
  const why = cause === undefined ? "" : ` ${cause.message}`;
  const message = `${url} ${what}; ask for the address where the repository is now.${why}`;
  return new SkilletError("git-redirect", message, { data: { url }, cause });
}
