import type { Diagnostic } from "@skillet/kit/diagnostics";
import type { ChangedLine } from "./changed-lines.ts";

/** What `validate` found out about one file, or about a place where none could be checked. */
export interface ValidationResult {
  readonly kind: "skill" | "command" | "place";
  /** The skill's folder, the file where a file was named, or the place. */
  readonly path: string;
  /** Of the file as it is now, and of those that it names. */
  readonly diagnostics: readonly Diagnostic[];
  /** What was read, and from where; absent when nothing could be. */
  readonly file?: string;
  readonly text?: string;
  readonly bytes?: Uint8Array;
  readonly repairs?: Repairs;
}

/** What `--fix` changed, or would change, in one file. */
interface Repairs {
  /** The faults that are gone. */
  readonly applied: readonly Diagnostic[];
  readonly changes: readonly ChangedLine[];
  /** The faults that no repair can take away. */
  readonly remaining: readonly Diagnostic[];
  /** False in a dry run: the file is still as it was. */
  readonly written: boolean;
}

/** Whether nothing is an error. */
export function isValid({ diagnostics }: ValidationResult): boolean {
  return !diagnostics.some(({ severity }) => severity === "error");
}

/** The faults to report: those of the file, or in a dry run those that its repairs would leave. */
export function reportedFaults({ diagnostics, repairs }: ValidationResult): readonly Diagnostic[] {
  return repairs !== undefined && !repairs.written ? repairs.remaining : diagnostics;
}
