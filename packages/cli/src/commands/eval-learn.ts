import { existsSync } from "node:fs";
import type { ExpectedEffect, Lesson, ReadRuns } from "@skillet/author";
import type { LearnedReading, Skills } from "@skillet/core";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { CliError } from "../cli-error.ts";
import type { CommandContext } from "../command-context.ts";
import { type LearnFolders, learnFolders } from "../eval/learn-folders.ts";
import { changeLines, droppedLines, leftAlone, lessonSummary } from "../eval/lesson-lines.ts";
import type { ExitCode } from "../exit-code.ts";
import { openRegistry } from "../open-registry.ts";
import { diagnosticRow } from "../output/diagnostic-row.ts";
import { printJson } from "../output/json-document.ts";
import { loadSelecting } from "../select/load-selecting.ts";
import { openSelector } from "../select/open-selector.ts";
import { wrap } from "../ui/fit-text.ts";
import type { Layout } from "../ui/layout.ts";
import { shellQuote } from "../ui/shell-quote.ts";
import { showPath } from "../ui/show-path.ts";
import { count } from "../ui/skill-state.ts";
import { warnDiagnostics } from "../ui/warn-diagnostics.ts";

/** Which runs to learn from, and whether to write. */
export interface EvalLearnOptions {
  readonly runs?: readonly string[];
  /** In milliseconds since 1970. */
  readonly since?: number;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

/** Learns from recorded sessions when to offer skills; what would change is shown before it is written. */
export async function evalLearn(context: CommandContext, options: EvalLearnOptions): Promise<ExitCode> {
  const { since } = options;
  const skills = await openRegistry(context);
  const places = learnFolders(context, options.runs);
  const { readLearned, readRuns, learnFromRuns, formatLearned, writeLearned } = loadSelecting();
  const before = readLearned(skills.home);
  refuseFaults(before);
  const read = await readRuns(places.folders, { ...(since !== undefined && { since }) });
  if (options.runs !== undefined && read.runs.length === 0) throw noRuns(places.folders);
  const lesson = learnFromRuns(read.runs, { skills: skills.snapshot.skills, before: before.learned });
  const effect = lesson.changes.length === 0 ? undefined : await tryOut(context, skills, { read, before });
  const found: Found = { places, before, read, lesson, effect };
  if (!context.json) present(context, found);
  const isWritten = lesson.changes.length > 0 && (await mayWrite(context, options, found));
  if (isWritten)
    await writeLearned(skills.home, { text: formatLearned(lesson.learned), replaces: before.text });
  return report(context, found, { isWritten, isDeclined: !isWritten && options.dryRun !== true });
}

interface Found {
  readonly places: LearnFolders;
  readonly before: LearnedReading;
  readonly read: ReadRuns;
  readonly lesson: Lesson;
  readonly effect: ExpectedEffect | undefined;
}

// What cannot be understood would not be written again, and somebody wrote it.
function refuseFaults({ file, diagnostics }: LearnedReading): void {
  const [fault] = diagnostics.filter(({ severity }) => severity === "error");
  if (fault === undefined) return;
  const place = fault.range === undefined ? file : `${file}:${fault.range.line}:${fault.range.column}`;
  throw new CliError(
    "learned-invalid",
    `Nothing was learned, because ${place} has a fault: ${fault.message}`,
    {
      exitCode: 1,
      hints: [fault.hint ?? "Repair it, or move the file away."],
      details: { file, diagnostics: diagnostics.map(diagnosticRow) },
    },
  );
}

function noRuns(folders: readonly string[]): CliError {
  return new CliError("run-not-found", `There is no run in ${folders.join(", ")}.`, {
    exitCode: 1,
    hints: ["Name the folder that a session recorded into, or one that holds such folders."],
    details: { folders },
  });
}

async function tryOut(
  context: CommandContext,
  skills: Skills,
  { read: { runs }, before: { learned } }: Pick<Found, "read" | "before">,
): Promise<ExpectedEffect | undefined> {
  const selector = await openSelector(context, skills);
  return loadSelecting().expectEffect(runs, { skills: skills.snapshot.skills, before: learned, selector });
}

function present(context: CommandContext, { places, before, read, lesson, effect }: Found): void {
  const { terminal, environment } = context;
  const layout: Layout = { width: terminal.width, colours: terminal.colours, environment };
  const say = (text: string): void => {
    for (const line of wrap(text, layout)) terminal.print(line);
  };
  warnDiagnostics(context, [...before.diagnostics, ...read.diagnostics]);
  const outcomes = read.runs.reduce((sum, run) => sum + run.outcomes.length, 0);
  say(`${count(read.runs.length, "run")} read, with ${count(outcomes, "outcome")} of skills.`);
  if (places.untrusted !== undefined && existsSync(places.untrusted))
    say(
      `The runs of this project were not read, because it is not trusted; to read them: skillet eval learn --runs ${shellQuote(places.untrusted)}`,
    );
  terminal.print();
  if (lesson.changes.length === 0) {
    say(read.runs.length === 0 ? NO_RUNS : "Nothing new was learned.");
    for (const sentence of leftAlone(lesson)) say(sentence);
    return;
  }
  for (const line of changeLines(lesson.changes, layout)) terminal.print(line);
  const { text = "" } = before;
  const dropped = text === "" ? [] : droppedLines(text, loadSelecting().formatLearned(before.learned));
  if (dropped.length > 0) say("These lines of the file are in no entry and would go:");
  for (const line of dropped) terminal.print(terminal.colours.red(`  - ${line}`));
  terminal.print();
  for (const line of lessonSummary(lesson, effect, layout)) terminal.print(line);
}

const NO_RUNS =
  "There is nothing to learn from: sessions record outcomes where the host passes `records`, such as a folder in runs/ of Skillet's own.";

async function mayWrite(context: CommandContext, options: EvalLearnOptions, found: Found): Promise<boolean> {
  if (options.dryRun === true) return false;
  if (options.yes === true) return true;
  const { confirm, json, environment } = context;
  if (confirm === undefined || json)
    throw new CliError("confirmation-needed", "Nothing was written: nobody is there to say yes.", {
      hints: ["Look with --dry-run, then repeat the command with --yes."],
      details: { file: found.before.file, skills: found.lesson.changes.map(({ name }) => name) },
    });
  return confirm(`Write this to ${showPath(found.before.file, environment)}?`);
}

function report(
  context: CommandContext,
  { before, read, lesson, effect }: Found,
  { isWritten, isDeclined }: { readonly isWritten: boolean; readonly isDeclined: boolean },
): ExitCode {
  const { terminal, environment, json } = context;
  const { changes, kept, tooFew, ofOthers, beyondCap } = lesson;
  const diagnostics: readonly Diagnostic[] = [...before.diagnostics, ...read.diagnostics];
  if (json)
    printJson(terminal, {
      file: before.file,
      written: isWritten,
      runs: read.runs.map(({ runFolder, runId, outcomes }) => ({
        runFolder,
        runId,
        outcomes: outcomes.length,
      })),
      changes,
      kept,
      tooFew,
      ofOthers,
      beyondCap,
      ...(effect && { effect }),
      diagnostics: diagnostics.map(diagnosticRow),
    });
  else if (isWritten) terminal.print(`Written to ${showPath(before.file, environment)}.`);
  else if (changes.length > 0) terminal.print("Nothing was written.");
  return isDeclined && changes.length > 0 ? 1 : 0;
}
