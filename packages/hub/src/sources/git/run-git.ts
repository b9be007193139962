import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { SkilletError } from "@skillet/kit/errors";
import { type ProcessResult, runProcess } from "@skillet/kit/process";
import { findProgram } from "@skillet/kit/program";
import { type FetchContext, tooLarge } from "../fetch-context.ts";
import { followRedirect, type GitRoute, gitRoute } from "./git-route.ts";
import { gitEnvironment, gitSettings, tokenFor } from "./git-settings.ts";

export interface GitRepository {
  readonly program: string;
  readonly directory: string;
  /** Without credentials; used in messages. */
  readonly url: string;
  readonly context: FetchContext;
  route: GitRoute;
}

/** Written by hand: `git init` would copy the user's template folder. Uses the hash format of `commit`. */
export async function createGitRepository(
  directory: string,
  url: string,
  context: FetchContext,
  commit: string = "",
): Promise<GitRepository> {
  const route = await gitRoute(url, context);
  const program = findProgram("git", context.environment);
  if (program === undefined) {
    const message =
      "There is no git in any folder of PATH; install it, or name an archive or a folder instead.";
    throw new SkilletError("git-missing", message);
  }
  await mkdir(join(directory, "objects", "pack"), { recursive: true, mode: 0o700 });
  await mkdir(join(directory, "refs"), { mode: 0o700 });
  await writeFile(join(directory, "HEAD"), "ref: refs/heads/none\n");
  const format = commit.length === 64 ? "\tobjectFormat = sha256\n" : "";
  const config = `[core]\n\trepositoryFormatVersion = 1\n\tbare = true\n[extensions]\n\tpartialClone = origin\n${format}`;
  await writeFile(join(directory, "config"), config);
  return { program, directory, url, context, route };
}

// Per failure.
const MAX_MESSAGE_BYTES = 64 * 1024;
const MAX_SEEN_BYTES = 1024 * 1024 * 1024;

interface GitOptions {
  readonly stdin?: string;
  readonly signal?: AbortSignal | undefined;
  /** Receives each chunk of the output and the total number of bytes; an exception from it ends git. */
  readonly onOutput?: (chunk: Uint8Array, bytes: number) => void;
}

/** Runs git; after a redirect, again at the new address if that may be contacted. Returns git's messages. */
export async function runGit(
  repository: GitRepository,
  args: readonly string[],
  options: GitOptions = {},
): Promise<string> {
  for (;;) {
    const { result, messages } = await runOnce(repository, args, options);
    const error = failureOf(repository, result, messages);
    if (error === undefined) return messages;
    if (error.code !== "git-redirect") throw error;
    repository.route = await followRedirect(repository, await traceFirst(repository, options.signal));
  }
}

export async function readGit(
  repository: GitRepository,
  args: readonly string[],
  { onOutput, ...options }: GitOptions = {},
): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  await runGit(repository, args, {
    ...options,
    onOutput: (chunk, bytes) => {
      chunks.push(Buffer.from(chunk));
      onOutput?.(chunk, bytes);
    },
  });
  return Buffer.concat(chunks);
}

async function runOnce(
  { context, directory, program, route }: GitRepository,
  args: readonly string[],
  { stdin, signal, onOutput }: GitOptions,
  variables: Readonly<Record<string, string>> = {},
): Promise<{ readonly result: ProcessResult; readonly messages: string }> {
  const { limits, environment } = context;
  const signals = [context.signal, signal].filter((one) => one !== undefined);
  const hasToken = tokenFor(route.url, environment) !== undefined;
  const settings = gitSettings({ url: route.url, pins: route.pins, limits, hasToken });
  let bytes = 0;
  const result = await runProcess({
    argv: boundMemory([program, ...settings, ...args], limits.maxGitMemoryBytes),
    environment: { ...gitEnvironment(route.url, directory, environment, context), ...variables },
    cwd: directory,
    deadlineMs: limits.deadlineMs,
    maxOutputBytes: MAX_MESSAGE_BYTES,
    maxSeenBytes: MAX_SEEN_BYTES,
    ...(stdin !== undefined && { stdin: Buffer.from(stdin) }),
    ...(signals.length > 0 && { signal: AbortSignal.any(signals) }),
    onOutput: (stream, chunk) => {
      if (stream !== "stdout") return;
      bytes += chunk.length;
      onOutput?.(chunk, bytes);
    },
  });
  for (const one of signals) one.throwIfAborted();
  const { head, tail } = result.stderr;
  return { result, messages: Buffer.from(head).toString() + Buffer.from(tail).toString() };
}

