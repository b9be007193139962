import { SCRIPT_TOOL } from "../../config/tool-rule/tool-rule.ts";
import { type JsonSchema, readToolInput, toolInputInvalid } from "../schema/check-against-schema.ts";
import type { RunOptions, ScriptRun } from "../script-runner.ts";
import type { Session } from "../session.ts";
import { MAX_ARGUMENTS, MAX_SCRIPT_TIMEOUT_MS } from "./check-script-call.ts";

/** The tool by which a model runs scripts, in the shape that hosts hand to their SDK. */
export interface RunSkillScriptTool {
  readonly name: "run_skill_script";
  readonly description: string;
  readonly inputSchema: JsonSchema;
  execute(input: unknown, options?: Pick<RunOptions, "signal" | "onOutput">): Promise<ScriptRun>;
}

/**
 * The tool that runs scripts of loaded skills, for hosts that want to offer it; undefined when nothing may run here.
 *
 * @example
 * const tool = runSkillScriptTool(session);
 * if (tool !== undefined) tools.push(tool);
 */
export function runSkillScriptTool(session: Session): RunSkillScriptTool | undefined {
  if (session.scripts.length === 0) return undefined;
  return {
    name: SCRIPT_TOOL,
    description: DESCRIPTION,
    inputSchema: INPUT_SCHEMA,
    execute: async (input, options = {}) => {
      const { skill, path, args, ...rest } = readInput(input);
      return session.run(skill, path, args, { ...rest, ...options });
    },
  };
}

const DESCRIPTION =
  "Runs a script of a skill that is loaded, and gives its exit code and what it wrote. " +
  "Load the skill first and follow its instructions; a refusal says why nothing was run.";

const INPUT_SCHEMA = {
  type: "object",
  properties: {
    skill: { type: "string", description: "The name of the loaded skill." },
    path: { type: "string", description: "The script, relative to the skill's folder: scripts/fill.py" },
    args: {
      type: "array",
      items: { type: "string" },
      maxItems: MAX_ARGUMENTS,
      description: "Each is one argument; no shell reads them.",
    },
    cwd: {
      type: "string",
      enum: ["workspace", "skill"],
      description: "Where it starts; the workspace unless given.",
    },
    timeoutMs: {
      type: "integer",
      minimum: 1,
      maximum: MAX_SCRIPT_TIMEOUT_MS,
      description: "When it is ended.",
    },
  },
  required: ["skill", "path"],
  additionalProperties: false,
} as const;

interface ToolInput {
  readonly skill: string;
  readonly path: string;
  readonly args?: readonly string[];
  readonly cwd?: "workspace" | "skill";
  readonly timeoutMs?: number;
}

// Other types are refused, and recorded, by the session itself.
function readInput(input: unknown): ToolInput {
  const fields = readToolInput(SCRIPT_TOOL, INPUT_SCHEMA, input);
  for (const key of INPUT_SCHEMA.required)
    if (typeof fields.get(key) !== "string")
      throw toolInputInvalid(SCRIPT_TOOL, INPUT_SCHEMA.properties, `\`${key}\` is not text`);
  return Object.fromEntries(fields) as unknown as ToolInput;
}
