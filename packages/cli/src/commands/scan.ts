import { basename, extname, resolve } from "node:path";
import type { Skill, Skills } from "@skillet/core";
import type { Approval } from "@skillet/core/internal";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { writeAtomic } from "@skillet/kit/files";
import { shellArgument } from "@skillet/kit/text";
import type { SkillFindings, Verdict } from "@skillet/scan";
import { openAgentsOf } from "../context/agents-of.ts";
import { refuseUsage } from "../context/cli-error.ts";
import { type CommandContext, type ExitCode, Interruption } from "../context/command-context.ts";
import { type OutputFile, openOutputFile } from "../context/output-file.ts";
import { describeFailure, reportFailure } from "../context/report-failure.ts";
import { vetShown } from "../context/vet-shown.ts";
import { loadScanning } from "../load-beside.ts";
import { findTargets, isAlone } from "../scan/find-targets.ts";
import {
  baselineKeys,
  readScanInputs,
  type ScanCommandOptions,
  type ScanInputs,
} from "../scan/read-scan-inputs.ts";
import { countOf, createReportWriter, type ReportEnd, type ReportFormat } from "../scan/report-writer.ts";
import { openScanMemory, type ScannedTarget, scanTargets } from "../scan/scan-targets.ts";
import { verdictCounts } from "../scan/skill-block.ts";
import { tellRules } from "../scan/tell-rules.ts";
import { diagnosticReport } from "../ui/diagnostic-report.ts";
import { createCountLine, MIN_SCANNED } from "../ui/progress-bar.ts";
import { type SkillFacts, stillLoaded } from "../ui/skill-state.ts";
import { count, hang, showPath, showSentence } from "../ui/text.ts";

export async function scan(context: CommandContext, options: ScanCommandOptions): Promise<ExitCode> {
  const { json, workspace, terminal } = context;
  const { format: asked, words, all = false, output, writeBaseline, failOn = "dangerous" } = options;
  const ending = extname(output ?? "");
  const named = (["json", "sarif", "html"] as const).find((one) => ending === `.${one}`);
  refuseUsage("scan", [
    [
      json && asked !== undefined && asked !== "json",
      `--json and --format ${asked} cannot be combined.`,
      "Pass one of them.",
    ],
    [words.length > 0 && all, "--all cannot be combined with paths or names."],
    [
      !json && (asked ?? named) === undefined && !["", ".txt"].includes(ending),
      `No report ends in ${ending}.`,
      "End --output in .txt, .json, .sarif or .html, or choose with --format.",
    ],
  ]);
  const format = json ? "json" : (asked ?? named ?? "text");
  const inputs = await readScanInputs(context, options);
  if (options.explain !== undefined || options.listRules === true)
    return tellRules(context, inputs.rules, options.explain);
  const file = output === undefined ? undefined : openOutputFile(resolve(workspace, output));
  const baselineFile = writeBaseline === undefined ? undefined : resolve(workspace, writeBaseline);
  // A closed output pipe does not stop the scan, because the exit code still counts.
  const interruption = new Interruption(context, { hasStatus: true, ignored: "SIGPIPE" });
  try {
    const ended = await scanAndReport(context, options, { format, inputs, file, interruption, baselineFile });
    if (typeof ended === "number") return ended;
    file?.keep();
    tellWritten(context, ended.end, { format, output });
    // If a place could not be scanned, the scan never passes, whatever the other results are.
    if (ended.end.diagnostics.some(({ severity }) => severity === "error")) {
      if (writeBaseline !== undefined)
        terminal.warn(`No baseline was written to ${writeBaseline}, because not everything was scanned.`);
      return 2;
    }
    if (baselineFile !== undefined) {
      await writeKnown(context, ended.known, baselineFile);
      return 0;
    }
    const { worst } = ended;
    return failOn !== "never" && (worst === "dangerous" || worst === failOn) ? 1 : 0;
  } finally {
    interruption.release();
    file?.drop();
  }
}

// Reports on standard error what was written where, and errors that would otherwise be only in the report.
function tellWritten(
  { terminal, environment }: CommandContext,
  { summary, diagnostics }: ReportEnd,
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
  known: readonly SkillFindings[],
  file: string,
): Promise<void> {
  const { createBaseline, renderBaseline } = loadScanning();
  await writeAtomic(file, renderBaseline(createBaseline(known)));
  const all = known.flatMap(({ findings }) => findings);
  const notes = countOf(all, "info");
  const held = `${count(all.length - notes, "finding")}${notes > 0 ? ` and ${count(notes, "note")}` : ""}`;
  terminal.warn(
    `Wrote a baseline of ${held} in ${count(known.length, "skill")} to ${showPath(file, environment)}`,
  );
}

interface ScanJob {
  readonly format: ReportFormat;
  readonly inputs: ScanInputs;
  readonly file: OutputFile | undefined;
  readonly interruption: Interruption;
  readonly baselineFile: string | undefined;
}

