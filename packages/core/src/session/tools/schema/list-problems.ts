import type { SchemaProblem } from "./check-against-schema.ts";

/** Problems as lines for a model, each with the place in the value. */
export function listProblems(what: string, problems: readonly SchemaProblem[]): string {
  const lines = problems.map(
    ({ at, message }) => `- ${at === "" ? "the whole value" : JSON.stringify(at)} ${message}`,
  );
  return [`${what} does not fit the tool's schema:`, ...lines].join("\n");
}
