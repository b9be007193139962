/** A word of a command, as far as it is known before the command runs. */
export type ShellWord =
  | { readonly kind: "known"; readonly value: string }
  | {
      readonly kind: "open";
      /** As written. */
      readonly text: string;
      /** The certain start of every word that this one may become; may be empty. */
      readonly prefix: string;
    };

export function knownValue(word: ShellWord | undefined): string | undefined {
  return word?.kind === "known" ? word.value : undefined;
}

export function textOf(word: ShellWord): string {
  return word.kind === "known" ? word.value : word.text;
}

export type ShellAct = CommandAct | FileAct | UnclearAct;

export interface CommandAct {
  readonly kind: "command";
  readonly words: readonly ShellWord[];
  /** Present for programs whose purpose is to start others. */
  readonly runs?: StartedCommands;
}

/** The commands that a program such as `env`, `sudo` or `bash -c` starts. */
export interface StartedCommands {
  /** Whether the program itself does nothing, so that a rule for the started command is enough. */
  readonly isTransparent: boolean;
  readonly acts: readonly ShellAct[];
  /** The index of the started command's first word, if it is among the words. */
  readonly innerAt?: number;
  /** Whether its own words must still be judged, like those of any program. */
  readonly hasOwnOptions?: true;
}

/** A file that the shell itself opens for a redirection. */
export interface FileAct {
  readonly kind: "read" | "write";
  /** Absent if it is not known before the command runs. */
  readonly path?: string;
}

/** A part that no rule covers. */
interface UnclearAct {
  readonly kind: "unclear";
  readonly reason: string;
  /** Whether it may run a command that is not listed, so that every denial applies to it. */
  readonly mayHide: boolean;
}

/** Something unlisted may run. */
export function hidden(reason: string): ShellAct {
  return { kind: "unclear", reason, mayHide: true };
}

/** Everything is listed, but something changes its meaning. */
export function altered(reason: string): ShellAct {
  return { kind: "unclear", reason, mayHide: false };
}

export type ShellReading = readonly ShellAct[];
