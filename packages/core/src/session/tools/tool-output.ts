import { parseJson } from "@skillet/kit/json";
import { type CleanText, cleanAnswer } from "./clean-answer.ts";
import { checkAgainstSchema } from "./schema/check-against-schema.ts";
import type { JsonSchema } from "./schema/json-schema.ts";
import { listProblems } from "./schema/list-problems.ts";
import type { ToolFailureCode } from "./skill-tool.ts";

// What a model is given of it; a script writes more into a file of the workspace.
const MAX_OUTPUT_CHARACTERS = 256_000;
const MAX_OUTPUT_DEPTH = 64;

/** What a script answered, or why it is no answer. */
export type ToolOutput =
  | { readonly value: unknown }
  | { readonly code: ToolFailureCode; readonly problem: string };

/**
 * Reads the one JSON value that a script wrote.
 *
 * It is cleaned only here, because an escape can stand for any character until it is parsed; what is checked and told is
 * what was cleaned.
 */
export function toolOutput(text: string, clean: CleanText, schema: JsonSchema | undefined): ToolOutput {
  const json = text.trim();
  if (json.length > MAX_OUTPUT_CHARACTERS)
    return {
      code: "output_too_large",
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
  return { code: "output_schema_mismatch", problem: listProblems("The script's answer", problems) };
}

function invalid(problem: string): ToolOutput {
  return { code: "output_invalid", problem };
}

// Level by level: whoever cleans the value or writes it out again does so by recursion, and would run out of stack.
function isTooDeep(value: unknown): boolean {
  let level: readonly unknown[] = [value];
  for (let depth = 0; depth <= MAX_OUTPUT_DEPTH; depth++) {
    level = level.flatMap((item) => (typeof item === "object" && item !== null ? Object.values(item) : []));
    if (level.length === 0) return false;
  }
  return true;
}
