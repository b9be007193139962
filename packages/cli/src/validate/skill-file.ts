import type { LocalSource } from "@skillet/core";
import type { Diagnostic } from "@skillet/kit/diagnostics";

/** One SKILL.md, or one file of `.claude/commands`, that `validate` looks at, and how to read it. */
export interface SkillFile {
  readonly kind: "skill" | "command";
  /** What the result is called: the skill's folder, or the file of a command or where a file was named. */
  readonly path: string;
  /** The file itself, named in diagnostics. */
  readonly file: string;
  readonly source: LocalSource;
  /** The file inside the source. */
  readonly sourcePath: string;
  /** The folder's name, or a command file's without `.md`. */
  readonly directoryName: string;
  /** The file lies elsewhere, so it is not written here. */
  readonly isLink: boolean;
}

/** What was found at a path: files to check, and what could not be entered or is not there. */
export interface FoundFiles {
  readonly files: readonly SkillFile[];
  /** Faults that belong to no single file. */
  readonly diagnostics: readonly Diagnostic[];
}
