import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { ExecutedScript } from "@skillet/core";
import { canonicalPath, isInside } from "@skillet/kit/files";

interface Place {
  readonly workspace: string;
  readonly home: string | undefined;
  /** The folder where the script started, if one was given. */
  readonly cwd: string | undefined;
  /** The typed command with more flags; with `--writable`, it starts in the workspace. */
  commandWith(...flags: readonly string[]): string;
}

/**
 * Says what the sandbox withheld from a failed script. The script cannot know which grant it lacked, so this
 * only reports what its own output is evidence of: a list of every flag would mislead users.
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

// Only code that bypasses the proxy fails like this: the proxy itself answers for hosts that it blocks.
const NO_PROXY =
  /name resolution|Name or service|nodename nor servname|getaddrinfo|\b(?:ENOTFOUND|EAI_AGAIN|ENETUNREACH)\b|Network is unreachable/i;
const SOCKETS =
  "Hosts that you allow are reached through the proxy that HTTPS_PROXY names. If it opens a socket itself, as database clients do, have it use that proxy (CONNECT).";

const WRITING = /Read-only file system|\bEROFS\b/;
const NO_FILE = /No such file|ENOENT|NotFound|Permission denied|EACCES|Operation not permitted|EPERM/;
const LEADING_OUT = /'((?:\.\.)?\/[^']+)'|"((?:\.\.)?\/[^"]+)"|(?<![\w/.:~])((?:\.\.)?\/[^\s'"`:,)]+)/g;
const SANDBOX_HOME = /^\/run\/skillet\/home(?=\/|$)/;

/** Returns paths outside the workspace that the lines mention, as a user would write them. */
function namedOutside(lines: readonly string[], { workspace, home, cwd = "." }: Place): readonly string[] {
  return lines
    .flatMap((line) => [...line.matchAll(LEADING_OUT)])
    .map(([, single, double, bare]) => resolve(workspace, cwd, single ?? double ?? bare ?? ""))
    .map((path) => (home === undefined ? path : path.replace(SANDBOX_HOME, () => home)))
    .filter((path) => !isInside(path, workspace));
}

/** Finds a file that is read-only because it is outside the workspace or because no grant covers it. */
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

/** Finds a file that exists for the user, but not in the sandbox. */
function unseenFile(lines: readonly string[], place: Place): readonly string[] {
  const missed = lines.filter((line) => NO_FILE.test(line));
  const unseen = namedOutside(missed, place).find(existsSync);
  if (unseen === undefined) return [];
  // Every script and every agent that reads the workspace would see a copy.
  const advice = SECRET_FILE.test(unseen)
    ? "Do not copy a key there. Put what it needs into a variable that the skill declares, and pass that alone: --secret NAME"
    : "Copy the file there, or choose the workspace with --workspace DIR.";
  return [`It sees only its skill and the workspace ${place.workspace}, so not ${unseen}. ${advice}`];
}

const SECRET_FILE =
  /\/\.(?:ssh|aws|gnupg|kube|docker|azure|config\/gcloud)\/|\.(?:pem|key|p12|pfx|jks|asc)$|\/(?:id_[a-z0-9]+|\.env[^/]*|\.netrc|\.npmrc|[^/]*(?:credential|secret|token)[^/]*)$/i;

const FAILED_NETWORK =
  /resolve host|name resolution|Name or service|nodename nor servname|no such host|getaddrinfo|\b(?:ENOTFOUND|EAI_AGAIN|ENETUNREACH|ECONNREFUSED)\b|Network is unreachable|Connection refused|(?:Failed|not|n't) (?:to )?connect/i;
// Names only: an address or port that a script prints could belong to any service on the local network.
const NAME = String.raw`((?:[a-z\d-]+\.)+[a-z]{2,}(?::\d+)?)(?![\w.])`;
const UNRESOLVED = new RegExp(`(?:resolve host:? '?|ENOTFOUND |EAI_AGAIN |lookup |host=')${NAME}`, "i");
const ADDRESS = new RegExp(`https?://${NAME}`, "i");
const LOCAL = /(?<![\w.])(127(?:\.\d{1,3}){3}|localhost|\[::1\])(?:(?::| port )(\d{1,5}))?(?![\w.])/;

/** If no host is granted, no proxy sees the attempt, so arguments and messages are the only evidence. */
function unreachedHost(argv: string, lines: readonly string[], { commandWith }: Place): readonly string[] {
  const said = lines.join("\n");
  const local = LOCAL.exec(`${argv}\n${said}`);
  if (local !== null) {
    const [, host, port = ""] = LOCAL.exec(argv) ?? [];
    // Only what the user typed goes into a grant to copy: a script could print any port of this machine.
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
