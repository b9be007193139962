import type { ContentBounds, SkillContent } from "../registry/read-skill-content.ts";
import type { ResourceIndex } from "../registry/resource.ts";
import type { Skill } from "../registry/skill.ts";
import type { TreeFile } from "../registry/tree-file.ts";
import type { SourceRead, TreeStamp } from "../source/skill-source.ts";

/** How a session reads what a snapshot names; a registry brings one. */
export interface SkillReader {
  /** The bytes of a skill's SKILL.md as they are now. */
  readSkillFile(skill: Skill): Promise<Uint8Array>;
  /** A file of the skill, relative to its folder. */
  readFile(skill: Skill, path: string, options: { readonly maxBytes: number }): Promise<SourceRead>;
  /** Digests every file of the skill. */
  indexResources(skill: Skill): Promise<ResourceIndex>;
  /** Every file of the skill as it is now, in byte order of path; throws `skill-tree-unreadable` where one cannot be had. */
  readTree(skill: Skill, options: { readonly signal?: AbortSignal }): AsyncIterable<TreeFile>;
  /** Everything that the skill holds, as far as it can be had. */
  readContent(skill: Skill, bounds: ContentBounds & { readonly signal?: AbortSignal }): Promise<SkillContent>;
  /** The status of the skill's files, without reading them; undefined where the source cannot tell. */
  stamp(skill: Skill): TreeStamp | undefined;
  /** What is wrong with the trust in the skill's files; undefined when they are trusted, or need not be. */
  findTrustFault(skill: Skill, index: ResourceIndex): Promise<TrustFault | undefined>;
  /** Whether the skill brings files that could be run. */
  hasScripts(skill: Skill): Promise<boolean>;
  /** How the agent's own tools see a file of the skill. */
  toolPath(skill: Skill, path: string): string;
}

/** Files that are not those somebody said yes to: changed since, or no longer trusted at all. */
interface TrustFault {
  readonly kind: "changed" | "untrusted";
  readonly reason: string;
}
