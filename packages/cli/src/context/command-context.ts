import { printJson } from "../ui/json-document.ts";
import type { Terminal } from "../ui/terminal.ts";
import type { Dialog } from "./create-ask.ts";

export interface CommandContext {
  readonly json: boolean;
  /** Only these folders, as explicit roots; empty means the usual places. */
  readonly skillsRoots: readonly string[];
  /** Stands in for the working directory, also for relative paths. */
  readonly workspace: string;
  /** As `--workspace` says, absolute; absent where the working directory is meant. */
  readonly givenWorkspace?: string;
  readonly debug: boolean;
  readonly version: string;
  readonly terminal: Terminal;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Asks a person yes or no; absent where there is no terminal to ask on. */
  readonly confirm?: (question: string) => Promise<boolean>;
  /** Where longer questions are asked; absent where there is no terminal to ask on. */
  readonly dialog?: Dialog;
  /** Absent where nothing can be piped in. */
  readonly readInput?: ReadInput;
  /** Calls back when the command is to end early, instead of ending it; what it returns takes that back. */
  readonly onInterrupt?: OnInterrupt;
}

/** Reads what is piped in; says on what it waits, and gives nothing when the signal ends the waiting. */
export type ReadInput = (options: {
  readonly onWait: (notice: string) => void;
  readonly signal?: AbortSignal;
}) => Promise<Uint8Array | undefined>;

/** The signals with which people, terminals and supervisors end a command, and readers who have seen enough. */
export type Interrupt = "SIGHUP" | "SIGINT" | "SIGPIPE" | "SIGTERM";

type OnInterrupt = (listener: (signal: Interrupt) => void) => () => void;

export type Flags<Name extends string> = Readonly<Partial<Record<Name, boolean>>>;

/**
 * 0 fine, 1 the answer is no (invalid, unknown, failed to load), 2 used wrongly or broken.
 *
 * The others are what a shell expects of a command that a signal ended: 128 and the signal's number.
 */
export type ExitCode = 0 | 1 | 2 | 129 | 130 | 141 | 143;

interface CliErrorOptions {
  readonly exitCode?: ExitCode;
  readonly hints?: readonly string[];
  readonly details?: Readonly<Record<string, unknown>>;
}

/** Ends a command with a message for people: what is wrong, and what to do next. */
export class CliError extends Error implements Required<CliErrorOptions> {
  readonly code: string;
  readonly exitCode: ExitCode;
  readonly hints: readonly string[];
  readonly details: Readonly<Record<string, unknown>>;

  constructor(
    code: string,
    message: string,
    { exitCode = 2, hints = [], details = {} }: CliErrorOptions = {},
  ) {
    super(message);
    this.name = "CliError";
    this.code = code;
    this.exitCode = exitCode;
    this.hints = hints;
    this.details = details;
  }
}

export function usageError(command: string, message: string): CliError {
  return new CliError("usage", message, { hints: [`See: skillet help ${command}`] });
}

export function refuseUsage(command: string, faults: readonly (readonly [boolean, string])[]): void {
  const fault = faults.find(([isFault]) => isFault);
  if (fault !== undefined) throw usageError(command, fault[1]);
}

/** Ends a command that found nothing of a name, with what may have been meant. */
export function didYouMean(suggestions: readonly string[], otherwise: string): readonly string[] {
  return [suggestions.length > 0 ? `Did you mean ${suggestions.join(" or ")}?` : otherwise];
}

/** Prints the answer of a command: its document with `--json`, its screen otherwise. */
export function answer(
  { terminal, json }: Pick<CommandContext, "terminal" | "json">,
  document: Readonly<Record<string, unknown>>,
  screen: () => string | readonly string[],
  exitCode: ExitCode = 0,
): ExitCode {
  if (json) printJson(terminal, document);
  else terminal.print(screen());
  return exitCode;
}
