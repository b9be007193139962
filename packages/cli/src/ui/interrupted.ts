import { CliError } from "../cli-error.ts";

/** Ends a command at whose question somebody pressed Ctrl-C: that is no answer, also not the one that a bare enter gives. */
export function interrupted(): CliError {
  return new CliError("interrupted", "Stopped by Ctrl-C; what was asked about was not done.", {
    exitCode: 130,
  });
}

/** Whether an error says no more than that somebody pressed Ctrl-C at a question. */
export function isInterrupted(error: unknown): boolean {
  return error instanceof CliError && error.code === "interrupted";
}
