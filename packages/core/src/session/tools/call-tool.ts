import { parseJson } from "@skillet/kit/json";
import { removeHidden } from "@skillet/kit/text";
import { redactSecrets } from "../redact-secrets.ts";
import {
  checkAgainstSchema,
  type JsonSchema,
  listProblems,
  withoutNulls,
} from "../schema/check-against-schema.ts";
import type { RunOptions, ScriptOutputListener, ScriptRefusalCode, ScriptRun } from "../script-runner.ts";
import type { DeclaredTool } from "./declaration/parse-toolset.ts";

/** How a tool of a skill is called. */
export interface ToolCallOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onOutput?: ScriptOutputListener;
}

/** Why a tool of a skill was not run. */
export type ToolRefusalCode = ScriptRefusalCode | "tool-input-invalid" | "tool-outdated";

/** Why a tool of a skill that ran gave no result. */
export type ToolFailureCode =
  | "script-failed"
  | "script-timed-out"
  | "script-cancelled"
  | "output-too-large"
  | "output-invalid"
  | "output-schema-mismatch";

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

// The end says what went wrong; what comes before it is often progress.
const MAX_STDERR_CHARACTERS = 2_000;

interface ToolCallParts {
  readonly input: unknown;
  readonly options: ToolCallOptions;
  /** The operator's limit, which a skill may lower for its tools but not raise. */
  readonly maxTimeoutMs: number;
  /** Redacted in the answer. */
  secrets(): Readonly<Record<string, string>>;
  run(options: RunOptions): Promise<ScriptRun>;
}

export async function callTool(tool: DeclaredTool, call: ToolCallParts): Promise<ToolResult> {
  const input = toolInput(call.input, tool.inputSchema);
  if ("problem" in input) return { status: "refused", code: "tool-input-invalid", message: input.problem };
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
  if (run.status === "timed-out") return fail("script-timed-out", "The script did not end in time.");
  if (run.status === "cancelled") return fail("script-cancelled", "The call was cancelled.");
  if (run.exitCode !== 0) return fail("script-failed", `The script ${describeEnd(run)}.`);
  if (run.truncated.stdout)
    return fail("output-too-large", "The script wrote more than is kept of its output.");
  const output = toolOutput(run.stdout, clean, tool.outputSchema);
  return "code" in output ? fail(output.code, output.problem) : { status: "ok", value: output.value, run };
}

function describeEnd({ exitCode, signal, limit }: Exclude<ScriptRun, { status: "refused" }>): string {
  const how =
    exitCode === undefined ? `was ended by ${signal ?? "a signal"}` : `ended with exit code ${exitCode}`;
  return limit === undefined ? how : `${how}, at its limit of ${limit}`;
}

// Cleaned here too: a host's own runner need not know that its output reaches a model.
function describeErrors(stderr: string, clean: CleanText): string {
  const text = clean(stderr).trim();
  if (text === "") return "";
  if (text.length <= MAX_STDERR_CHARACTERS) return `\nIt wrote to standard error:\n${text}`;
  const end = text.slice(-MAX_STDERR_CHARACTERS).replace(/^[\udc00-\udfff]/, "");
  return `\nIt wrote to standard error, of which this is the end:\n${end}`;
}

// A model writes it token by token; more is data, which belongs in a file of the workspace.
const MAX_INPUT_CHARACTERS = 256_000;

/** The check reads that very line back, so that an object with getters cannot show it something else. */
function toolInput(
  input: unknown,
  schema: JsonSchema,
): { readonly text: string } | { readonly problem: string } {
  const written = toJson(input ?? {});
  if (written === undefined)
    return { problem: "The input is not a JSON value; pass an object of plain values." };
  if (written.length > MAX_INPUT_CHARACTERS)
    return {
      problem: `The input has more than ${MAX_INPUT_CHARACTERS} characters; put the data into a file and pass its path.`,
    };
  const text = JSON.stringify(withoutNulls(JSON.parse(written), schema));
  const problems = checkAgainstSchema(JSON.parse(text), schema);
  return problems.length === 0 ? { text: `${text}\n` } : { problem: listProblems("The input", problems) };
}

