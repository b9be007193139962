import type { Terminal } from "./ui/terminal.ts";

/** What a command gets from its command line and the process that runs it. */
export interface CommandContext {
  readonly json: boolean;
  /** Only these folders, as explicit roots; empty means the usual places. */
  readonly skillsRoots: readonly string[];
  /** Stands in for the working directory, also for relative paths. */
  readonly workspace: string;
  readonly debug: boolean;
  readonly version: string;
  readonly terminal: Terminal;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Asks a person yes or no; absent where there is no terminal to ask on. */
  readonly confirm?: (question: string) => Promise<boolean>;
  /** What is piped into the command; absent where nothing can be. */
  readonly readInput?: (onWait: (notice: string) => void) => Promise<Uint8Array | undefined>;
  /** Calls back when the command is to end early, instead of ending it; what it returns takes that back. */
  readonly onInterrupt?: OnInterrupt;
}

/** The signals with which people, terminals and supervisors end a command. */
export type Interrupt = "SIGHUP" | "SIGINT" | "SIGTERM";

/** Takes over what these signals do. */
export type OnInterrupt = (listener: (signal: Interrupt) => void) => () => void;