// Only git can use the user's login, and only its trace shows the redirect; the trace does not contain the login.
async function traceFirst(repository: GitRepository, signal: AbortSignal | undefined): Promise<string> {
  const trace = { GIT_TRACE_CURL: "1", GIT_TRACE_CURL_NO_DATA: "1", GIT_TRACE_REDACT: "1" };
  const first = ["ls-remote", "--quiet", "--", "origin", "HEAD"];
  return (await runOnce(repository, first, { signal }, trace)).messages;
}

function failureOf(
  { url, context, route }: GitRepository,
  { ending, exitCode }: ProcessResult,
  messages: string,
): SkilletError | undefined {
  const { deadlineMs } = context.limits;
  if (ending === "deadline") {
    const message = `git was not done with ${url} after ${deadlineMs} ms; try again, or raise the limit.`;
    return new SkilletError("git-deadline", message, { data: { url, deadlineMs } });
  }
  return ending === "exit" && exitCode === 0 ? undefined : gitError(url, messages.replaceAll(route.url, url));
}

const MAX_SHOWN_CHARACTERS = 500;

const BAD_OBJECTS = "{url} sent objects that no honest repository has; nothing of it was used.";

// The more specific patterns come first. git's messages are English because of LC_ALL.
const FAILURES = [
  [
    /transport '[^']*' not allowed/,
    "git-protocol-refused",
    "{url} leads to a protocol that is not allowed; use an https or ssh URL.",
  ],
  [
    /dubious ownership/,
    "git-ownership",
    "{url} belongs to someone else, and git does not read such repositories; copy it, or name it in safe.directory of your git config.",
  ],
  [
    /could not read (?:Username|Password)|Authentication failed|Invalid username or (?:password|token)|terminal prompts disabled|Permission denied|Host key verification failed|HTTP Basic: Access denied|requested URL returned error: 40[13]/i,
    "git-authentication",
    "{url} needs a login, or does not exist. Set up a git credential helper or an ssh key, or set GITHUB_TOKEN or GITLAB_TOKEN for its host; ssh hosts must be in known_hosts.",
  ],
  [
    /requested URL returned error: 30[1-8]/,
    "git-redirect",
    "{url} redirects in a way that is not followed; ask for the address where the repository is now.",
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

export function gitError(url: string, messages: string): SkilletError {
  // Lines from the server could say anything, for example that authentication failed.
  const lines = messages.split("\n").filter((line) => !/^(?:remote|warning):/.test(line));
  const own = lines.join("\n");
  // The name of a repository is not a message either.
  const nameless = own.replaceAll(url, "it");
  const [, code, text] = FAILURES.find(([pattern]) => pattern.test(nameless)) ?? [];
  const message = (text ?? "git failed on {url}.").replace("{url}", () => url);
  if (code === "source-too-large") return tooLarge(message, "maxGitMemoryBytes");
  const quoted = own
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ")
    // A user's insteadOf may add credentials.
    .replace(/\/\/[^/@\s]+@/g, "//")
    .trim();
  const quote = quoted === "" ? "" : ` git said: ${quoted.slice(0, MAX_SHOWN_CHARACTERS)}`;
  return new SkilletError(code ?? "git-failed", `${message}${quote}`, { data: { url } });
}

// Not found through PATH, because it runs before every command. Part of util-linux, so it exists on Linux only.
const PLACES = ["/usr/bin/prlimit", "/bin/prlimit"];

/**
 * Limits the memory of each of a command's processes; returns the command unchanged if the system has no prlimit.
 *
 * git holds every ref that a server lists, and a server need never stop. The limit is on data rather than address
 * space, because git maps whole packs, and because its credential helpers, which inherit the limit, may reserve far
 * more than they use.
 */
function boundMemory(
  argv: readonly [program: string, ...args: readonly string[]],
  maxBytes: number,
): readonly [program: string, ...args: readonly string[]] {
  const prlimit = PLACES.find((path) => existsSync(path));
  return prlimit === undefined ? argv : [prlimit, `--data=${maxBytes}:${maxBytes}`, "--", ...argv];
}
