import type { ResourceIndex } from "../registry/resource.ts";
import type { Skill } from "../registry/skill.ts";
import type { SkillReader } from "./skill-reader.ts";

/** The files of skills as they were when they were last loaded; what is read later is compared with that. */
export class FrozenSkills {
  readonly #reader: SkillReader;
  readonly #indexes = new Map<string, ResourceIndex>();

  constructor(reader: SkillReader) {
    this.#reader = reader;
  }

  /** By qualified name. */
  get indexes(): ReadonlyMap<string, ResourceIndex> {
    return this.#indexes;
  }

  /** Digests the files of a skill anew, as every activation does. */
  async renew(skill: Skill): Promise<ResourceIndex> {
    const index = await this.#reader.indexResources(skill);
    this.#indexes.set(skill.qualifiedName, index);
    return index;
  }

  /** What is known, or else digested now. */
  async get(skill: Skill): Promise<ResourceIndex> {
    return this.#indexes.get(skill.qualifiedName) ?? this.renew(skill);
  }
}
