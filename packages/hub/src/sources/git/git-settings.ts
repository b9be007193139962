import { SkilletError } from "@skillet/kit/errors";
import { passedOn } from "@skillet/kit/program";
import type { FetchContext } from "../fetch-context.ts";
import { allowHostCommand, isAllowedHost, isOwnMachine } from "../http/address.ts";

/**
 * Settings that override every config file, as arguments: they keep a repository or a server from starting
 * anything, while the user's own credential helpers, proxies and certificates stay in effect.
 */
export function gitSettings(options: {
  readonly url: string;
  readonly limits: FetchContext["limits"];
  readonly hasToken: boolean;
  readonly pins?: readonly string[];
}): readonly string[] {
  const { url, limits, hasToken, pins = [] } = options;
  const settings = [
    ...FIXED,
    // Larger blobs are streamed rather than held in memory.
    `core.bigFileThreshold=${limits.maxFileBytes}`,
    ...TOLERATED.map((fault) => `fetch.fsck.${fault}=ignore`),
    ...pins.map((pin) => `http.curloptResolve=${pin}`),
    `http.lowSpeedTime=${Math.max(1, Math.ceil(limits.idleMs / 1000))}`,
    `remote.origin.url=${url}`,
    ...(hasToken ? tokenHelper(url) : []),
  ];
  return settings.flatMap((setting) => ["-c", setting]);
}

// Nothing is synced to disk, since it is deleted again. git would follow a server anywhere: see
// followRedirect, which also blocks alternates of plain file servers.
const FIXED = words(`
  core.hooksPath=/dev/null core.fsmonitor=false core.symlinks=false core.askPass= core.fsync=none
  protocol.version=2 protocol.allow=never protocol.ext.allow=never
  transfer.fsckObjects=true fetch.fsckObjects=true transfer.bundleURI=false fetch.uriProtocols=
  fetch.negotiationAlgorithm=noop fetch.recurseSubmodules=false submodule.recurse=false
  fetch.writeCommitGraph=false fetch.prune=false gc.auto=0 maintenance.auto=false
  http.followRedirects=false http.lowSpeedLimit=1
  remote.origin.promisor=true remote.origin.partialCloneFilter=blob:none
`);

// Old tools wrote these faults into commits that good repositories still contain; none of them concerns paths.
const TOLERATED = words(`
  badDate badDateOverflow badEmail badName badTimezone missingAuthor missingEmail
  missingNameBeforeEmail missingSpaceBeforeDate missingSpaceBeforeEmail multipleAuthors zeroPaddedDate
  zeroPaddedFilemode
`);

function words(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}

/**
 * A helper rather than a header: git asks it for one host only, while a header would follow a redirect to any
 * other. The empty helper before it keeps the user's own helpers from storing the token.
 */
function tokenHelper(url: string): readonly string[] {
  const setting = `credential.${new URL(url).origin}.helper=`;
  const program = `!f() { test "$1" = get && printf 'username=x-access-token\\npassword=%s\\n' "$${TOKEN_VARIABLE}"; }; f`;
  return [setting, `${setting}${program}`];
}

// For the user's own helpers, agents, proxies and certificates; no other variable is passed on.
const PASSED = words(`
  PATH HOME USER LOGNAME TMPDIR XDG_CONFIG_HOME XDG_RUNTIME_DIR DBUS_SESSION_BUS_ADDRESS SSH_AUTH_SOCK
  GIT_SSH GIT_SSH_COMMAND GIT_SSH_VARIANT GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM GIT_CONFIG_NOSYSTEM
  GIT_SSL_CAINFO GIT_SSL_CAPATH SSL_CERT_FILE SSL_CERT_DIR HTTP_PROXY http_proxy HTTPS_PROXY
  https_proxy ALL_PROXY all_proxy NO_PROXY no_proxy
`);

const TOKEN_VARIABLE = "SKILLET_GIT_TOKEN";

const TOKENS: ReadonlyMap<string, readonly string[]> = new Map([
  ["github.com", ["GH_TOKEN", "GITHUB_TOKEN"]],
  ["gitlab.com", ["GITLAB_TOKEN"]],
]);

/** The environment of git: no prompts, no lazy downloads, English messages, and a token for its own host only. */
export function gitEnvironment(
  url: string,
  directory: string,
  environment: FetchContext["environment"],
  asker: GitAsker,
): Record<string, string> {
  const token = tokenFor(url, environment);
  return {
    ...passedOn(environment, (name) => PASSED.includes(name)),
    ...(token !== undefined && { [TOKEN_VARIABLE]: token }),
    LC_ALL: "C",
    GIT_DIR: directory,
    GIT_ALLOW_PROTOCOL: gitProtocols(url, asker),
    GIT_TERMINAL_PROMPT: "0",
    // If set and empty, git runs neither this program nor the one in its config.
    GIT_ASKPASS: "",
    // Without a terminal, which a process in its own session lacks, ssh could only open a window to ask.
    SSH_ASKPASS_REQUIRE: "never",
    GCM_INTERACTIVE: "never",
    GIT_LFS_SKIP_SMUDGE: "1",
    GIT_NO_LAZY_FETCH: "1",
    GIT_NO_REPLACE_OBJECTS: "1",
    GIT_OPTIONAL_LOCKS: "0",
  };
}

export function tokenFor(url: string, environment: FetchContext["environment"]): string | undefined {
  const host = /^https:\/\/([^/]+)\//.exec(url)?.[1] ?? "";
  const tokens = TOKENS.get(host)?.map((name) => environment[name]);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a line end would add a line to what the helper says.
  return tokens?.find((token) => token && !/[\x00-\x1f\x7f]/.test(token));
}

export type GitAsker = Pick<FetchContext, "askedBy" | "allowedPrivateHosts">;

/** For `GIT_ALLOW_PROTOCOL`; throws if none is allowed. Redirects and the user's `url.insteadOf` are bound by it. */
export function gitProtocols(url: string, asker: GitAsker): string {
  const scheme = /^([a-z]+):\/\//.exec(url)?.[1];
  if (scheme === "file") return "file";
  if (scheme === "https" || scheme === "ssh") return "https:ssh";
  if (scheme === undefined && /^[A-Za-z0-9_][A-Za-z0-9._-]*@[A-Za-z0-9]/.test(url)) return "https:ssh";
  if (scheme === "http" && isAllowed(new URL(url), asker)) return "http:https";
  const message =
    scheme === "http"
      ? `${url} uses plain http, which can be tampered with in transit. Use https or ssh, or if you run that server, allow it: ${allowHostCommand(new URL(url).host, asker)}`
      : `Unsupported protocol in ${JSON.stringify(url)}. Use https, ssh or file.`;
  throw new SkilletError("git-protocol-refused", message, { data: { url } });
}

// Connections within this machine cannot be intercepted, but only the user may request its servers.
function isAllowed(url: URL, { askedBy, allowedPrivateHosts }: GitAsker): boolean {
  return isAllowedHost(url, allowedPrivateHosts) || (askedBy === "person" && isOwnMachine(url));
}
