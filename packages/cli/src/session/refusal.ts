import { SkilletError } from "@skillet/kit/errors";
import { CliError } from "../cli-error.ts";

/** What a session answers with a no; everything else that it throws is a fault of the call or the machine. */
const REFUSALS: ReadonlySet<string> = new Set([
  "skill-ambiguous",
  "skill-denied",
  "skill-drifted",
  "skill-for-users",
  "skill-not-found",
  "skill-not-offered",
]);

/** A session's no as the end of a command, with exit code 1; undefined for anything else. */
export function refusal(error: unknown): CliError | undefined {
  if (!SkilletError.isInstance(error) || !REFUSALS.has(error.code)) return undefined;
  const { code, message, data } = error;
  const hints = typeof data.rule === "string" ? [`The rule: ${data.rule}`] : [];
  return new CliError(code, message, { exitCode: 1, hints, details: data });
}
