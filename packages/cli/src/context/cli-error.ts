import { SkilletError } from "@skillet/kit/errors";
import type { ExitCode } from "./command-context.ts";

interface CliErrorOptions {
  readonly exitCode?: ExitCode;
  readonly hints?: readonly string[];
  readonly details?: Readonly<Record<string, unknown>>;
}

export class CliError extends Error implements Required<CliErrorOptions> {
  readonly code: string;
  readonly exitCode: ExitCode;
  readonly hints: readonly string[];
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: string, message: string, options: CliErrorOptions = {}) {
    super(message);
    this.name = "CliError";
    this.code = code;
    this.exitCode = options.exitCode ?? 2;
    this.hints = options.hints ?? [];
    this.details = options.details ?? {};
  }
}

/** The error for wrong usage; without a hint of its own, it points to the help. */
export function usageError(
  command: string,
  message: string,
  hint = `See: skillet help ${command}`,
): CliError {
  return new CliError("usage", message, { hints: [hint] });
}

/** The error for a command that was refused or found nothing; exit code 1. */
export function refusalError(
  code: string,
  message: string,
  details: Readonly<Record<string, unknown>>,
  hints: readonly string[],
): CliError {
  return new CliError(code, message, { exitCode: 1, hints, details });
}

export function refuseUsage(
  command: string,
  faults: readonly (readonly [isFault: boolean, message: string, hint?: string])[],
): void {
  const fault = faults.find(([isFault]) => isFault);
  if (fault !== undefined) throw usageError(command, fault[1], fault[2]);
}

export function didYouMean(suggestions: readonly string[], otherwise: string): readonly string[] {
  return [suggestions.length > 0 ? `Did you mean ${suggestions.join(" or ")}?` : otherwise];
}

/** For `catch`: handles a SkilletError with one of these codes (or any code) and rethrows everything else. */
export function onSkilletError<Answer>(
  answer: (error: SkilletError) => Answer,
  ...codes: readonly string[]
): (error: unknown) => Answer {
  return (error) => {
    if (!SkilletError.isInstance(error) || (codes.length > 0 && !codes.includes(error.code))) throw error;
    return answer(error);
  };
}
