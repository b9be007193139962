import { isTooDeep, parseJson } from "@skillet/kit/json";
import { removeHidden } from "@skillet/kit/text";
import { checkAgainstSchema, type JsonSchema, listProblems } from "../schema/check-against-schema.ts";
import type { ExecutedScript } from "../script-runner.ts";
import { type AgentToolResult, refused } from "./agent-tool.ts";

// The end says what went wrong; what comes before it is often progress.
const MAX_STDERR_CHARACTERS = 2_000;

/** What a model gets from a run: the script's answer, without secrets, or what went wrong. */
export function readAnswer(
  run: ExecutedScript,
  clean: CleanText,
  outputSchema: JsonSchema | undefined,
): AgentToolResult {
  const fail = (code: string, problem: string): AgentToolResult => ({
    ...refused(code, `${problem}${describeErrors(run.stderr, clean)}`),
    value: run,
  });
  if (run.status === "timed-out") return fail("script-timed-out", "The script did not end in time.");
  if (run.status === "cancelled") return fail("script-cancelled", "The call was cancelled.");
  if (run.exitCode !== 0) return fail("script-failed", `The script ${describeEnd(run)}.`);
  if (run.truncated.stdout)
    return fail("output-too-large", "The script wrote more than is kept of its output.");
  const output = toolOutput(run.stdout, clean, outputSchema);
  if ("code" in output) return fail(output.code, output.problem);
  return { text: JSON.stringify(output.value), isError: false, value: output.value };
}

export function describeEnd({ exitCode, signal, limit }: ExecutedScript): string {
  const how =
    exitCode === undefined ? `was ended by ${signal ?? "a signal"}` : `ended with exit code ${exitCode}`;
  return limit === undefined ? how : `${how}, at its limit of ${limit}`;
}

function describeErrors(stderr: string, clean: CleanText): string {
  const text = clean(stderr).trim();
  if (text === "") return "";
  if (text.length <= MAX_STDERR_CHARACTERS) return `\nIt wrote to standard error:\n${text}`;
  const end = text.slice(-MAX_STDERR_CHARACTERS).replace(/^[\udc00-\udfff]/, "");
  return `\nIt wrote to standard error, of which this is the end:\n${end}`;
}

// More output belongs in a file of the workspace.
const MAX_OUTPUT_CHARACTERS = 256_000;
const MAX_OUTPUT_DEPTH = 64;

export type ToolOutput = { readonly value: unknown } | { readonly code: string; readonly problem: string };

/** Cleaned after parsing, because a JSON escape can encode any character; the cleaned value is checked. */
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
  // Cleaning and serialising recurse, and would overflow the stack.
  if (isTooDeep(parsed, MAX_OUTPUT_DEPTH))
    return invalid(`The script's answer is nested more than ${MAX_OUTPUT_DEPTH} deep.`);
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

type CleanText = (text: string) => string;

/** Expects text without escapes. */
export function answerCleaner(redact: CleanText): CleanText {
  // Twice: a secret may contain hidden characters, or have some inserted into it.
  return (text) => redact(removeHidden(redact(text).replaceAll(LINE_END, "\n")));
}

const LINE_END = /\r\n?|[\u0085\u2028\u2029]/g;

/** Undefined if two keys become one. Recursive: only for values whose depth was checked. */
function cleanAnswer(value: unknown, clean: CleanText): { readonly value: unknown } | undefined {
  let hasLostKeys = false;
  const apply = (item: unknown): unknown => {
    if (typeof item === "string") return clean(item);
    if (typeof item === "number") {
      // A secret of digits can be written as a number in many ways, such as 1.2e3.
      const cleaned = clean(String(item));
      return cleaned === String(item) ? item : cleaned;
    }
    if (Array.isArray(item)) return item.map(apply);
    if (typeof item !== "object" || item === null) return item;
    const entries = Object.entries(item);
    const cleaned = new Map(entries.map(([key, inner]) => [clean(key), apply(inner)]));
    hasLostKeys ||= cleaned.size !== entries.length;
    // Defines each as an own property, even `__proto__`, as parsing JSON does.
    return Object.fromEntries(cleaned);
  };
  const cleaned = apply(value);
  return hasLostKeys ? undefined : { value: cleaned };
}
