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
}
