import type { Diagnostic, LocalSource } from "@skillet/core";

/** One SKILL.md that `validate` looks at, and how to read it. */
export interface SkillFile {
  /** What the result is called: the folder, or the file where a file was named; relative where the path was. */
  readonly path: string;
  /** The SKILL.md itself, named in diagnostics. */
  readonly file: string;
  readonly source: LocalSource;
  /** The file inside the source. */
  readonly sourcePath: string;
  readonly directoryName: string;
}

/** What was found at a path: files to check, and what could not be entered or is not there. */
export interface FoundFiles {
  readonly files: readonly SkillFile[];
  /** Faults that belong to no single skill. */
  readonly diagnostics: readonly Diagnostic[];
}
