import type { ExpectedEffect, LearnedChange, Lesson } from "@skillet/author";
import type { LearnedSkill } from "@skillet/core";
import { loadSelecting } from "../select/load-selecting.ts";
import { truncate, wrap } from "../ui/fit-text.ts";
import type { Layout } from "../ui/layout.ts";
import { count } from "../ui/skill-state.ts";
import { stripControl } from "../ui/strip-control.ts";
import { changedLines } from "../validate/changed-lines.ts";

const MAX_SHOWN_CHANGES = 100;
const ENTRY_INDENT = 4;

/** What learning would change in the file, skill by skill, as the lines that go and come. */
export function changeLines(changes: readonly LearnedChange[], layout: Layout): readonly string[] {
  const { colours, width } = layout;
  const shown = changes.slice(0, MAX_SHOWN_CHANGES).flatMap(({ name, before, after }) => [
    colours.bold(stripControl(name)),
    ...changedLines(entryText(before), entryText(after))
      .filter(({ text }) => text !== "")
      .map(({ sign, text }) => {
        const paint = sign === "-" ? colours.red : colours.green;
        return paint(truncate(`  ${sign} ${stripControl(text)}`, width));
      }),
  ]);
  const rest = changes.length - MAX_SHOWN_CHANGES;
  return rest > 0 ? [...shown, colours.dim(`and ${count(rest, "more skill")}: --json lists all`)] : shown;
}

function entryText(entry: LearnedSkill | undefined): string {
  if (entry === undefined) return "";
  const lines = loadSelecting()
    .formatLearned({ skills: new Map([["x", entry]]) })
    .split("\n");
  const own = lines.slice(lines.indexOf("skills:") + 2, -1);
  return own.map((line) => line.slice(ENTRY_INDENT)).join("\n");
}

/** What of the file, as it is now, is in no entry and would not be written again: comments and keys that nobody knows. */
export function droppedLines(text: string, rewritten: string): readonly string[] {
  return changedLines(text, rewritten)
    .filter(({ sign, text: line }) => sign === "-" && line.trim() !== "")
    .map(({ text: line }) => stripControl(line.trim()));
}

/** How much was learned, and what to expect of it. */
export function lessonSummary(
  lesson: Lesson,
  effect: ExpectedEffect | undefined,
  layout: Layout,
): readonly string[] {
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
    ...(effect === undefined ? [NO_TEXTS] : describeEffect(effect)),
    ...leftAlone(lesson),
  ].flatMap((sentence) => wrapIndented(sentence, layout));
}

/** Lines that go on stand below what they go on from. */
function wrapIndented(text: string, layout: Layout): readonly string[] {
  const sentence = text.trimStart();
  const indent = " ".repeat(text.length - sentence.length);
  const further = indent === "" ? "" : `${indent}  `;
  return wrap(sentence, { width: layout.width - further.length }).map(
    (line, index) => `${index === 0 ? indent : further}${line}`,
  );
}

const NO_TEXTS =
  "What to expect is not known: too few texts of messages were recorded to try it on (recordMessages).";

function describeEffect({ used, unwanted }: ExpectedEffect): readonly string[] {
  const tell = ({ offeredWithout, offeredWith, messages }: ExpectedEffect["used"]): string =>
    `offered for ${offeredWith} of ${messages}, without it for ${offeredWithout}`;
  return [
    "To expect, on recorded messages that it was not learned from:",
    ...(used.messages > 0 ? [`  where skills were used: ${tell(used)}`] : []),
    ...(unwanted.messages > 0 ? [`  where they were ignored or wrong: ${tell(unwanted)}`] : []),
  ];
}

/** What the records say about that changes nothing, and why. */
export function leftAlone({ kept, tooFew, ofOthers, beyondCap }: Lesson): readonly string[] {
  return [
    ...(kept.length > 0 ? [`Left alone, because you keep them: ${kept.map(stripControl).join(", ")}.`] : []),
    ...(tooFew.length > 0 ? [`Too little is recorded of ${count(tooFew.length, "skill")}.`] : []),
    ...(ofOthers > 0 ? [`Not counted: ${count(ofOthers, "outcome")} of skills that are not here.`] : []),
    ...(beyondCap > 0
      ? [`Not counted: ${count(beyondCap, "outcome")} beyond the most that one run may say about a skill.`]
      : []),
  ];
}
