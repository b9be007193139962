import type { Diagnostic } from "@skillet/core";
import type { ChangedLine } from "./changed-lines.ts";

/** What `validate` found out about one skill, or about a path that held none. */
export interface ValidationResult {
  /** The skill's folder, or the file where a file was named. */
  readonly path: string;
  /** Of the file as it is now. */
  readonly diagnostics: readonly Diagnostic[];
  /** The SKILL.md; absent when nothing could be read. */
  readonly text?: string;
  readonly repairs?: Repairs;
}

/** What `--fix` changed, or would change, in one file. */
interface Repairs {
  /** The faults that are gone. */
  readonly applied: readonly Diagnostic[];
  readonly changes: readonly ChangedLine[];
  /** The faults that no repair can take away. */
  readonly remaining: readonly Diagnostic[];
}

/** Whether nothing about a skill is an error. */
export function isValid({ diagnostics }: ValidationResult): boolean {
  return !diagnostics.some(({ severity }) => severity === "error");
}
