import { statSync } from "node:fs";
import { SkilletError } from "../errors.ts";
import type { ProcessRequest } from "./process-request.ts";

/** Says in words why a program could not be started. */
export function startError(request: ProcessRequest, cause: unknown): SkilletError {
  const [program] = request.argv;
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
  // The kernel reports a bad working directory in the same words as a bad program.
  if (!isDirectory(request.cwd)) {
    return new SkilletError(
      "process-cwd-invalid",
      `There is no folder ${request.cwd} to work in; make it, or pass another.`,
      { cause },
    );
  }
  switch (code) {
    case "ENOENT":
      return new SkilletError(
        "process-not-found",
        `${program} was not found, or the interpreter that its first line names; install it.`,
        { cause },
      );
    case "EACCES":
    case "ENOEXEC":
    case "ENOTDIR":
      return new SkilletError(
        "process-not-executable",
        `${program} is no program that may be executed here; check what it is and its permissions, and those of ${request.cwd}.`,
        { cause },
      );
    case "E2BIG":
      return new SkilletError(
        "process-request-invalid",
        `The arguments and the environment of ${program} are too long together; pass long text on standard input.`,
        { cause },
      );
    case "EPERM":
      return new SkilletError(
        "process-start-failed",
        `${program} could not be started as another user; only root can do that.`,
        { cause },
      );
    case "EAGAIN":
    case "EMFILE":
    case "ENFILE":
    case "ENOMEM":
      return new SkilletError(
        "process-start-failed",
        `There is no room for another process (${code}); let others finish, or raise the limits.`,
        { cause },
      );
    default:
      return new SkilletError("process-start-failed", `${program} could not be started (${String(code)}).`, {
        cause,
      });
  }
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch (error) {
    if (error instanceof Error && "code" in error) return false;
    throw error;
  }
}
