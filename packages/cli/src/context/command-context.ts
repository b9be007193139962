import type { Dialog } from "../ui/ask-on-terminal.ts";
import type { Terminal } from "../ui/terminal.ts";

/** What a command gets from its command line and the process that runs it. */
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
  /** What is piped into the command; absent where nothing can be. */
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

/** Takes over what these signals do. */
export type OnInterrupt = (listener: (signal: Interrupt) => void) => () => void;
