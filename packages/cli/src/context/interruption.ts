import type { CommandContext, ExitCode, Interrupt } from "./command-context.ts";

const EXIT_CODES: Readonly<Record<Interrupt, ExitCode>> = {
  SIGHUP: 129,
  SIGINT: 130,
  SIGPIPE: 141,
  SIGTERM: 143,
};

/** Somebody's wish that a command end early; until `release` it ends what runs, and not the command itself. */
export class Interruption {
  readonly #controller = new AbortController();
  #cause: Interrupt | undefined;
  readonly release: () => void;

  constructor({ onInterrupt, terminal }: Pick<CommandContext, "onInterrupt" | "terminal">) {
    const release = onInterrupt?.((cause) => {
      // The terminal wrote ^C; what follows stands on a line of its own.
      if (this.#cause === undefined && terminal.isErrorTerminal) terminal.warn();
      // Asked a second time, the command no longer waits for the end.
      if (this.#cause !== undefined) release?.();
      this.#cause ??= cause;
      this.#controller.abort();
    });
    this.release = () => release?.();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** What a shell expects of a command that was ended this way; undefined when nobody wished it. */
  get exitCode(): ExitCode | undefined {
    return this.#cause === undefined ? undefined : EXIT_CODES[this.#cause];
  }

  /** Whether an error says no more than that the wish was heard. */
  explains(error: unknown): boolean {
    if (this.#cause === undefined) return false;
    return error === this.signal.reason || (error instanceof Error && error.name === "AbortError");
  }
}
