import { type Digest, digestBytes } from "@skillet/kit/digest";
import { SkilletError } from "@skillet/kit/errors";
import type { ResourceIndex } from "../../registry/resource.ts";
import type { Skill } from "../../registry/skill.ts";
import { fileNameOf } from "../records/artefacts.ts";
import type { ActivationRecord } from "../records/session-record.ts";
import type { SkillReader } from "../skill-reader.ts";
import type { SessionParts } from "../state.ts";

// Copies of one SKILL.md whose whole trees are digested to find a skill that was moved.
const MAX_CANDIDATES = 20;

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

export type DriftCode = (typeof DRIFT_CODES)[number];

export type SkillVerdict =
  | "run-unchanged"
  | Exclude<DriftCode, "run-journal-damaged" | "run-artefact-damaged">;

export type PresentSkills = Pick<SessionParts, "snapshot"> & {
  readonly reader: Pick<SkillReader, "readSkillFile" | "indexResources">;
};

interface Comparison {
  readonly code: SkillVerdict;
  /** Reads on from the skill's name: `was removed, or no longer loads`. */
  readonly reason: string;
  readonly skill?: Skill;
  readonly index?: ResourceIndex;
}

export async function compareSkill(recorded: ActivationRecord, present: PresentSkills): Promise<Comparison> {
  const { sourceId, folder } = recorded;
  // Commands share a folder, so the file's name counts too.
  const file = fileNameOf(recorded.skillPath);
  const skill = present.snapshot.skills.find(
    ({ source }) => source.id === sourceId && source.folder === folder && source.file === file,
  );
  if (skill === undefined) return findElsewhere(recorded, present);
  const obstacle = withheldBecause(skill, recorded);
  if (obstacle !== undefined) return { code: "run-skill-withheld", reason: obstacle, skill };
  try {
    return { ...(await compareDigests(recorded, skill, present)), skill };
  } catch (error) {
    if (!SkilletError.isInstance(error)) throw error;
    if (error.code === "file-not-found")
      return { code: "run-skill-gone", reason: "was removed after the skills were found" };
    return { code: "run-skill-unverified", reason: `cannot be read now: ${error.message}`, skill };
  }
}

function withheldBecause(
  { state, reason, qualifiedName, missing }: Skill,
  { name }: ActivationRecord,
): string | undefined {
  if (state === "enabled") return undefined;
  // Values that a person gave are in no record; the text that was loaded with them stands, and they are asked for again.
  if (state === "unavailable" && missing.every(({ kind }) => kind === "environment")) return undefined;
  // Shadowed skills can be named in full; one that went by its bare name can no longer be.
  if (state === "shadowed" && qualifiedName === name) return undefined;
  return `is ${state} now${reason === undefined ? "" : `: ${reason}`}`;
}

async function compareDigests(
  recorded: ActivationRecord,
  skill: Skill,
  present: PresentSkills,
): Promise<Comparison> {
  const digest = digestBytes(await present.reader.readSkillFile(skill));
  if (digest !== recorded.digest)
    return { code: "run-body-changed", reason: `has another SKILL.md: ${change(recorded.digest, digest)}` };
  const index = await present.reader.indexResources(skill);
  const { treeDigest } = index;
  if (recorded.treeDigest === undefined)
    return { code: "run-skill-unverified", reason: "was recorded without a digest of its files" };
  if (treeDigest === undefined)
    return { code: "run-skill-unverified", reason: "has files that cannot be read whole now" };
  if (treeDigest === recorded.treeDigest)
    return { code: "run-unchanged", reason: "is what it was, file for file" };
  const reason = `has other files beside SKILL.md: ${change(recorded.treeDigest, treeDigest)}`;
  return { code: "run-resource-changed", reason, index };
}

async function findElsewhere(recorded: ActivationRecord, present: PresentSkills): Promise<Comparison> {
  const { name } = recorded;
  const rank = (skill: Skill): number =>
    skill.state === "enabled" ? (skill.qualifiedName === name ? 0 : 1) : 2;
  const candidates = present.snapshot.skills
    .filter(({ digest }) => digest === recorded.digest)
    .sort((left, right) => rank(left) - rank(right))
    .slice(0, MAX_CANDIDATES);
  for (const skill of candidates) {
    if (!(await isSame(recorded, skill, present))) continue;
    const obstacle = withheldBecause(skill, recorded);
    if (obstacle !== undefined) return { code: "run-skill-withheld", reason: obstacle, skill };
    return { code: "run-root-moved", reason: `lies in ${skill.path} now, the same file for file`, skill };
  }
  const namesake = present.snapshot.skills.find(({ qualifiedName }) => qualifiedName === name);
  const reason =
    namesake === undefined
      ? "was removed, or no longer loads"
      : `was removed, or no longer loads; the name now belongs to ${namesake.path}, which differs`;
  return { code: "run-skill-gone", reason };
}

async function isSame(recorded: ActivationRecord, skill: Skill, present: PresentSkills): Promise<boolean> {
  try {
    return (await compareDigests(recorded, skill, present)).code === "run-unchanged";
  } catch (error) {
    if (SkilletError.isInstance(error)) return false;
    throw error;
  }
}

function change(before: Digest, after: Digest): string {
  const show = (digest: Digest): string => digest.slice(0, "sha256:".length + 12);
  return `${show(before)} is now ${show(after)}`;
}
