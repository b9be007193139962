import type { Manifest } from "../format/manifest.ts";
import type { Skill } from "../registry/skill.ts";

/** The same skill with the header that it has now, for decisions that must not be made on an older one. */
export function withManifest(skill: Skill, manifest: Manifest): Skill {
  return Object.create(skill, { manifest: { value: manifest, enumerable: true } }) as Skill;
}