interface ScanEnd {
  readonly end: ReportEnd;
  readonly worst: Verdict;
  /** For a baseline; empty if none is written. */
  readonly known: readonly SkillFindings[];
}

/** Scans everything that was named and reports each result immediately; an exit code if it broke off. */
async function scanAndReport(
  context: CommandContext,
  { words: typed, all = false, verbose = false }: ScanCommandOptions,
  { format, inputs, file, interruption, baselineFile }: ScanJob,
): Promise<ScanEnd | ExitCode> {
  const words = typed.length === 0 && !all ? ["."] : typed;
  const { files, registry, diagnostics: faults } = await findTargets(context, { words, all });
  // Without arguments only this folder is scanned, and the user's skills are elsewhere.
  const hint = "For one of your skills: skillet scan NAME. For all that agents read: skillet scan --all";
  const hinted =
    typed.length > 0 ? faults : faults.map((one) => ({ ...one, ...(one.code === "no-skill" && { hint }) }));
  const scanning = loadScanning();
  const { ScanTally, worseVerdict } = scanning;
  const tally = new ScanTally();
  const use = followInputs(inputs);
  const memory = await openScanMemory(context, inputs, registry);
  const beside = file === undefined ? format : "file";
  const line = createCountLine({ terminal: context.terminal, beside, least: MIN_SCANNED }, "Scanning skills");
  const write = file && ((text: string) => file.write(text));
  const writer = createReportWriter(context, {
    format,
    verbose,
    rules: inputs.rules,
    write,
    isOnly: files.length === 1,
  });
  const keyOf = baselineFile === undefined ? undefined : baselineKeys(baselineFile, context.workspace);
  const diagnostics = [...inputs.diagnostics, ...hinted];
  const known: SkillFindings[] = [];
  const verdicts = new Map<string, Verdict>();
  const approved: Approved[] = [];
  let worst: Verdict = "safe";
  const onFailure = context.debug ? "throw" : "go-on";
  const { signal } = interruption;
  try {
    for await (const result of scanTargets(files, { scanning, inputs, memory, signal, onFailure })) {
      const { report, allFindings: findings } = result;
      tally.add(report);
      use.add(result);
      const { approval } = result;
      if (approval !== undefined) approved.push([result.name, approval]);
      worst = worseVerdict(worst, report.verdict);
      diagnostics.push(...result.diagnostics);
      if (keyOf !== undefined && findings.length > 0) known.push({ skill: keyOf(result.path), findings });
      if (report.verdict !== "safe" && approval === undefined) verdicts.set(result.path, report.verdict);
      writer.add(result);
      line.show(tally.summary.skills, files.length, result.name);
    }
  } catch (error) {
    const isStopped = interruption.explains(error);
    // A report file is dropped, so the error gets its own document; a report on standard output is completed.
    if (file === undefined) writer.breakOff({ summary: tally.summary, diagnostics }, describeFailure(error));
    else if (!isStopped) throw error;
    return tellBrokenOff(context, error, { isStopped, file, interruption });
  } finally {
    line.clear();
    await memory?.flush();
  }
  diagnostics.push(...use.end());
  const end = { summary: tally.summary, diagnostics };
  writer.finish(end);
  if (format === "text" && file === undefined)
    await tellNotable(context, {
      verdicts,
      approved,
      registry,
      // A single file is not a skill that could be approved.
      isOnly: files.length === 1 && !files.some(isAlone),
      isKept: memory !== undefined,
    });
  return { end, worst, known };
}

interface Notable {
  /** The skills that are neither safe nor approved, by path. */
  readonly verdicts: ReadonlyMap<string, Verdict>;
  readonly approved: readonly Approved[];
  readonly registry: Skills | undefined;
  readonly isOnly: boolean;
  /** Judged as sessions judge; otherwise nothing may be cached, so no approval is suggested. */
  readonly isKept: boolean;
}

/** For skills that are not safe: says who loads or approved them, and what to do about a false alarm. */
async function tellNotable(context: CommandContext, notable: Notable): Promise<void> {
  const { terminal, environment } = context;
  const advice = [...notable.approved.map(approvedAdvice), ...(await adviceAbout(context, notable))];
  for (const [text, command] of advice) {
    terminal.print(hang(showSentence(text, environment), terminal, { indent: 2, lead: "  " }));
    terminal.print(`    ${terminal.colours.cyan(command)}`);
  }
  terminal.print(hang(advice.length > 0 ? FOR_CI : "", terminal, { indent: 2, lead: "  " }));
}

const FOR_CI =
  "An approval is for agents on this machine, and scan exits as before. For CI, write a baseline with --write-baseline FILE, then pass --baseline FILE.";

type Approved = readonly [name: string, approval: Approval];

function approvedAdvice([name, { approvedAt, reason }]: Approved): Advice {
  const why = reason === undefined ? "" : `: ${reason}`;
  const text = `${name}: approved by you on ${approvedAt.slice(0, 10)}${why}. To end that:`;
  return [text, `skillet trust --withdraw ${shellArgument(name)}`];
}

