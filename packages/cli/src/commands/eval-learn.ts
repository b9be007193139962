import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import type { LearnedChange, Lesson, ReadRuns } from "@skillet/author";
import type { LearnedSkill } from "@skillet/core";
import { type LearnedReading, readTrust, trustOf } from "@skillet/core/internal";
import { shellArgument } from "@skillet/kit/text";
import { refusalError } from "../context/cli-error.ts";
import type { CommandContext, ExitCode, Flags } from "../context/command-context.ts";
import { confirmChange } from "../context/create-ask.ts";
import { openRegistry } from "../context/open-registry.ts";
import { openWorkspace } from "../context/open-workspace.ts";
import { loadSelecting } from "../load-beside.ts";
import { printJson } from "../ui/json-document.ts";
import { warnDiagnostics } from "../ui/skill-notices.ts";
import type { Layout } from "../ui/terminal.ts";
import { count, firstLines, hang, showPath, stripControl, truncate } from "../ui/text.ts";
import { changedLines } from "../validate/validation-report.ts";

interface EvalLearnOptions extends Flags<"dryRun" | "yes"> {
  readonly runs?: readonly string[];
  /** In milliseconds since 1970. */
  readonly since?: number;
}

export async function evalLearn(context: CommandContext, options: EvalLearnOptions): Promise<ExitCode> {
  const { since, dryRun = false } = options;
  const { terminal, environment, json } = context;
  const skills = await openRegistry(context);
  const places = learnFolders(context, options.runs);
  const { readLearned, readRuns, learnFromRuns, formatLearned } = loadSelecting();
  const before = readLearned(skills.home);
  refuseFaults(before);
  const read = await readRuns(places.folders, since === undefined ? {} : { since });
  const { runs } = read;
  if (options.runs !== undefined && runs.length === 0) {
    const message = `There is no run in ${places.folders.join(", ")}.`;
    const hints = ["Name the folder that a session recorded into, or one that holds such folders."];
    throw refusalError("run-not-found", message, { folders: places.folders }, hints);
  }
  const lesson = learnFromRuns(runs, { skills: skills.snapshot.skills, before: before.learned });
  const { changes, kept, tooFew, ofOthers, beyondCap } = lesson;
  const isNews = changes.length > 0;
  if (!json) present(context, { places, before, read, lesson });
  const text = formatLearned(lesson.learned);
  const isWritten = await offerToWrite(context, { home: skills.home, before, changes, text }, options);
  if (json)
    printJson(terminal, {
      file: before.file,
      written: isWritten,
      runs: runs.map(({ runFolder, runId, outcomes }) => ({ runFolder, runId, outcomes: outcomes.length })),
      changes,
      kept,
      tooFew,
      ofOthers,
      beyondCap,
      diagnostics: [...before.diagnostics, ...read.diagnostics],
    });
  else if (isNews)
    terminal.print(isWritten ? `Written to ${showPath(before.file, environment)}.` : "Nothing was written.");
  return isNews && !isWritten && !dryRun ? 1 : 0;
}

/** Writes what was learned once the user agrees; returns whether it was written. */
export async function offerToWrite(
  context: CommandContext,
  found: Record<"home" | "text", string> & {
    readonly before: LearnedReading;
    readonly changes: readonly LearnedChange[];
  },
  { dryRun = false, yes = false }: Flags<"dryRun" | "yes">,
): Promise<boolean> {
  const { before, changes } = found;
  if (changes.length === 0 || dryRun) return false;
  const question = `Write this to ${showPath(before.file, context.environment)}?`;
  const details = { file: before.file, skills: changes.map(({ name }) => name) };
  if (!yes && !(await confirmChange(context, question, { undone: "written", details }))) return false;
  await loadSelecting().writeLearned(found.home, { text: found.text, replaces: before.text });
  return true;
}

// Rewriting the file would lose anything in it that could not be parsed.
export function refuseFaults({ file, diagnostics }: LearnedReading): void {
  const fault = diagnostics.find(({ severity }) => severity === "error");
  if (fault === undefined) return;
  const place = fault.range === undefined ? file : `${file}:${fault.range.line}:${fault.range.column}`;
  const message = `Nothing was learned, because ${place} has a fault: ${fault.message}`;
  const hints = [fault.hint ?? "Repair it, or move the file away."];
  throw refusalError("learned-invalid", message, { file, diagnostics }, hints);
}

