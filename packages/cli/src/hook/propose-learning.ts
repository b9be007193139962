import { join } from "node:path";
import { type HookView, keepRuns as keep, type Making, stampFile } from "@skillet/adapters/hooks";
import type { Skill } from "@skillet/core";
import { readBoundedFile, writeAtomic } from "@skillet/kit/files";
import { loadSelecting } from "../load-beside.ts";
import { count } from "../ui/text.ts";

/** Saves what hooks recorded as runs. At the start of a session, reports once if the runs suggest changes. */
export const keepRuns: Making["keepRuns"] = async (home, asked, skills) => {
  await keep(home, asked);
  if (asked.event === "end") return undefined;
  const known = [join(home, "runs"), join(home, "selection.yaml")].map(stampFile).join("\n");
  const file = join(home, "cache/hooks/proposed");
  const before = readBoundedFile(file, { maxBytes: MAX_STAMP_BYTES });
  if (before !== undefined && new TextDecoder().decode(before) === known) return undefined;
  await writeAtomic(file, known, { mode: 0o600 });
  return proposedChanges(home, skills);
};

const MAX_STAMP_BYTES = 4_096;

/** Summarises in one sentence what the user's own runs suggest; undefined if there is nothing new. */
export async function proposedChanges(
  home: string,
  skills: readonly (Skill | HookView["skills"][number])[],
): Promise<string | undefined> {
  const { readLearned, readRuns, learnFromRuns } = loadSelecting();
  const { runs } = await readRuns([join(home, "runs")]);
  if (runs.length === 0) return undefined;
  const known = { skills: skills as readonly Skill[], before: readLearned(home).learned };
  const { length } = learnFromRuns(runs, known).changes;
  return length === 0
    ? undefined
    : `What your sessions used and ignored suggests changes for ${count(length, "skill")}. To review them: skillet eval learn`;
}
