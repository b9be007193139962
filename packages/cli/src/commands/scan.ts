import { resolve } from "node:path";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { writeAtomic } from "@skillet/kit/files";
import type { SkillFindings, Verdict } from "@skillet/scan";
import { CliError, refuseUsage } from "../context/cli-error.ts";
import type { CommandContext, ExitCode } from "../context/command-context.ts";
import { Interruption } from "../context/interruption.ts";
import { type OutputFile, openOutputFile } from "../context/output-file.ts";
import { describeFailure, reportFailure } from "../context/report-failure.ts";
import { loadScanning } from "../load-beside.ts";
import { findTargets } from "../scan/find-targets.ts";
import {
  baselineKeys,
  type OpenBaseline,
  readScanInputs,
  type ScanCommandOptions,
  type ScanInputs,
} from "../scan/read-scan-inputs.ts";
import { createReportWriter, type ReportEnd, type ReportFormat } from "../scan/report-writer.ts";
import { openScanMemory, type ScannedTarget, scanTargets } from "../scan/scan-targets.ts";
import { verdictCounts } from "../scan/skill-block.ts";
import { tellRules } from "../scan/tell-rules.ts";
import { diagnosticReport } from "../ui/diagnostic-report.ts";
import { createProgressBar } from "../ui/progress-bar.ts";
import { count, showPath } from "../ui/text.ts";

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
  refuseUsage("scan", [
    [words.length > 0 && all === true, "--all does not go together with paths or names."],
  ]);
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
  { end: { summary, diagnostics } }: ScanEnd,
  { format, output }: { readonly format: ReportFormat; readonly output: string | undefined },
): void {
  const isShown = output === undefined && (format === "text" || format === "json");
  for (const diagnostic of isShown ? [] : diagnostics)
    terminal.warn(diagnosticReport(diagnostic, { ...terminal.errors, file: diagnostic.file }));
  if (output === undefined) return;
  const found = verdictCounts(summary);
  const of = `${count(summary.skills, "skill")}${found === "" ? "" : ` (${found})`}`;
  const kind = format === "text" ? "" : `${format} `;
  terminal.warn(`Wrote the ${kind}report of ${of} to ${showPath(output, environment)}`);
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

interface ScanReporting {
  readonly format: ReportFormat;
  readonly inputs: ScanInputs;
  readonly file: OutputFile | undefined;
  readonly interruption: Interruption;
  readonly baselineFile: string | undefined;
}

export interface ScanEnd {
  readonly end: ReportEnd;
  /** With second opinions, which can only be worse. */
  readonly worst: Verdict;
  /** For a baseline; empty where none is written. */
  readonly known: readonly SkillFindings[];
}

/** Scans everything that the command line names, and writes each result as it comes in. */
export async function scanAndReport(
  context: CommandContext,
  options: ScanCommandOptions,
  { format, inputs, file, interruption, baselineFile }: ScanReporting,
): Promise<ScanEnd> {
  const all = options.all ?? false;
  const words = options.words.length === 0 && !all ? ["."] : options.words;
  const found = await findTargets(context, { words, all });
  const scanning = loadScanning();
  const { ScanTally, worseVerdict } = scanning;
  const tally = new ScanTally();
  const notices = followInputs(inputs);
  const memory = await openScanMemory(context, inputs, found.registry);
  const bar = createProgressBar(context.terminal, found.targets.length, {
    beside: file === undefined ? format : "file",
  });
  const writer = createReportWriter(context, {
    format,
    verbose: options.verbose ?? false,
    rules: inputs.rules,
    write: file && ((text) => file.write(text)),
  });
  const keyOf = baselineFile === undefined ? undefined : baselineKeys(baselineFile, context.workspace);
  const diagnostics = [...inputs.diagnostics, ...found.diagnostics];
  const known: SkillFindings[] = [];
  let worst: Verdict = "safe";
  const run = {
    scanning,
    inputs,
    memory,
    signal: interruption.signal,
    onFailure: context.debug ? "throw" : "go-on",
  } as const;
  try {
    for await (const result of scanTargets(found.targets, run)) {
      tally.add(result.report);
      notices.add(result);
      worst = worseVerdict(worst, worseVerdict(result.report.verdict, result.opinion?.verdict ?? "safe"));
      diagnostics.push(...result.diagnostics);
      if (keyOf !== undefined && result.allFindings.length > 0)
        known.push({ skill: keyOf(result.path), findings: result.allFindings });
      bar.clear();
      writer.add(result);
      bar.show({ done: tally.summary.skills, name: result.name });
    }
  } catch (error) {
    throw new BrokenOff(error, () =>
      writer.breakOff({ summary: tally.summary, diagnostics }, describeFailure(error)),
    );
  } finally {
    bar.clear();
    await memory?.flush();
  }
  diagnostics.push(...notices.end());
  const end = { summary: tally.summary, diagnostics };
  writer.finish(end);
  return { end, worst, known };
}

/** A scan that ended midway, with a document begun. */
export class BrokenOff extends Error {
  readonly end: () => void;

  constructor(cause: unknown, end: () => void) {
    super("The scan broke off.", { cause });
    this.end = end;
  }
}

/** Gathers over a whole scan what was odd about what it was given: dismissals and baselines that did nothing. */
interface ScanNotices {
  add(result: ScannedTarget): void;
  end(): readonly Diagnostic[];
}

function followInputs({ dismissals, baseline }: ScanInputs): ScanNotices {
  const { SuppressionUse } = loadScanning();
  const dismissed = dismissals && new SuppressionUse(dismissals.suppressions, { file: dismissals.file });
  const known = baseline && followBaseline(baseline);
  return {
    add: (result) => {
      dismissed?.add({ findings: result.allFindings, suppressed: result.allSuppressed });
      known?.add(result);
    },
    end: () => [...(dismissed?.diagnostics() ?? []), ...(known?.end() ?? [])],
  };
}

/** Follows what a baseline was good for, so that one that knows nothing of what is scanned is not taken for a clean one. */
function followBaseline({ baseline, keyOf, file }: OpenBaseline): ScanNotices {
  let [met, counting, gone] = [0, 0, 0];
  const notice = (severity: "warning" | "info", message: string, hint: string): readonly Diagnostic[] => [
    { code: "baseline-unused", severity, message, file, hint },
  ];
  return {
    add: ({ path, allFindings }) => {
      const skill = keyOf(path);
      counting += allFindings.filter(({ severity }) => severity !== "info").length;
      if (!Object.hasOwn(baseline.skills, skill)) return;
      met += 1;
      gone += loadScanning().countGone({ skill, findings: allFindings }, baseline);
    },
    end: () => {
      const known = Object.keys(baseline.skills).length;
      // A skill in which nothing is found is in no baseline.
      if (known > 0 && met === 0 && counting > 0)
        return notice(
          "warning",
          `none of what was scanned is among the ${count(known, "skill")} that the baseline knows`,
          "its paths are relative to its own folder; if it was moved, write a new one with --write-baseline",
        );
      if (gone === 0) return [];
      return notice(
        "info",
        `${count(gone, "finding")} of the baseline ${gone === 1 ? "is" : "are"} no longer there`,
        "write it anew with --write-baseline, so that they count if they come back",
      );
    },
  };
}
