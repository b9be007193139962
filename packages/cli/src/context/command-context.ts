import { shellArgument } from "@skillet/kit/text";
import { printJson } from "../ui/json-document.ts";
import type { Terminal } from "../ui/terminal.ts";

export interface CommandContext {
  readonly json: boolean;
  /** If not empty, only these folders are searched, as explicit roots. */
  readonly skillsRoots: readonly string[];
  /** Replaces the working directory, also for relative paths. */
  readonly workspace: string;
  readonly givenWorkspace?: string;
  readonly debug: boolean;
  readonly version: string;
  /** The arguments as typed, for messages that say how to repeat the command. */
  readonly argv: readonly string[];
  readonly terminal: Terminal;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Asks a yes-or-no question; absent, like `dialog`, with `--json` or without a terminal. */
  readonly confirm?: (question: string) => Promise<boolean>;
  readonly dialog?: Dialog;
  /** Absent if nothing can be piped in. */
  readonly readInput?: ReadInput;
  /** Calls the listener on a signal instead of ending the process; returns a function that unsubscribes. */
  readonly onInterrupt?: (listener: (signal: Interrupt) => void) => () => void;
  /** Aborts when the command is done, which stops the servers that it started. */
  readonly ended?: AbortSignal;
}

export interface Dialog {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
}

/** Reads piped input; reports when it has to wait, and returns nothing once the signal aborts. */
export type ReadInput = (options: {
  readonly onWait: (notice: string) => void;
  readonly signal?: AbortSignal;
}) => Promise<Uint8Array | undefined>;

/** SIGPIPE: the reader of standard output is gone. */
export type Interrupt = "SIGHUP" | "SIGINT" | "SIGPIPE" | "SIGTERM";

/** Options of a command, grouped by type; the command's definition names the fields. */
export type Flags<Name extends string> = Readonly<Partial<Record<Name, boolean>>>;
export type Texts<Name extends string> = Readonly<Partial<Record<Name, string>>>;
export type Lists<Name extends string> = Readonly<Partial<Record<Name, readonly string[]>>>;
export type Numbers<Name extends string> = Readonly<Partial<Record<Name, number>>>;
/** Options of a command about one skill or several; naming none usually means all. */
export type OfName<Flag extends string = never> = Flags<Flag> & { readonly name: string };
export type OfNames<Flag extends string = never> = Flags<Flag> & { readonly names: readonly string[] };

/**
 * 0: success; 1: negative result (invalid, unknown, failed to load); 2: wrong usage or an error. After a
 * signal, 128 plus its number, as shells expect. `run` passes on the script's exit code, which can be
 * anything.
 */
export type ExitCode = number;

export function againWith({ argv }: Pick<CommandContext, "argv">, flag: string): string {
  const words = argv.filter((word) => word !== "--dry-run" && word !== "--json");
  return ["skillet", ...words, flag].map(shellArgument).join(" ");
}

/** Prints a command's result: with `--json` the document, without undefined fields; otherwise the screen. */
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

/** A request to end early; until `release`, it stops what is running instead of the whole command. */
export class Interruption {
  readonly #controller = new AbortController();
  #cause: Interrupt | undefined;
  readonly release: () => void;

  /** `hasStatus`: ^C is erased along with a progress line; otherwise the next output starts on a new line. */
  constructor(
    { onInterrupt, terminal }: Pick<CommandContext, "onInterrupt" | "terminal">,
    { hasStatus = false, ignored }: { readonly hasStatus?: boolean; readonly ignored?: Interrupt } = {},
  ) {
    const release = onInterrupt?.((cause) => {
      if (cause === ignored) return;
      if (this.#cause === undefined && terminal.isErrorTerminal && !hasStatus) terminal.warn();
      // A second signal ends the command immediately.
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
