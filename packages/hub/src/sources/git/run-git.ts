import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { SkilletError } from "@skillet/kit/errors";
import { type ProcessResult, runProcess } from "@skillet/kit/process";
import { findProgram } from "@skillet/kit/program";
import { type FetchContext, tooLarge } from "../fetch-context.ts";
import { followRedirect, type GitRoute, gitRoute } from "./git-route.ts";

export interface GitRepository {
  readonly program: string;
  readonly directory: string;
  /** Without credentials; what messages name. */
  readonly url: string;
  readonly context: FetchContext;
  route: GitRoute;
}

type ObjectFormat = "sha1" | "sha256";

/** Written out instead of `git init`, which would copy what the user's template folder holds. */
export async function createGitRepository(
  directory: string,
  url: string,
  format: ObjectFormat,
  context: FetchContext,
): Promise<GitRepository> {
  const route = await gitRoute(url, directory, context);
  const program = findProgram("git", context.environment);
  if (program === undefined) {
    const message =
      "There is no git in any folder of PATH; install it, or name an archive or a folder instead.";
    throw new SkilletError("git-missing", message);
  }
  await mkdir(join(directory, "objects", "pack"), { recursive: true, mode: 0o700 });
  await mkdir(join(directory, "refs"), { mode: 0o700 });
  await writeFile(join(directory, "HEAD"), "ref: refs/heads/none\n");
  await writeFile(join(directory, "config"), configOf(format));
  return { program, directory, url, context, route };
}

function configOf(format: ObjectFormat): string {
  const objectFormat = format === "sha256" ? "\tobjectFormat = sha256\n" : "";
  return `[core]\n\trepositoryFormatVersion = 1\n\tbare = true\n[extensions]\n\tpartialClone = origin\n${objectFormat}`;
}

// git's own words about a failure.
const MAX_MESSAGE_BYTES = 64 * 1024;
const MAX_SEEN_BYTES = 1024 * 1024 * 1024;

interface GitOptions {
  readonly stdin?: string;
  readonly signal?: AbortSignal | undefined;
  readonly onOutput: (bytes: Uint8Array) => void;
}

/** Where a server sends git elsewhere, the command is run again there, if that may be gone to. */
export async function runGit(
  repository: GitRepository,
  args: readonly string[],
  options: GitOptions,
): Promise<string> {
  for (;;) {
    const { result, said } = await runOnce(repository, args, options);
    const error = failureOf(repository, result, said);
    if (error === undefined) return said;
    if (error.code !== "git-redirect") throw error;
    repository.route = await followRedirect(repository, await traceFirst(repository, options.signal));
  }
}

interface Run {
  readonly result: ProcessResult;
  readonly said: string;
}

async function runOnce(
  { context, directory, program, route }: GitRepository,
  args: readonly string[],
  options: GitOptions & { readonly environment?: Readonly<Record<string, string>> },
): Promise<Run> {
  const signals = [context.signal, options.signal].filter((signal) => signal !== undefined);
  const { maxGitMemoryBytes, deadlineMs } = context.limits;
  const result = await runProcess({
    argv: boundMemory([program, ...route.settings, ...args], maxGitMemoryBytes),
    environment: { ...route.environment, ...options.environment },
    cwd: directory,
    deadlineMs,
    maxOutputBytes: MAX_MESSAGE_BYTES,
    maxSeenBytes: MAX_SEEN_BYTES,
    ...(options.stdin !== undefined && { stdin: Buffer.from(options.stdin) }),
    ...(signals.length > 0 && { signal: AbortSignal.any(signals) }),
    onOutput: (stream, bytes) => {
      if (stream === "stdout") options.onOutput(bytes);
    },
  });
  for (const signal of signals) signal.throwIfAborted();
  return {
    result,
    said: Buffer.from(result.stderr.head).toString() + Buffer.from(result.stderr.tail).toString(),
  };
}

// Only git can ask with the user's login; it says where it was sent nowhere else than in its trace, which has no login.
async function traceFirst(repository: GitRepository, signal: AbortSignal | undefined): Promise<string> {
  const { said } = await runOnce(repository, ["ls-remote", "--quiet", "--", "origin", "HEAD"], {
    signal,
    onOutput: () => undefined,
    environment: { GIT_TRACE_CURL: "1", GIT_TRACE_CURL_NO_DATA: "1", GIT_TRACE_REDACT: "1" },
  });
  return said;
}

function failureOf(
  { url, context, route }: GitRepository,
  { ending, exitCode }: ProcessResult,
  said: string,
): SkilletError | undefined {
  if (ending === "deadline") {
    const message = `git was not done with ${url} after ${context.limits.deadlineMs} ms; try again, or raise the limit.`;
    return new SkilletError("git-deadline", message, {
      data: { url, deadlineMs: context.limits.deadlineMs },
    });
  }
  return ending === "exit" && exitCode === 0 ? undefined : gitError(url, said.replaceAll(route.url, url));
}

