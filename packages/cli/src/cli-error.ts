import type { ExitCode } from "./exit-code.ts";

/** Ends a command with a message for people: what is wrong, and what to do next. */
export class CliError extends Error {
  readonly code: string;
  readonly exitCode: ExitCode;
  /** What to do next, one line each. */
  readonly hints: readonly string[];
  /** Further fields of the error in the JSON document. */
  readonly details: Readonly<Record<string, unknown>>;

  constructor(
    code: string,
    message: string,
    options: {
      readonly exitCode?: ExitCode;
      readonly hints?: readonly string[];
      readonly details?: Readonly<Record<string, unknown>>;
    } = {},
  ) {
    super(message);
    this.name = "CliError";
    this.code = code;
    this.exitCode = options.exitCode ?? 2;
    this.hints = options.hints ?? [];
    this.details = options.details ?? {};
  }
}
