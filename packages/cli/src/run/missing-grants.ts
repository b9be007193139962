import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { ExecutedScript } from "@skillet/core";
import { canonicalPath, isInside } from "@skillet/kit/files";

interface Place {
  readonly workspace: string;
  readonly home: string | undefined;
  /** Where it began, if that was said. */
  readonly cwd: string | undefined;
  /** The command that was typed, with more flags; with `--writable`, it begins in the workspace. */
  commandWith(...flags: readonly string[]): string;
}

/**
 * What the sandbox kept from a script that failed. The script cannot know which grant was missing; only what its own words
 * are evidence of is told, because a list of every flag sends people the wrong way.
 */
export function missingGrants(run: ExecutedScript, place: Place): readonly string[] {
  const { status, exitCode, limit, sandbox, grants } = run;
  if (status !== "executed" || exitCode === 0 || limit !== undefined || sandbox.strength === "none")
    return [];
  const lines = `${run.stderr}\n${run.stdout}`.split("\n");
  return [
    ...(sandbox.place === undefined ? unseenFile(lines, place) : []),
    ...unwrittenFile(run, lines, place),
    ...(grants?.network.length === 0 ? unreachedHost(run.argv.join("\n"), lines, place) : []),
    ...(grants && grants.network.length > 0 && lines.some((line) => NO_PROXY.test(line)) ? [SOCKETS] : []),
  ];
}

// Only what does not use the proxy fails like this: the proxy itself answers for a host that it does not let through.
const NO_PROXY =
  /name resolution|Name or service|nodename nor servname|getaddrinfo|\b(?:ENOTFOUND|EAI_AGAIN|ENETUNREACH)\b|Network is unreachable/i;
const SOCKETS =
  "Hosts that you allow are reached through the proxy that HTTPS_PROXY names. If it opens a socket itself, as database clients do, have it use that proxy (CONNECT).";

const WRITING = /Read-only file system|\bEROFS\b/;
const NO_FILE = /No such file|ENOENT|NotFound|Permission denied|EACCES|Operation not permitted|EPERM/;
const LEADING_OUT = /'((?:\.\.)?\/[^']+)'|"((?:\.\.)?\/[^"]+)"|(?<![\w/.:~])((?:\.\.)?\/[^\s'"`:,)]+)/g;
const SANDBOX_HOME = /^\/run\/skillet\/home(?=\/|$)/;

/** What lines name outside of the workspace, as a person would call it. */
function namedOutside(lines: readonly string[], { workspace, home, cwd = "." }: Place): readonly string[] {
  return lines
    .flatMap((line) => [...line.matchAll(LEADING_OUT)])
    .map(([, single, double, bare]) => resolve(workspace, cwd, single ?? double ?? bare ?? ""))
    .map((path) => (home === undefined ? path : path.replace(SANDBOX_HOME, () => home)))
    .filter((path) => !isInside(path, workspace));
}

/** A file outside of the workspace, which the sandbox keeps read-only, or one that no grant opens. */
function unwrittenFile(run: ExecutedScript, lines: readonly string[], place: Place): readonly string[] {
  const refused = lines.filter((line) => WRITING.test(line));
  const isInSkill = place.cwd === "skill";
  if (refused.length === 0 || (run.grants === undefined && !isInSkill)) return [];
  const outside = namedOutside(refused, place).find((path) => !path.endsWith(`/${run.path}`));
  if (outside !== undefined)
    return [`It may write only into folders that --writable grants, so not ${outside}.`];
  const { writable = [] } = run.grants ?? {};
  if (!isInSkill && writable.some((folder) => isInside(canonicalPath(place.workspace), folder)))
    return ["What tools obey, such as .git, stays read-only in folders that --writable grants."];
  const only =
    writable.length === 0
      ? "not write here"
      : `write only into ${writable.join(", ")}, except what tools obey there, such as .git`;
  const why = isInSkill ? "Its own folder is always read-only." : `It may ${only}.`;
  return [`${why} To let it write into the workspace: ${place.commandWith("--writable", ".")}`];
}

/** A file that is there for the person, but not in the sandbox. */
function unseenFile(lines: readonly string[], place: Place): readonly string[] {
  const missed = lines.filter((line) => NO_FILE.test(line));
  const unseen = namedOutside(missed, place).find(existsSync);
  if (unseen === undefined) return [];
  // A copy would be there for every script and every agent that reads the workspace.
  const advice = SECRET_FILE.test(unseen)
    ? "Do not copy a key there. Put what it needs into a variable that the skill declares, and pass that alone: --secret NAME"
    : "Copy the file there, or choose the workspace with --workspace DIR.";
  return [`It sees only its skill and the workspace ${place.workspace}, so not ${unseen}. ${advice}`];
}

const SECRET_FILE =
  /\/\.(?:ssh|aws|gnupg|kube|docker|azure|config\/gcloud)\/|\.(?:pem|key|p12|pfx|jks|asc)$|\/(?:id_[a-z0-9]+|\.env[^/]*|\.netrc|\.npmrc|[^/]*(?:credential|secret|token)[^/]*)$/i;

const FAILED_NETWORK =
  /resolve host|name resolution|Name or service|nodename nor servname|no such host|getaddrinfo|\b(?:ENOTFOUND|EAI_AGAIN|ENETUNREACH|ECONNREFUSED)\b|Network is unreachable|Connection refused|(?:Failed|not|n't) (?:to )?connect/i;
// Names only: an address or a port that a script prints could be any service of this network.
const NAME = String.raw`((?:[a-z\d-]+\.)+[a-z]{2,}(?::\d+)?)(?![\w.])`;
const UNRESOLVED = new RegExp(`(?:resolve host:? '?|ENOTFOUND |EAI_AGAIN |lookup |host=')${NAME}`, "i");
const ADDRESS = new RegExp(`https?://${NAME}`, "i");
const LOCAL = /(?<![\w.])(127(?:\.\d{1,3}){3}|localhost|\[::1\])(?:(?::| port )(\d{1,5}))?(?![\w.])/;

/** No proxy sees an attempt where no host is granted; arguments and messages tell of it. */
function unreachedHost(argv: string, lines: readonly string[], { commandWith }: Place): readonly string[] {
  const said = lines.join("\n");
  const local = LOCAL.exec(`${argv}\n${said}`);
  if (local !== null) {
    const [, host, port = ""] = LOCAL.exec(argv) ?? [];
    // Only what the user typed is put into a grant to copy: what a script prints could be any port of this machine.
    const address = host === undefined ? "HOST:PORT" : `${host}${port === "" ? "" : `:${port}`}`;
    return [
      `In the sandbox ${local[1]} is not this machine; to let it reach a server here: ${commandWith("--network", address)}`,
    ];
  }
  if (!FAILED_NETWORK.test(said) && !ADDRESS.test(argv)) return [];
  const [, host] = ADDRESS.exec(argv) ?? UNRESOLVED.exec(said) ?? ADDRESS.exec(said) ?? [];
  const whom = host ?? "a host";
  return [`It may not use the network. To let it reach ${whom}: ${commandWith("--network", host ?? "HOST")}`];
}
