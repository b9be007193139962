import type { SkillFindings, Verdict } from "@skillet/scan";
import type { CommandContext } from "../command-context.ts";
import { describeFailure } from "../report-failure.ts";
import type { Interruption } from "../run/interruption.ts";
import { createReportWriter } from "./create-report-writer.ts";
import { findTargets } from "./find-targets.ts";
import { loadScanning } from "./load-scanning.ts";
import { baselineKeys } from "./open-baseline.ts";
import type { OutputFile } from "./output-file.ts";
import { createProgressBar } from "./progress-bar.ts";
import type { ScanInputs } from "./read-scan-inputs.ts";
import type { ReportEnd, ReportFormat } from "./report-writer.ts";
import type { ScanCommandOptions } from "./scan-command-options.ts";
import { openScanMemory } from "./scan-memory.ts";
import { followInputs } from "./scan-notices.ts";
import { scanTargets } from "./scan-targets.ts";

/** How a report is written, and what decides about the scan. */
export interface ScanReporting {
  readonly format: ReportFormat;
  readonly inputs: ScanInputs;
  readonly file: OutputFile | undefined;
  readonly interruption: Interruption;
  /** Absolute, where a baseline is to be written. */
  readonly baselineFile: string | undefined;
}

/** What is left of a scan when its report is written. */
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
  /** Ends the document. */
  readonly end: () => void;

  constructor(cause: unknown, end: () => void) {
    super("The scan broke off.", { cause });
    this.end = end;
  }
}
