import { resolve } from "node:path";
import { writeAtomic } from "@skillet/core";
import type { SkillFindings, Verdict } from "@skillet/scan";
import { CliError } from "../cli-error.ts";
import type { CommandContext } from "../command-context.ts";
import type { ExitCode } from "../exit-code.ts";
import { describeFailure, reportFailure } from "../report-failure.ts";
import { createReportWriter } from "../scan/create-report-writer.ts";
import { findTargets } from "../scan/find-targets.ts";
import { loadScanning } from "../scan/load-scanning.ts";
import { type OutputFile, openOutputFile } from "../scan/output-file.ts";
import { createProgressBar } from "../scan/progress-bar.ts";
import { readScanInputs, type ScanInputs } from "../scan/read-scan-inputs.ts";
import type { ReportEnd, ReportFormat } from "../scan/report-writer.ts";
import type { ScanCommandOptions } from "../scan/scan-command-options.ts";
import { openScanMemory } from "../scan/scan-memory.ts";
import { scanTargets } from "../scan/scan-targets.ts";
import { tellRules } from "../scan/tell-rules.ts";

/** Scans skills and reports what speaks against them; nothing in them is run. */
export async function scan(context: CommandContext, options: ScanCommandOptions): Promise<ExitCode> {
  const format = reportFormat(context, options);
  const inputs = await readScanInputs(context, options);
  if (options.explain !== undefined || options.listRules === true)
    return tellRules(context, inputs.rules, options.explain);
  const { output, writeBaseline } = options;
  const file = output === undefined ? undefined : openOutputFile(resolve(context.workspace, output));
  try {
    const { end, worst, known } = await scanAndReport(context, options, { format, inputs, file });
    file?.keep();
    // What could not be looked at is no answer, whatever the rest is.
    if (end.diagnostics.some(({ severity }) => severity === "error")) return 2;
    if (writeBaseline !== undefined) {
      const { createBaseline, renderBaseline } = loadScanning();
      await writeAtomic(resolve(context.workspace, writeBaseline), renderBaseline(createBaseline(known)));
      return 0;
    }
    return reaches(worst, options.failOn ?? "dangerous") ? 1 : 0;
  } catch (error) {
    if (!(error instanceof BrokenOff)) throw error;
    // A report in a file is dropped whole, so that whoever waits for one document gets that of the error.
    if (file !== undefined) throw error.cause;
    error.end();
    const { terminal, debug } = context;
    reportFailure(error.cause, { terminal, json: false, debug });
    return 2;
  } finally {
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

interface Ended {
  readonly end: ReportEnd;
  /** With second opinions, which can only be worse. */
  readonly worst: Verdict;
  /** For a baseline; empty where none is written. */
  readonly known: readonly SkillFindings[];
}

async function scanAndReport(
  context: CommandContext,
  options: ScanCommandOptions,
  report: {
    readonly format: ReportFormat;
    readonly inputs: ScanInputs;
    readonly file: OutputFile | undefined;
  },
): Promise<Ended> {
  const { format, inputs, file } = report;
  const all = options.all ?? false;
  const words = options.words.length === 0 && !all ? ["."] : options.words;
  const found = await findTargets(context, { words, all });
  const { ScanTally, worseVerdict } = loadScanning();
  const tally = new ScanTally();
  const memory = await openScanMemory(context, inputs, found.registry);
  const bar = createProgressBar(context.terminal, found.targets.length);
  const writer = createReportWriter(context, {
    format,
    verbose: options.verbose ?? false,
    rules: inputs.rules,
    write: file && ((text) => file.write(text)),
  });
  const diagnostics = [...inputs.diagnostics, ...found.diagnostics];
  const known: SkillFindings[] = [];
  let worst: Verdict = "safe";
  try {
    for await (const result of scanTargets(found.targets, inputs, memory)) {
      tally.add(result.report);
      worst = worseVerdict(worst, worseVerdict(result.report.verdict, result.opinion?.verdict ?? "safe"));
      diagnostics.push(...result.diagnostics);
      if (options.writeBaseline !== undefined && result.allFindings.length > 0)
        known.push({ skill: result.path, findings: result.allFindings });
      bar.clear();
      writer.add(result);
      bar.show({ done: tally.summary.skills, name: result.name });
    }
  } catch (error) {
    bar.clear();
    throw new BrokenOff(error, () =>
      writer.breakOff({ summary: tally.summary, diagnostics }, describeFailure(error)),
    );
  } finally {
    await memory?.flush();
  }
  bar.clear();
  const end = { summary: tally.summary, diagnostics };
  writer.finish(end);
  return { end, worst, known };
}

/** A scan that ended midway, with a document begun. */
class BrokenOff extends Error {
  /** Ends the document. */
  readonly end: () => void;

  constructor(cause: unknown, end: () => void) {
    super("The scan broke off.", { cause });
    this.end = end;
  }
}

function reaches(verdict: Verdict, failOn: Verdict | "never"): boolean {
  if (failOn === "never") return false;
  return verdict === "dangerous" || verdict === failOn;
}
