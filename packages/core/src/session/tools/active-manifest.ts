import { digestBytes } from "@skillet/kit/digest";
import type { Manifest } from "../../format/manifest.ts";
import { parseSkillBytes } from "../../format/parse-skill-bytes.ts";
import type { ResourceIndex } from "../../registry/resource.ts";
import type { Skill } from "../../registry/skill.ts";
import type { SkillReader } from "../skill-reader.ts";

/**
 * The header that belongs to the files of an active skill, or undefined when it is no longer to be had.
 *
 * A skill that changed since the snapshot may be active with what it says now, where the session reports drift instead
 * of refusing it; a header of one state must not name the tools of another.
 */
export async function activeManifest(
  skill: Skill,
  index: ResourceIndex,
  reader: SkillReader,
): Promise<Manifest | undefined> {
  if (index.skillDigest === skill.digest) return skill.manifest;
  const bytes = await reader.readSkillFile(skill);
  if (digestBytes(bytes) !== (index.skillDigest ?? skill.digest)) return undefined;
  const { path: file, directoryName } = skill;
  return parseSkillBytes(bytes, { mode: "lenient", file, directoryName }).manifest;
}
