import { checkAgainstSchema } from "./schema/check-against-schema.ts";
import type { JsonSchema } from "./schema/json-schema.ts";
import { listProblems } from "./schema/list-problems.ts";

// A model writes it token by token; more is data, which belongs in a file of the workspace.
const MAX_INPUT_CHARACTERS = 256_000;

/**
 * Turns the input of a call into the line that the script reads, or says what is wrong with it.
 *
 * What is checked is read back from that very line, so no object can show one face to the check and another to the
 * script.
 */
export function toolInput(
  input: unknown,
  schema: JsonSchema,
): { readonly text: string } | { readonly problem: string } {
  const text = toJson(input ?? {});
  if (text === undefined) return { problem: "The input is no JSON value; pass an object of plain values." };
  if (text.length > MAX_INPUT_CHARACTERS)
    return {
      problem: `The input has more than ${MAX_INPUT_CHARACTERS} characters; put the data into a file and pass its path.`,
    };
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
