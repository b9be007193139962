import { shellArgument } from "@skillet/kit/text";
import { printJson } from "../ui/json-document.ts";
import type { Terminal } from "../ui/terminal.ts";

export interface CommandContext {
  readonly json: boolean;
  /** Only these folders, as explicit roots; empty means the usual places. */
  readonly skillsRoots: readonly string[];
  /** Replaces the working directory, also for relative paths. */
  readonly workspace: string;
  readonly givenWorkspace?: string;
  readonly debug: boolean;
  readonly version: string;
  /** As it was typed, for commands that tell how to repeat it. */
  readonly argv: readonly string[];
  readonly terminal: Terminal;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Asks yes or no; absent, like `dialog`, with `--json` and where there is no terminal to ask on. */
  readonly confirm?: (question: string) => Promise<boolean>;
  readonly dialog?: Dialog;
  /** Absent where nothing can be piped in. */
  readonly readInput?: ReadInput;
  /** Calls back when the command is to end early, instead of ending it; returns a function that stops this. */
  readonly onInterrupt?: (listener: (signal: Interrupt) => void) => () => void;
  /** Aborts when the command is done: ends the servers that it started. */
  readonly ended?: AbortSignal;
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

/** Options of a command by the kind of their value; the fields are named in its definition. */
export type Flags<Name extends string> = Readonly<Partial<Record<Name, boolean>>>;
export type Texts<Name extends string> = Readonly<Partial<Record<Name, string>>>;
export type Lists<Name extends string> = Readonly<Partial<Record<Name, readonly string[]>>>;
export type Numbers<Name extends string> = Readonly<Partial<Record<Name, number>>>;
/** Options of a command about one skill, or about several; with none named, mostly about all. */
export type OfName<Flag extends string = never> = Flags<Flag> & { readonly name: string };
export type OfNames<Flag extends string = never> = Flags<Flag> & { readonly names: readonly string[] };

/**
 * 0 fine, 1 the answer is no (invalid, unknown, failed to load), 2 used wrongly or broken.
 *
 * The others are what a shell expects of a command that a signal ended: 128 and the signal's number. `run` passes on the
 * exit code of the script, which can be any.
 */
export type ExitCode = number;

export function againWith({ argv }: Pick<CommandContext, "argv">, flag: string): string {
  const words = argv.filter((word) => word !== "--dry-run" && word !== "--json");
  return ["skillet", ...words, flag].map(shellArgument).join(" ");
}

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

const EXIT_CODES: Readonly<Record<Interrupt, ExitCode>> = {
  SIGHUP: 129,
  SIGINT: 130,
  SIGPIPE: 141,
  SIGTERM: 143,
};

/** A request to end early; until `release` it ends what runs, and not the command itself. */
export class Interruption {
  readonly #controller = new AbortController();
  #cause: Interrupt | undefined;
  readonly release: () => void;

  /** `hasStatus`: ^C stands after a line of progress and goes with it; else the next output begins on a line of its own. */
  constructor(
    { onInterrupt, terminal }: Pick<CommandContext, "onInterrupt" | "terminal">,
    { hasStatus = false, ignored }: { readonly hasStatus?: boolean; readonly ignored?: Interrupt } = {},
  ) {
    const release = onInterrupt?.((cause) => {
      if (cause === ignored) return;
      if (this.#cause === undefined && terminal.isErrorTerminal && !hasStatus) terminal.warn();
      // A second signal ends the command at once.
      if (this.#cause !== undefined) release?.();
      this.#cause ??= cause;
      this.#controller.abort();
    });
    this.release = () => release?.();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get exitCode(): ExitCode | undefined {
    return this.#cause === undefined ? undefined : EXIT_CODES[this.#cause];
  }

  explains(error: unknown): boolean {
    if (this.#cause === undefined) return false;
    return error === this.signal.reason || (error instanceof Error && error.name === "AbortError");
  }
}
