import { SkilletError } from "@skillet/core";
import { type ProcessResult, runProcess } from "@skillet/process";
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

/** Runs one git command to its end; returns what it said on the side, or throws what went wrong in words. */
export async function runGit(
  repository: GitRepository,
  args: readonly string[],
  options: GitOptions,
): Promise<string> {
  const { context, directory } = repository;
  const signals = [context.signal, options.signal].filter((signal) => signal !== undefined);
  const result = await runProcess({
    argv: [repository.program, ...repository.settings, ...args],
    environment: repository.environment,
    cwd: directory,
    deadlineMs: context.limits.deadlineMs,
    maxOutputBytes: MAX_MESSAGE_BYTES,
    maxSeenBytes: MAX_SEEN_BYTES,
    ...(options.stdin !== undefined && { stdin: Buffer.from(options.stdin) }),
    ...(signals.length > 0 && { signal: AbortSignal.any(signals) }),
    onOutput: (stream, bytes) => {
      if (stream === "stdout") options.onOutput(bytes);
    },
  });
  for (const signal of signals) signal.throwIfAborted();
  const said = Buffer.from(result.stderr.head).toString() + Buffer.from(result.stderr.tail).toString();
  checkEnding(repository, result, said);
  return said;
}

function checkEnding(repository: GitRepository, { ending, exitCode }: ProcessResult, said: string): void {
  const { url, context } = repository;
  if (ending === "deadline") {
    throw new SkilletError(
      "git-deadline",
      `git was not done with ${url} after ${context.limits.deadlineMs} ms; try again, or raise the limit.`,
      { data: { url, deadlineMs: context.limits.deadlineMs } },
    );
  }
  if (ending !== "exit" || exitCode !== 0) throw gitError(url, said);
}
