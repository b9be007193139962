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

/**
 * 0 fine, 1 the answer is no (invalid, unknown, failed to load), 2 used wrongly or broken.
 *
 * The others are what a shell expects of a command that a signal ended: 128 and the signal's number.
 */
export type ExitCode = 0 | 1 | 2 | 129 | 130 | 141 | 143;