const MAX_SHOWN_CHARACTERS = 500;

const BAD_OBJECTS = "{url} sent objects that no honest repository has; nothing of it was used.";

// In this order: the more exact come first. git's messages are English, because LC_ALL says so.
const FAILURES = [
  [
    /transport '[^']*' not allowed/,
    "git-protocol-refused",
    "{url} leads to a protocol that is not allowed; use an https or ssh URL.",
  ],
  [
    /dubious ownership/,
    "git-ownership",
    "{url} belongs to somebody else, and git reads no repository of others; copy it, or name it in safe.directory of your git config.",
  ],
  [
    /could not read (?:Username|Password)|Authentication failed|Invalid username or (?:password|token)|terminal prompts disabled|Permission denied|Host key verification failed|HTTP Basic: Access denied|requested URL returned error: 40[13]/i,
    "git-authentication",
    "{url} lets nobody in without a login, or does not exist. Set up a git credential helper or an ssh key, or set GITHUB_TOKEN or GITLAB_TOKEN for its host; ssh hosts must be in known_hosts.",
  ],
  [
    /requested URL returned error: 30[1-8]/,
    "git-redirect",
    "{url} leads to somewhere else in a way that is not followed; ask for the address where the repository is now.",
  ],
  [
    /Out of memory|(?:mmap|malloc|realloc) failed|Cannot allocate memory/i,
    "source-too-large",
    "{url} sends more than git can hold in the memory that it gets.",
  ],
  [
    /couldn't find remote ref|not our ref|unadvertised object|no such remote ref/i,
    "git-ref-missing",
    "{url} does not have what was asked for; check the branch, tag or commit.",
  ],
  [/fsck error|in packed object|pack has bad object/i, "git-objects-refused", BAD_OBJECTS],
  [
    /Could not resolve host|Couldn't connect|Connection (?:refused|reset|timed out|closed)|Failed to connect|Operation (?:too slow|timed out)|Empty reply|early EOF|hung up|RPC failed|certificate|\bSSL\b|\bTLS\b|requested URL returned error: 5|bytes of body are still expected|unexpected disconnect|protocol error|bad line length|not valid: is this a git repository/i,
    "git-network",
    "{url} cannot be reached, or the connection broke; check the network and try again.",
  ],
  [
    /not found|does not appear to be a git repository|does not exist|No such file or directory|requested URL returned error: 4/i,
    "git-not-found",
    "There is no repository at {url}, or you may not see it; check its spelling and your login.",
  ],
  [
    /pack (?:is corrupted|signature mismatch)|inflate|garbage at end|index-pack failed|invalid index-pack output/i,
    "git-objects-refused",
    BAD_OBJECTS,
  ],
] as const;

export function gitError(url: string, said: string): SkilletError {
  // What a server prints could say anything, such as that authentication failed.
  const own = said
    .split("\n")
    .filter((line) => !line.startsWith("remote:") && !line.startsWith("warning:"))
    .join("\n");
  const quote = quoteGit(own);
  // The name of a repository is not a message either.
  const nameless = own.replaceAll(url, "it");
  const [, code, text] = FAILURES.find(([says]) => says.test(nameless)) ?? [];
  const message = (text ?? "git failed on {url}.").replace("{url}", () => url);
  if (code === "source-too-large") return tooLarge(message, "maxGitMemoryBytes");
  return new SkilletError(code ?? "git-failed", `${message}${quote}`, { data: { url } });
}

function quoteGit(said: string): string {
  const text = said
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ")
    // A user's insteadOf may bring credentials in.
    .replace(/\/\/[^/@\s]+@/g, "//")
    .trim();
  return text === "" ? "" : ` git said: ${text.slice(0, MAX_SHOWN_CHARACTERS)}`;
}

// Not by PATH: it stands before every command. Part of util-linux; other systems than Linux have none.
const PLACES = ["/usr/bin/prlimit", "/bin/prlimit"];

/**
 * A command that can write to no more memory than this, in each of its processes; the command itself where the system has
 * no prlimit.
 *
 * git holds every ref that a server lists, and a server need never stop. Data and not address space is bounded, because
 * git maps packs whole, and because its credential helpers, which inherit this, may reserve far more than they use.
 */
function boundMemory(
  argv: readonly [program: string, ...args: readonly string[]],
  maxBytes: number,
): readonly [program: string, ...args: readonly string[]] {
  const prlimit = PLACES.find((path) => existsSync(path));
  return prlimit === undefined ? argv : [prlimit, `--data=${maxBytes}:${maxBytes}`, "--", ...argv];
}
