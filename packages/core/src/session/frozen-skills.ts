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

  /** Digests the files of a skill anew, as every activation does; kept only once it is let. */
  look(skill: Skill): Promise<ResourceIndex> {
    return this.#reader.indexResources(skill);
  }

  /** From now on, what is read is compared with this. */
  keep(skill: Skill, index: ResourceIndex): void {
    this.#indexes.set(skill.qualifiedName, index);
  }

  /** What is known, or else digested now. */
  async get(skill: Skill): Promise<ResourceIndex> {
    const known = this.#indexes.get(skill.qualifiedName);
    if (known !== undefined) return known;
    const index = await this.look(skill);
    this.keep(skill, index);
    return index;
  }
}
