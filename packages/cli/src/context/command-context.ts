import { printJson } from "../ui/json-document.ts";
import type { Terminal } from "../ui/terminal.ts";

export interface CommandContext {
  readonly json: boolean;
  /** Only these folders, as explicit roots; empty means the usual places. */
  readonly skillsRoots: readonly string[];
  /** Replaces the working directory, also for relative paths. */
  readonly workspace: string;
  /** The absolute path that was passed with `--workspace`. */
  readonly givenWorkspace?: string;
  readonly debug: boolean;
  readonly version: string;
  readonly terminal: Terminal;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Asks yes or no; absent, like `dialog`, where there is no terminal to ask on. */
  readonly confirm?: (question: string) => Promise<boolean>;
  readonly dialog?: Dialog;
  /** Absent where nothing can be piped in. */
  readonly readInput?: ReadInput;
  /** Calls back when the command is to end early, instead of ending it; returns a function that stops this. */
  readonly onInterrupt?: (listener: (signal: Interrupt) => void) => () => void;
}

export interface Dialog {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
}

/** Reads what is piped in; reports when it has to wait, and gives nothing once the signal aborts. */
export type ReadInput = (options: {
  readonly onWait: (notice: string) => void;
  readonly signal?: AbortSignal;
}) => Promise<Uint8Array | undefined>;

/** SIGPIPE: the reader of standard output has gone. */
export type Interrupt = "SIGHUP" | "SIGINT" | "SIGPIPE" | "SIGTERM";

export type Flags<Name extends string> = Readonly<Partial<Record<Name, boolean>>>;

/**
 * 0 fine, 1 the answer is no (invalid, unknown, failed to load), 2 used wrongly or broken.
 *
 * The others are what a shell expects of a command that a signal ended: 128 and the signal's number.
 */
export type ExitCode = 0 | 1 | 2 | 129 | 130 | 141 | 143;

/** Prints the answer of a command: its document with `--json`, without fields that are undefined; else its screen. */
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