function toJson(input: unknown): string | undefined {
  try {
    return JSON.stringify(input);
  } catch (error) {
    // Circular, a big integer, or nested beyond the stack.
    if (error instanceof TypeError || error instanceof RangeError) return undefined;
    throw error;
  }
}

// More output belongs in a file of the workspace.
const MAX_OUTPUT_CHARACTERS = 256_000;
const MAX_OUTPUT_DEPTH = 64;

export type ToolOutput =
  | { readonly value: unknown }
  | { readonly code: ToolFailureCode; readonly problem: string };

/** Cleaned after parsing, because a JSON escape can stand for any character; the cleaned value is checked. */
export function toolOutput(text: string, clean: CleanText, schema: JsonSchema | undefined): ToolOutput {
  const json = text.trim();
  if (json.length > MAX_OUTPUT_CHARACTERS)
    return {
      code: "output-too-large",
      problem: `The script wrote more than ${MAX_OUTPUT_CHARACTERS} characters.`,
    };
  if (json === "") return invalid("The script wrote nothing to standard output instead of JSON.");
  const parsed = parseJson(json);
  if (parsed === undefined) return invalid("The script did not write one JSON value to standard output.");
  if (isTooDeep(parsed)) return invalid(`The script's answer is nested more than ${MAX_OUTPUT_DEPTH} deep.`);
  const cleaned = cleanAnswer(parsed, clean);
  if (cleaned === undefined)
    return invalid("The script's answer has keys that differ only in what is not shown, so none was taken.");
  const { value } = cleaned;
  const problems = schema === undefined ? [] : checkAgainstSchema(value, schema);
  if (problems.length === 0) return { value };
  return { code: "output-schema-mismatch", problem: listProblems("The script's answer", problems) };
}

function invalid(problem: string): ToolOutput {
  return { code: "output-invalid", problem };
}

// Level by level: cleaning and serialising recurse, and would run out of stack.
function isTooDeep(value: unknown): boolean {
  let level: readonly unknown[] = [value];
  for (let depth = 0; depth <= MAX_OUTPUT_DEPTH; depth++) {
    level = level.flatMap((item) => (typeof item === "object" && item !== null ? Object.values(item) : []));
    if (level.length === 0) return false;
  }
  return true;
}

type CleanText = (text: string) => string;

/** Expects text in which no escapes are left. */
export function answerCleaner(redact: CleanText): CleanText {
  // Twice: a secret may itself hold hidden characters, or have some put into it.
  return (text) => redact(removeHidden(redact(text).replaceAll(LINE_END, "\n")));
}

const LINE_END = /\r\n?|[\u0085\u2028\u2029]/g;

/** Undefined when two keys become one. By recursion: only for values whose depth was checked. */
function cleanAnswer(value: unknown, clean: CleanText): { readonly value: unknown } | undefined {
  let hasLostKeys = false;
  const apply = (item: unknown): unknown => {
    if (typeof item === "string") return clean(item);
    if (typeof item === "number") {
      // A secret of digits can be written as a number in many ways, 1.2e3 among them.
      const cleaned = clean(String(item));
      return cleaned === String(item) ? item : cleaned;
    }
    if (Array.isArray(item)) return item.map(apply);
    if (typeof item !== "object" || item === null) return item;
    const entries = Object.entries(item);
    const cleaned = new Map(entries.map(([key, inner]) => [clean(key), apply(inner)]));
    hasLostKeys ||= cleaned.size !== entries.length;
    // Defines each as an own property, `__proto__` among them, as parsing JSON does.
    return Object.fromEntries(cleaned);
  };
  const cleaned = apply(value);
  return hasLostKeys ? undefined : { value: cleaned };
}
