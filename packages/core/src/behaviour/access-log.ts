import type { Argument } from "./command/argument.ts";
import { resolvePath } from "./resolve-path.ts";

/** Something that a command reaches: a file that it runs, reads or searches, a module that it runs, a program by name. */
export type Access =
  | {
      readonly kind: "run" | "read" | "search" | "module";
      readonly path: string;
      /** Whether it is this very path, with no part that is not known beforehand, and no branch around it. */
      readonly isSure: boolean;
    }
  | { readonly kind: "program"; readonly name: string };

/** Each may be looked up in the file system; nobody's command names as many. */
const MAX_ACCESSES = 128;
/** Words, parts of scripts and programs that are read: loops in loops and shells in shells come to more than their text. */
const MAX_STEPS = 10_000;

/** What one event reaches, as far as the bounds go. */
export class AccessLog {
  readonly accesses: Access[] = [];
  #steps = 0;
  #isInDoubt = false;

  /** Counts a step of the reading; false when there were enough of them. */
  step(): boolean {
    this.#steps += 1;
    return this.#steps <= MAX_STEPS && this.accesses.length < MAX_ACCESSES;
  }

  /** Reads a part that may never run: what it reaches is not sure. */
  inDoubt<Result>(read: () => Result): Result {
    const before = this.#isInDoubt;
    this.#isInDoubt = true;
    try {
      return read();
    } finally {
      this.#isInDoubt = before;
    }
  }

  file(kind: "run" | "read" | "search" | "module", argument: Argument, cwd: string | undefined): void {
    if (argument.kind === "unknown" || this.accesses.length >= MAX_ACCESSES) return;
    const path = resolvePath(argument.text, cwd);
    if (path !== undefined)
      this.accesses.push({ kind, path, isSure: argument.kind === "exact" && !this.#isInDoubt });
  }

  program(name: string): void {
    if (this.accesses.length < MAX_ACCESSES) this.accesses.push({ kind: "program", name });
  }
}
