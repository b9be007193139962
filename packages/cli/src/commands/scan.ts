import { resolve } from "node:path";
import { writeAtomic } from "@skillet/kit/files";
import type { Verdict } from "@skillet/scan";
import { CliError, type ExitCode } from "../cli-error.ts";
import type { CommandContext } from "../context/command-context.ts";
import { Interruption } from "../context/interruption.ts";
import { type OutputFile, openOutputFile } from "../context/output-file.ts";
import { reportFailure } from "../context/report-failure.ts";
import { loadScanning } from "../load-beside.ts";
import { readScanInputs, type ScanCommandOptions } from "../scan/read-scan-inputs.ts";
import type { ReportFormat } from "../scan/report-writer.ts";
import { BrokenOff, type ScanEnd, scanAndReport } from "../scan/scan-and-report.ts";
import { tellRules } from "../scan/tell-rules.ts";
import { diagnosticReport } from "../ui/diagnostic-report.ts";
import { showPath } from "../ui/show-path.ts";
import { count } from "../ui/skill-state.ts";

/** Scans skills and reports what speaks against them; nothing in them is run. */
export async function scan(context: CommandContext, options: ScanCommandOptions): Promise<ExitCode> {
  const format = reportFormat(context, options);
  const inputs = await readScanInputs(context, options);
  if (options.explain !== undefined || options.listRules === true)
    return tellRules(context, inputs.rules, options.explain);
  const { output, writeBaseline } = options;
  const at = (path: string): string => resolve(context.workspace, path);
  const file = output === undefined ? undefined : openOutputFile(at(output));
  const baselineFile = writeBaseline === undefined ? undefined : at(writeBaseline);
  const interruption = new Interruption(stoppable(context));
  try {
    const ended = await scanAndReport(context, options, { format, inputs, file, interruption, baselineFile });
    file?.keep();
    tellWritten(context, ended, { format, output });
    // What could not be looked at is no answer, whatever the rest is.
    if (ended.end.diagnostics.some(({ severity }) => severity === "error")) {
      if (writeBaseline !== undefined)
        context.terminal.warn(
          `No baseline was written to ${writeBaseline}, because not everything was scanned.`,
        );
      return 2;
    }
    if (baselineFile !== undefined) {
      await writeKnown(context, ended, baselineFile);
      return 0;
    }
    return reaches(ended.worst, options.failOn ?? "dangerous") ? 1 : 0;
  } catch (error) {
    return endEarly(context, error, { file, interruption });
  } finally {
    interruption.release();
    file?.drop();
  }
}

function reportFormat({ json }: CommandContext, { format, words, all }: ScanCommandOptions): ReportFormat {
  if (json && format !== undefined && format !== "json")
    throw new CliError("usage", `--json and --format ${format} do not go together.`, {
      hints: ["Pass one of them."],
    });
  if (words.length > 0 && all === true)
    throw new CliError("usage", "--all does not go together with paths or names.", {
      hints: ["See: skillet help scan"],
    });
  return json ? "json" : (format ?? "text");
}

// A reader who has seen enough is no wish to stop: the exit code is for whoever comes after. Nor is a line of its own
// wanted below ^C, which stands behind the progress bar and goes with it.
function stoppable({
  terminal,
  onInterrupt,
}: CommandContext): Pick<CommandContext, "onInterrupt" | "terminal"> {
  return {
    terminal: { ...terminal, isErrorTerminal: false },
    ...(onInterrupt && {
      onInterrupt: (listener) =>
        onInterrupt((signal) => {
          if (signal !== "SIGPIPE") listener(signal);
        }),
    }),
  };
}

// On standard error: what was written where, and what those who do not open the report would miss.
function tellWritten(
  { terminal, environment }: CommandContext,
  { end }: ScanEnd,
  { format, output }: { readonly format: ReportFormat; readonly output: string | undefined },
): void {
  const layout = {
    width: terminal.errorLineWidth,
    lineWidth: terminal.errorLineWidth,
    colours: terminal.errorColours,
    environment,
  };
  const isShown = output === undefined && (format === "text" || format === "json");
  for (const diagnostic of isShown ? [] : end.diagnostics)
    for (const line of diagnosticReport(diagnostic, { ...layout, file: diagnostic.file }))
      terminal.warn(line);
  if (output === undefined) return;
  const { skills, verdicts } = end.summary;
  const found = (["dangerous", "caution", "safe"] as const)
    .filter((verdict) => verdicts[verdict] > 0)
    .map((verdict) => `${verdicts[verdict]} ${verdict}`)
    .join(", ");
  const of = `${count(skills, "skill")}${found === "" ? "" : ` (${found})`}`;
  terminal.warn(
    `Wrote the ${format === "text" ? "" : `${format} `}report of ${of} to ${showPath(output, environment)}`,
  );
}

async function writeKnown(
  { terminal, environment }: CommandContext,
  { known }: ScanEnd,
  baselineFile: string,
): Promise<void> {
  const { createBaseline, renderBaseline } = loadScanning();
  const baseline = createBaseline(known);
  await writeAtomic(baselineFile, renderBaseline(baseline));
  const findings = Object.values(baseline.skills).reduce((sum, { length }) => sum + length, 0);
  const skills = count(Object.keys(baseline.skills).length, "skill");
  terminal.warn(
    `Wrote a baseline of ${count(findings, "finding")} in ${skills} to ${showPath(baselineFile, environment)}`,
  );
}

function endEarly(
  { terminal, debug }: CommandContext,
  error: unknown,
  { file, interruption }: { readonly file: OutputFile | undefined; readonly interruption: Interruption },
): ExitCode {
  if (!(error instanceof BrokenOff)) throw error;
  // A report in a file is dropped whole, so that whoever waits for one document gets that of the error.
  if (file === undefined) error.end();
  if (interruption.exitCode !== undefined && interruption.explains(error.cause)) {
    if (terminal.isErrorTerminal) terminal.warnRaw("\r\x1b[K");
    terminal.warn(
      `The scan was stopped: ${file === undefined ? "what was printed is not all" : "no report was written"}.`,
    );
    return interruption.exitCode;
  }
  if (file !== undefined) throw error.cause;
  reportFailure(error.cause, { terminal, json: false, debug });
  return 2;
}

function reaches(verdict: Verdict, failOn: Verdict | "never"): boolean {
  if (failOn === "never") return false;
  return verdict === "dangerous" || verdict === failOn;
}
