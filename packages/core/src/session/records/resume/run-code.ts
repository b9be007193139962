/** Whatever keeps a run from being resumed as it was, from what weighs most to what weighs least. */
export const DRIFT_CODES = [
  "run-journal-damaged",
  "run-artefact-damaged",
  "run-skill-gone",
  "run-skill-withheld",
  "run-skill-unverified",
  "run-body-changed",
  "run-resource-changed",
  "run-root-moved",
] as const;

/** One cause of drift. */
export type DriftCode = (typeof DRIFT_CODES)[number];

/** What became of a run since it was recorded. */
export type RunCode = "run-unchanged" | DriftCode;

/** What became of a skill since it was activated. */
export type SkillVerdict = Exclude<RunCode, "run-journal-damaged" | "run-artefact-damaged">;
