import type { JsonSchema } from "../schema/check-against-schema.ts";
import type { ScriptOutputListener, ScriptRefusalCode, ScriptRun } from "../script-runner.ts";

/** How a tool of a skill is called. */
export interface ToolCallOptions {
  readonly signal?: AbortSignal;
  readonly onOutput?: ScriptOutputListener;
}

/** Why a tool of a skill was not run. */
export type ToolRefusalCode = ScriptRefusalCode | "tool_input_invalid" | "tool_outdated";

/** Why a tool of a skill that ran gave no result. */
export type ToolFailureCode =
  | "script_failed"
  | "script_timed_out"
  | "script_cancelled"
  | "output_too_large"
  | "output_invalid"
  | "output_schema_mismatch";

/** The result of calling a tool of a skill; messages are for the model. */
export type ToolResult =
  | { readonly status: "ok"; readonly value: unknown; readonly run: ScriptRun }
  | {
      readonly status: "refused";
      readonly code: ToolRefusalCode;
      readonly message: string;
      /** Absent when nothing was asked of the runner. */
      readonly run?: ScriptRun;
    }
  | {
      readonly status: "failed";
      readonly code: ToolFailureCode;
      readonly message: string;
      readonly run: ScriptRun;
    };

/**
 * A tool that an active skill brings: a script that is called with JSON and answers with JSON.
 *
 * @example
 * for (const tool of await session.tools()) model.tools.push(tool.name, tool.description, tool.inputSchema);
 */
export interface SkillTool {
  /** For the model: `pdf-forms__fill`, of letters, digits, underscores and hyphens, at most 64 characters. */
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly skill: string;
  readonly script: string;
  /** Checks the input, runs the script under all gates of a session, and reads what it answered. */
  call(input: unknown, options?: ToolCallOptions): Promise<ToolResult>;
}
