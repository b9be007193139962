import type { ApiTable } from "./api.ts";
import type { FactRecorder } from "./fact-recorder.ts";
import type { Span } from "./program-tree.ts";
import type { Taint, Value } from "./value.ts";

/** What the parts of the evaluator need of each other. */
export interface Machine {
  readonly language: "python" | "javascript";
  readonly api: ApiTable;
  readonly recorder: FactRecorder;
  /** The skill's own modules and files, where they are known. */
  readonly modules?: Modules | undefined;
  /** Where what was written to a path came from. */
  readonly writtenTo: Map<string, readonly Taint[]>;
  /** What only together says something. */
  readonly signs: Signs;
  /** Calls a function of the program or of the world. */
  call(callee: Value, positional: readonly Value[], span: Span, receiver?: Value): Value;
  member(object: Value, property: string, span: Span, how: "plain" | "built"): Value;
}

/** The skill's own files as one of its programs sees them. */
export interface Modules {
  /** What an import gives, if it means a file of the skill. */
  module(specifier: string): Value | undefined;
  /** What is written in a file of the skill that a program opens. */
  text(path: string): string | undefined;
}

/** Halves of a deed, joined at the end. */
export interface Signs {
  socketOnDescriptor: { readonly span: Span; readonly host: string } | undefined;
  ranShell: boolean;
  /** Paths that were written with encrypted data, and paths that were removed or renamed. */
  readonly encryptedPaths: Map<string, Span>;
  readonly removedPaths: Set<string>;
}
