import type { HubLimits } from "../../hub-limits.ts";
import { TOKEN_VARIABLE } from "./git-environment.ts";

/**
 * Settings that stand above every config file, as arguments: they keep what a repository or a server says from starting
 * anything, while the user's own credential helpers, proxies and certificates stay in force.
 */
export function gitSettings(options: {
  readonly url: string;
  readonly limits: HubLimits;
  readonly hasToken: boolean;
  /** Addresses of hosts, as `http.curloptResolve` takes them. */
  readonly pins?: readonly string[];
}): readonly string[] {
  const { url, limits, hasToken, pins = [] } = options;
  const settings: readonly (readonly [string, string])[] = [
    ["core.hooksPath", "/dev/null"],
    ["core.fsmonitor", "false"],
    ["core.symlinks", "false"],
    ["core.askPass", ""],
    // What is fetched is thrown away again; flushing it to disk is waste.
    ["core.fsync", "none"],
    // Larger blobs are streamed instead of held in memory.
    ["core.bigFileThreshold", String(limits.maxFileBytes)],
    ["protocol.version", "2"],
    ["protocol.allow", "never"],
    ["protocol.ext.allow", "never"],
    ["transfer.fsckObjects", "true"],
    ["fetch.fsckObjects", "true"],
    ...TOLERATED.map((fault) => [`fetch.fsck.${fault}`, "ignore"] as const),
    ["transfer.bundleURI", "false"],
    ["fetch.uriProtocols", ""],
    ["fetch.negotiationAlgorithm", "noop"],
    ["fetch.recurseSubmodules", "false"],
    ["submodule.recurse", "false"],
    ["fetch.writeCommitGraph", "false"],
    ["fetch.prune", "false"],
    ["gc.auto", "0"],
    ["maintenance.auto", "false"],
    // git would go wherever a server sends it; see followRedirect. It keeps alternates of plain servers off as well.
    ["http.followRedirects", "false"],
    ...pins.map((pin) => ["http.curloptResolve", pin] as const),
    ["http.lowSpeedLimit", "1"],
    ["http.lowSpeedTime", String(Math.max(1, Math.ceil(limits.idleMs / 1000)))],
    ["remote.origin.url", url],
    ["remote.origin.promisor", "true"],
    ["remote.origin.partialCloneFilter", "blob:none"],
    ...(hasToken ? tokenHelper(url) : []),
  ];
  return settings.flatMap(([name, value]) => ["-c", `${name}=${value}`]);
}

// Old tools wrote these into commits that good repositories still have; none of them concerns paths.
const TOLERATED = [
  "badDate",
  "badDateOverflow",
  "badEmail",
  "badName",
  "badTimezone",
  "missingAuthor",
  "missingEmail",
  "missingNameBeforeEmail",
  "missingSpaceBeforeDate",
  "missingSpaceBeforeEmail",
  "multipleAuthors",
  "zeroPaddedDate",
  "zeroPaddedFilemode",
] as const;

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
