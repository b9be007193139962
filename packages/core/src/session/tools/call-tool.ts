import { redactSecrets } from "../redact-secrets.ts";
import type { RunOptions, ScriptRun } from "../run/script-run.ts";
import { answerCleaner, type CleanText } from "./clean-answer.ts";
import type { DeclaredTool } from "./declaration/declared-toolset.ts";
import type { ToolCallOptions, ToolResult } from "./skill-tool.ts";
import { toolInput } from "./tool-input.ts";
import { toolOutput } from "./tool-output.ts";

// The end says what went wrong; what comes before it is often progress.
const MAX_STDERR_CHARACTERS = 2_000;

/** One call of a tool, and what the session gives for it. */
export interface ToolCallParts {
  readonly input: unknown;
  readonly options: ToolCallOptions;
  /** The operator's limit, which a skill may lower for its tools but not raise. */
  readonly maxTimeoutMs: number;
  /** The values that were given for the skill, which nobody may see in its answer. */
  secrets(): Readonly<Record<string, string>>;
  /** Runs the tool's script under all gates of the session. */
  run(options: RunOptions): Promise<ScriptRun>;
}

/** Calls a declared tool: checks the input, runs the script, reads its answer. */
export async function callTool(tool: DeclaredTool, call: ToolCallParts): Promise<ToolResult> {
  const input = toolInput(call.input, tool.inputSchema);
  if ("problem" in input) return { status: "refused", code: "tool_input_invalid", message: input.problem };
  const { signal, onOutput } = call.options;
  const run = await call.run({
    cwd: "workspace",
    stdin: input.text,
    ...(tool.timeoutMs !== undefined && { timeoutMs: Math.min(tool.timeoutMs, call.maxTimeoutMs) }),
    ...(signal !== undefined && { signal }),
    ...(onOutput !== undefined && { onOutput }),
  });
  if (run.status === "refused") return { status: "refused", code: run.code, message: run.message, run };
  const clean = answerCleaner(redactSecrets(call.secrets()));
  const fail = (code: Extract<ToolResult, { status: "failed" }>["code"], problem: string): ToolResult => ({
    status: "failed",
    code,
    message: `${problem}${describeErrors(run.stderr, clean)}`,
    run,
  });
  if (run.status === "timed-out") return fail("script_timed_out", "The script did not end in time.");
  if (run.status === "cancelled") return fail("script_cancelled", "The call was cancelled.");
  if (run.exitCode !== 0) return fail("script_failed", `The script ${describeEnd(run)}.`);
  if (run.truncated.stdout)
    return fail("output_too_large", "The script wrote more than is kept of its output.");
  const output = toolOutput(run.stdout, clean, tool.outputSchema);
  return "code" in output ? fail(output.code, output.problem) : { status: "ok", value: output.value, run };
}

function describeEnd({ exitCode, signal, limit }: Exclude<ScriptRun, { status: "refused" }>): string {
  const how =
    exitCode === undefined ? `was ended by ${signal ?? "a signal"}` : `ended with exit code ${exitCode}`;
  return limit === undefined ? how : `${how}, at its limit of ${limit}`;
}

// Runners clean what a script wrote; whoever brings another one must not have to know that it reaches a model.
function describeErrors(stderr: string, clean: CleanText): string {
  const text = clean(stderr).trim();
  if (text === "") return "";
  if (text.length <= MAX_STDERR_CHARACTERS) return `\nIt wrote to standard error:\n${text}`;
  const end = text.slice(-MAX_STDERR_CHARACTERS).replace(/^[\udc00-\udfff]/, "");
  return `\nIt wrote to standard error, of which this is the end:\n${end}`;
}
