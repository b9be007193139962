import type { ExecutedScript } from "@skillet/core";
import type { CommandContext } from "../command-context.ts";
import type { ExitCode } from "../exit-code.ts";
import { diagnosticRow } from "../output/diagnostic-row.ts";
import { printJson } from "../output/json-document.ts";
import { wrap } from "../ui/fit-text.ts";
import { stripControl } from "../ui/strip-control.ts";
import { warnDiagnostics } from "../ui/warn-diagnostics.ts";

/** Says how a script ended; its own output was shown while it ran, or is in the document. */
export function reportRun(context: CommandContext, run: ExecutedScript): ExitCode {
  const { terminal } = context;
  const succeeded = run.status === "executed" && run.exitCode === 0;
  if (context.json) {
    printJson(terminal, { ...run, diagnostics: run.diagnostics.map(diagnosticRow) });
    return succeeded ? 0 : 1;
  }
  warnDiagnostics(context, run.diagnostics);
  const colours = terminal.errorColours;
  for (const line of succeeded ? [] : wrap(endingOf(run), { width: terminal.errorLineWidth }))
    terminal.warn(colours.red(line));
  const missing = notGranted(run);
  for (const line of missing === undefined ? [] : wrap(missing, { width: terminal.errorLineWidth }))
    terminal.warn(line);
  if (terminal.isErrorTerminal)
    for (const line of wrap(summaryOf(run), { width: terminal.errorLineWidth }))
      terminal.warn(colours.dim(line));
  return succeeded ? 0 : 1;
}

const LIMITS: Readonly<Record<NonNullable<ExecutedScript["limit"]>, string>> = {
  memory: "it used more memory than it may",
  cpu: "it used more processor time than it may",
  "file-size": "it wrote a larger file than it may",
  output: "it wrote more output than it may",
};

function endingOf({ path, status, exitCode, signal, limit, durationMs }: ExecutedScript): string {
  const script = stripControl(path);
  if (status === "cancelled") return `${script} was cancelled.`;
  if (status === "timed-out")
    return `${script} was ended after ${seconds(durationMs)}. --timeout MS gives it more, up to 600000.`;
  const reason = limit === undefined ? "" : `: ${LIMITS[limit]}`;
  if (exitCode === undefined) return `${script} was ended by ${signal ?? "a signal"}${reason}.`;
  return `${script} ended with exit code ${exitCode}${reason}.`;
}

// A script says what failed, but cannot know that it would not have with a grant.
function notGranted({ status, exitCode, limit, sandbox, grants }: ExecutedScript): string | undefined {
  if (status !== "executed" || exitCode === 0 || limit !== undefined || sandbox.strength === "none")
    return undefined;
  const lacks = [
    ...(grants?.writable.length === 0 ? ["writing (--writable DIR)"] : []),
    ...(grants?.network.length === 0 ? ["the network (--network HOST)"] : []),
  ];
  return lacks.length === 0 ? undefined : `Not granted: ${lacks.join(", ")}.`;
}

function summaryOf({ runtime, sandbox, durationMs }: ExecutedScript): string {
  const { backend, place, strength, weaknesses } = sandbox;
  const machine = place === undefined ? "" : ` on ${place}`;
  const where = `${strength === "none" ? "without a sandbox" : `in ${backend}`}${machine}`;
  const but = strength === "reduced" ? `. ${weaknesses.join(" ")}` : "";
  return stripControl(`${runtime} ${where}, ${seconds(durationMs)}${but}`);
}

function seconds(durationMs: number): string {
  return durationMs < 995 ? `${Math.round(durationMs)} ms` : `${(durationMs / 1000).toFixed(1)} s`;
}
