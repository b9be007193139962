import type { Diagnostic, Range } from "@skillet/kit/diagnostics";
import { removeHidden } from "@skillet/kit/text";
import type { JsonSchema } from "../../schema/check-against-schema.ts";

/** A tool that a skill declares: a script that takes JSON and gives JSON. */
export interface DeclaredTool {
  readonly name: string;
  readonly description: string;
  /** Always of type object. */
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema;
  readonly script: string;
  readonly args: readonly string[];
  readonly timeoutMs?: number;
  readonly range?: Range;
}

/** One entry of `toolsets` in a skill's header, and what it declares. */
export interface DeclaredToolset {
  /** As the header has it: a file of the skill, or an entry for another system. */
  readonly file: string;
  readonly isSupported: boolean;
  readonly tools: readonly DeclaredTool[];
  /** Faults of the file and its tools; a tool with an error is left out. */
  readonly diagnostics: readonly Diagnostic[];
}

export const MAX_TOOLSET_BYTES: number = 64 * 1024;

export const MAX_TOOLSETS = 8;

export const MAX_TOOLS = 32;

export const MAX_TOOL_DESCRIPTION_CHARACTERS = 1024;

/** Of one schema as JSON; models pay for it in every request. */
export const MAX_SCHEMA_CHARACTERS: number = 16 * 1024;

export const MAX_TOOL_ARGUMENTS = 32;
export const MAX_TOOL_ARGUMENT_CHARACTERS = 1024;

/** A text on one line without anything that a reader would not see. */
export function cleanText(text: string): string {
  return removeHidden(text.replaceAll(/\s+/g, " ")).replaceAll(/ {2,}/g, " ").trim();
}
