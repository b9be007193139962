import type { SkillSource } from "@skillet/core";

// By how usual they are. Of a set in two halves both are read.
const NAMES = [
  "eval_queries",
  "trigger-eval",
  "trigger_eval",
  "trigger-evals",
  "triggers",
  "eval_set",
] as const;
const HALVES = ["train_queries", "validation_queries"] as const;
const ENDINGS = ["json", "jsonl", "yaml", "yml", "csv"] as const;
const FOLDERS = ["evals/", "eval/", ""] as const;

/** The sets that lie beside a skill. */
export interface FoundTriggerSets {
  /** What to read: one file, or the two halves of one set; relative to the skill's folder. */
  readonly files: readonly string[];
  /** Others that are there too. */
  readonly others: readonly string[];
}

/** Finds the trigger sets of a skill, in `evals/`, in `eval/` or beside its SKILL.md. */
export async function findTriggerSets(
  source: SkillSource,
  options: { readonly folder?: string; readonly signal?: AbortSignal } = {},
): Promise<FoundTriggerSets> {
  const { folder = "", signal } = options;
  const { files } = await source.listFiles(folder, signal === undefined ? {} : { signal });
  const there = new Set(files.filter(({ kind }) => kind === "file").map(({ path }) => path));
  const groups = FOLDERS.flatMap((place) => [
    ...NAMES.flatMap((name) => ENDINGS.map((ending) => [`${place}${name}.${ending}`])),
    ...ENDINGS.map((ending) => HALVES.map((name) => `${place}${name}.${ending}`)),
  ])
    .map((group) => group.filter((path) => there.has(path)))
    .filter((group) => group.length > 0);
  const [first = [], ...rest] = groups;
  return { files: first, others: rest.flat() };
}
