import type { Diagnostic, Range } from "@skillet/kit/diagnostics";
import type { JsonSchema } from "../schema/json-schema.ts";

/** A tool that a skill declares: a script that takes JSON and gives JSON. */
export interface DeclaredTool {
  readonly name: string;
  readonly description: string;
  /** Always of type object. */
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema;
  /** Relative to the skill's folder: `scripts/fill.py`. */
  readonly script: string;
  /** What the script is always called with. */
  readonly args: readonly string[];
  readonly timeoutMs?: number;
  /** Where its name stands. */
  readonly range?: Range;
}

/** One entry of `toolsets` in a skill's header, and what it declares. */
export interface DeclaredToolset {
  /** As the header has it: a file of the skill, or something that only another system understands. */
  readonly file: string;
  readonly isSupported: boolean;
  readonly tools: readonly DeclaredTool[];
  /** What is wrong with the file and its tools; a tool with an error is not there. */
  readonly diagnostics: readonly Diagnostic[];
}
