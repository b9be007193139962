import { SkilletError } from "@skillet/kit/errors";
import { type ProcessResult, runProcess } from "@skillet/kit/process";
import { boundMemory } from "./bound-memory.ts";
import { followRedirect } from "./follow-redirect.ts";
import { gitError } from "./git-error.ts";
import type { GitRepository } from "./git-repository.ts";

// git's own words about a failure.
const MAX_MESSAGE_BYTES = 64 * 1024;
const MAX_SEEN_BYTES = 1024 * 1024 * 1024;

/** How one git command is run. */
export interface GitOptions {
  readonly stdin?: string;
  readonly signal?: AbortSignal | undefined;
  /** Gets the output as it comes; what it throws ends the command. */
  readonly onOutput: (bytes: Uint8Array) => void;
}

/**
 * Runs one git command to its end; returns what it said on the side, or throws what went wrong in words.
 *
 * Where a server sends git elsewhere, the command is run again there, if that may be gone to.
 */
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
    return new SkilletError(
      "git-deadline",
      `git was not done with ${url} after ${context.limits.deadlineMs} ms; try again, or raise the limit.`,
      { data: { url, deadlineMs: context.limits.deadlineMs } },
    );
  }
  return ending === "exit" && exitCode === 0 ? undefined : gitError(url, said.replaceAll(route.url, url));
}
