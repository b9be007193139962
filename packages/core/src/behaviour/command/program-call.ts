import type { AccessLog } from "../access-log.ts";
import type { Argument } from "./argument.ts";
import type { CommandScope } from "./command-scope.ts";

/** Which shell a text is for. */
type ShellKind = "posix" | "powershell";

/** What a program reads from the program before it or from a redirection. */
export interface ProgramInput {
  /** Files whose content it reads. */
  readonly content: readonly Argument[];
  /** Lines it reads, where those are known. */
  readonly lines: readonly Argument[];
  /** The text of a here-document. */
  readonly text?: string;
}

/** What a program writes for the next, as far as that is known. */
export type ProgramOutput = Pick<ProgramInput, "content" | "lines">;

export const NOTHING: ProgramOutput = { content: [], lines: [] };

/** A program that is started: its words, where, and what it reads. */
export interface ProgramCall {
  readonly words: readonly Argument[];
  readonly scope: CommandScope;
  readonly input: ProgramInput;
  readonly shell: ShellKind;
  /** Programs and shells around it. */
  readonly depth: number;
  /** Whether the program that starts it takes a bare file name for a file. */
  readonly runsFiles?: true | undefined;
}

/** What the readers of programs share: where they note what they find, and the ways on. */
export interface CommandReader {
  readonly log: AccessLog;
  /** Reads a program that another one starts. */
  readProgram(call: ProgramCall): ProgramOutput;
  /** Reads a text for a shell; a program's own shell gets a copy of the scope. */
  readText(
    text: string,
    context: { readonly shell: ShellKind; readonly scope: CommandScope; readonly depth: number },
  ): ProgramOutput;
}
