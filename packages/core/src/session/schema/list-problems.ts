import { quoteName } from "@skillet/kit/text";
import type { SchemaProblem } from "./check-against-schema.ts";

/** Problems as lines for a model, each with the place in the value. */
export function listProblems(what: string, problems: readonly SchemaProblem[]): string {
  // The place is made of the value's own keys: none may add lines, tags or invisible text.
  const lines = problems.map(
    ({ at, message }) => `- ${at === "" ? "the whole value" : quoteName(at)} ${message}`,
  );
  return [`${what} does not fit the tool's schema:`, ...lines].join("\n");
}