function present(
  context: CommandContext,
  found: {
    readonly places: LearnFolders;
    readonly before: LearnedReading;
    readonly read: ReadRuns;
    readonly lesson: Lesson;
  },
): void {
  const { terminal } = context;
  const { places, before, lesson } = found;
  const { runs } = found.read;
  const say = (text: string): void => terminal.print(hang(text, terminal));
  warnDiagnostics(context, [...before.diagnostics, ...found.read.diagnostics]);
  const outcomes = runs.reduce((sum, run) => sum + run.outcomes.length, 0);
  say(`${count(runs.length, "run")} read, with ${count(outcomes, "outcome")} of skills.`);
  if (places.untrusted !== undefined && existsSync(places.untrusted))
    say(
      `The runs of this project were not read, because it is not trusted; to read them: skillet eval learn --runs ${shellArgument(places.untrusted)}`,
    );
  terminal.print();
  if (lesson.changes.length === 0) {
    say(runs.length === 0 ? NO_RUNS : "Nothing new was learned.");
    for (const sentence of leftAlone(lesson)) say(sentence);
    return;
  }
  terminal.print(changeLines(lesson.changes, terminal));
  const { text = "" } = before;
  // Comments and unknown keys belong to no entry, so rewriting the file would lose them.
  const dropped = (text === "" ? [] : changedLines(text, loadSelecting().formatLearned(before.learned)))
    .filter(({ sign, text: line }) => sign === "-" && line.trim() !== "")
    .map(({ text: line }) => terminal.colours.red(`  - ${stripControl(line.trim())}`));
  if (dropped.length > 0) say("These lines of the file belong to no entry and would be lost:");
  terminal.print([...dropped, "", ...lessonSummary(lesson, terminal)]);
}

const NO_RUNS =
  "There is nothing to learn from: sessions record outcomes where the host passes `records`, such as a folder in runs/ of Skillet's own.";

interface LearnFolders {
  readonly folders: readonly string[];
  /** The runs of an untrusted project, which are read only if the user names them. */
  readonly untrusted?: string;
}

/** A project's author could put fake runs in it, to keep other skills from being offered. */
function learnFolders(context: CommandContext, named: readonly string[] | undefined): LearnFolders {
  if (named !== undefined) return { folders: named.map((folder) => resolve(context.workspace, folder)) };
  const { home, project } = openWorkspace(context);
  const own = join(home, "runs");
  const ofProject = project && join(project.root, ".skillet", "runs");
  if (project === undefined || ofProject === undefined || ofProject === own) return { folders: [own] };
  return trustOf(readTrust(home), project.root).trusted
    ? { folders: [own, ofProject] }
    : { folders: [own], untrusted: ofProject };
}

const MAX_SHOWN_CHANGES = 100;
const ENTRY_INDENT = 4;

export function changeLines(
  changes: readonly LearnedChange[],
  { colours, width }: Layout,
): readonly string[] {
  return firstLines(
    changes,
    MAX_SHOWN_CHANGES,
    ({ name, before, after }) => [
      colours.bold(stripControl(name)),
      ...changedLines(entryText(before), entryText(after))
        .filter(({ text }) => text !== "")
        .map(({ sign, text }) => {
          const paint = sign === "-" ? colours.red : colours.green;
          return paint(truncate(`  ${sign} ${stripControl(text)}`, width));
        }),
    ],
    (rest) => colours.dim(`and ${count(rest, "more skill")}: --json lists all`),
  );
}

function entryText(entry: LearnedSkill | undefined): string {
  if (entry === undefined) return "";
  const lines = loadSelecting()
    .formatLearned({ skills: new Map([["x", entry]]) })
    .split("\n");
  const own = lines.slice(lines.indexOf("skills:") + 2, -1);
  return own.map((line) => line.slice(ENTRY_INDENT)).join("\n");
}

export function lessonSummary(lesson: Lesson, layout: Layout): readonly string[] {
  const moved = (isWanted: (shift: number) => boolean): number =>
    lesson.changes.filter(({ before, after }) => isWanted(after.threshold - (before?.threshold ?? 0))).length;
  const [less, more] = [moved((shift) => shift > 0), moved((shift) => shift < 0)];
  const same = lesson.changes.length - less - more;
  const parts = [
    ...(less > 0 ? [`${less} would be offered less often`] : []),
    ...(more > 0 ? [`${more} ${less > 0 ? "" : "would be offered "}more often`] : []),
    ...(same > 0 ? [`${same} with the same threshold`] : []),
  ];
  return [
    `${count(lesson.changes.length, "skill")} changed: ${parts.join(", ")}.`,
    ...leftAlone(lesson),
  ].flatMap((text) => hang(text, layout));
}

function leftAlone({ kept, tooFew, ofOthers, beyondCap }: Lesson): readonly string[] {
  return [
    ...(kept.length > 0 ? [`Left alone, because you keep them: ${kept.map(stripControl).join(", ")}.`] : []),
    ...(tooFew.length > 0 ? [`Too little is recorded of ${count(tooFew.length, "skill")}.`] : []),
    ...(ofOthers > 0 ? [`Not counted: ${count(ofOthers, "outcome")} of skills that are not here.`] : []),
    ...(beyondCap > 0
      ? [`Not counted: ${count(beyondCap, "outcome")} beyond the most that one run may say about a skill.`]
      : []),
  ];
}