type Advice = readonly [text: string, command: string];

function approveAdvice(path: string, workspace: string): Advice {
  const text = "If that is a false alarm, approve exactly these files, wherever they come from:";
  const words = `${shellArgument(basename(resolve(workspace, path)))} --skills-root ${shellArgument(path)}`;
  return [text, `skillet trust --approve ${words} --reason TEXT`];
}

async function adviceAbout(
  context: CommandContext,
  { verdicts, registry, isOnly, isKept }: Notable,
): Promise<readonly Advice[]> {
  const verdictOf = ({ directory, path }: Skill): Verdict | undefined =>
    verdicts.get(directory) ?? verdicts.get(path);
  const named = registry?.snapshot.skills.filter((skill) => verdictOf(skill) !== undefined) ?? [];
  if (registry === undefined || named.length === 0)
    return [...verdicts].flatMap(([path, verdict]) =>
      isOnly && verdict === "dangerous" ? [approveAdvice(path, context.workspace)] : [],
    );
  const facts = await vetShown(context, registry, isKept ? named : [], { maxScanned: named.length });
  const { readersOf } = openAgentsOf(context, registry);
  const isOpen = (known: SkillFacts): boolean => known.verdict === "caution" && known.approved !== true;
  const cautions = [...facts.values()].filter(isOpen).length;
  const advice = named.flatMap((skill): Advice[] => {
    const { qualifiedName: name } = skill;
    const known: SkillFacts = facts.get(skill) ?? { verdict: verdictOf(skill) ?? "dangerous" };
    // If there are many, one hint covers all of them.
    if (isOpen(known) && known.withheld === undefined && cautions > 1) return [];
    const loaded = stillLoaded(skill, known, readersOf(skill));
    const looked = `skillet trust --approve ${shellArgument(name)} --reason TEXT`;
    const approve = known.withheld?.match(/skillet trust --approve .*$/)?.[0] ?? looked;
    const stop: Advice[] = loaded ? [[`${name}: ${loaded.who}. To stop that:`, loaded.stop]] : [];
    const question = `If what was found in ${name} is a false alarm, approve these files:`;
    return isKept ? [...stop, [question, approve]] : stop;
  });
  const all: Advice = ["If one of them is a false alarm:", "skillet trust --approve NAME --reason TEXT"];
  return cautions > 1 ? [...advice, all] : advice;
}

function tellBrokenOff(
  { terminal, debug }: CommandContext,
  error: unknown,
  { isStopped, file, interruption }: Pick<ScanJob, "file" | "interruption"> & { readonly isStopped: boolean },
): ExitCode {
  if (!isStopped) {
    reportFailure(error, { terminal, json: false, debug });
    return 2;
  }
  if (terminal.isErrorTerminal) terminal.warnRaw("\r\x1b[K");
  const left = file === undefined ? "the output is incomplete" : "no report was written";
  terminal.warn(`The scan was stopped: ${left}.`);
  return interruption.exitCode ?? 2;
}

/** Tracks which dismissals and baseline entries had an effect, so that an unrelated baseline is noticed. */
function followInputs({ dismissals, baseline }: ScanInputs): {
  add(result: ScannedTarget): void;
  end(): readonly Diagnostic[];
} {
  const { SuppressionUse, countGone } = loadScanning();
  const dismissed = dismissals && new SuppressionUse(dismissals.suppressions, { file: dismissals.file });
  let [met, counting, gone] = [0, 0, 0];
  return {
    add: ({ path, allFindings: findings, allSuppressed: suppressed }) => {
      dismissed?.add({ findings, suppressed });
      counting += findings.filter(({ severity }) => severity !== "info").length;
      const skill = baseline?.keyOf(path) ?? "";
      if (baseline === undefined || !Object.hasOwn(baseline.baseline.skills, skill)) return;
      met += 1;
      gone += countGone({ skill, findings }, baseline.baseline);
    },
    end: () => [
      ...(dismissed?.diagnostics() ?? []),
      ...(baseline === undefined ? [] : baselineNotice(baseline, { met, counting, gone })),
    ],
  };
}

function baselineNotice(
  { file, baseline }: NonNullable<ScanInputs["baseline"]>,
  { met, counting, gone }: { readonly met: number; readonly counting: number; readonly gone: number },
): readonly Diagnostic[] {
  const code = "baseline-unused";
  const known = Object.keys(baseline.skills).length;
  // Skills without findings are not in a baseline.
  if (known > 0 && met === 0 && counting > 0) {
    const message = `none of the scanned skills is among the ${count(known, "skill")} in the baseline`;
    const hint =
      "its paths are relative to its own folder; if it was moved, write a new one with --write-baseline";
    return [{ code, severity: "warning", message, file, hint }];
  }
  if (gone === 0) return [];
  const message = `${count(gone, "finding")} of the baseline ${gone === 1 ? "is" : "are"} no longer there`;
  const hint = "write a new one with --write-baseline, so that they count if they come back";
  return [{ code, severity: "info", message, file, hint }];
}
