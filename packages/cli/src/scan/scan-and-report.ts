import type { Diagnostic } from "@skillet/kit/diagnostics";
import type { SkillFindings, Verdict } from "@skillet/scan";
import type { CommandContext } from "../context/command-context.ts";
import type { Interruption } from "../context/interruption.ts";
import type { OutputFile } from "../context/output-file.ts";
import { describeFailure } from "../context/report-failure.ts";
import { loadScanning } from "../load-beside.ts";
import { createProgressBar } from "../ui/progress-bar.ts";
import { count } from "../ui/skill-state.ts";
import { createReportWriter } from "./create-report-writer.ts";
import { findTargets } from "./find-targets.ts";
import {
  baselineKeys,
  type OpenBaseline,
  type ScanCommandOptions,
  type ScanInputs,
} from "./read-scan-inputs.ts";
import type { ReportEnd, ReportFormat } from "./report-writer.ts";
import { openScanMemory } from "./scan-memory.ts";
import { type ScannedTarget, scanTargets } from "./scan-targets.ts";

interface ScanReporting {
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

/** Gathers over a whole scan what was odd about what it was given: dismissals and baselines that did nothing. */
interface ScanNotices {
  add(result: ScannedTarget): void;
  /** When everything was scanned. */
  end(): readonly Diagnostic[];
}

function followInputs({ dismissals, baseline }: ScanInputs): ScanNotices {
  const { SuppressionUse } = loadScanning();
  const dismissed = dismissals && new SuppressionUse(dismissals.suppressions, { file: dismissals.file });
  const known = baseline && new BaselineUse(baseline);
  return {
    add: (result) => {
      dismissed?.add({ findings: result.allFindings, suppressed: result.allSuppressed });
      known?.add(result);
    },
    end: () => [...(dismissed?.diagnostics() ?? []), ...(known?.diagnostics() ?? [])],
  };
}

/** Follows what a baseline was good for, so that one that knows nothing of what is scanned is not taken for a clean one. */
class BaselineUse {
  readonly #open: OpenBaseline;
  #met = 0;
  #counting = 0;
  #gone = 0;

  constructor(open: OpenBaseline) {
    this.#open = open;
  }

  add({ path, allFindings }: Pick<ScannedTarget, "path" | "allFindings">): void {
    const { baseline, keyOf } = this.#open;
    const skill = keyOf(path);
    this.#counting += allFindings.filter(({ severity }) => severity !== "info").length;
    if (!Object.hasOwn(baseline.skills, skill)) return;
    this.#met += 1;
    this.#gone += loadScanning().countGone({ skill, findings: allFindings }, baseline);
  }

  diagnostics(): readonly Diagnostic[] {
    const { file, baseline } = this.#open;
    const known = Object.keys(baseline.skills).length;
    // A skill in which nothing is found is in no baseline.
    if (known > 0 && this.#met === 0 && this.#counting > 0)
      return [
        {
          code: "baseline-unused",
          severity: "warning",
          message: `none of what was scanned is among the ${count(known, "skill")} that the baseline knows`,
          file,
          hint: "its paths are relative to its own folder; if it was moved, write a new one with --write-baseline",
        },
      ];
    if (this.#gone === 0) return [];
    return [
      {
        code: "baseline-unused",
        severity: "info",
        message: `${count(this.#gone, "finding")} of the baseline ${this.#gone === 1 ? "is" : "are"} no longer there`,
        file,
        hint: "write it anew with --write-baseline, so that they count if they come back",
      },
    ];
  }
}
