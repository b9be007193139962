import type { Skill } from "../../registry/skill.ts";
import type { SkillIndex } from "../index/skill-index.ts";
import type { PathFits } from "./path-fit.ts";

/** So many skills with paths are compared with the files of a message, and so many that fit are looked at besides. */
const MAX_COMPARED = 2_000;
const MAX_FOUND = 50;

interface PlacedSkill {
  readonly place: number;
  readonly skill: number;
}

/** The skills of a library that are bound to paths: a file can call them where no word of a message does. */
export class BoundSkills {
  readonly #index: SkillIndex;
  readonly #skillsAt: (placed: PlacedSkill) => readonly Skill[];
  #bound: readonly (PlacedSkill & { readonly first: Skill })[] | undefined;

  constructor(index: SkillIndex, skillsAt: (placed: PlacedSkill) => readonly Skill[]) {
    this.#index = index;
    this.#skillsAt = skillsAt;
  }

  /** Those whose paths a file fits, in the order of the library. */
  fitting(fits: PathFits): readonly PlacedSkill[] {
    this.#bound ??= this.#find();
    const found: PlacedSkill[] = [];
    for (const { place, skill, first } of this.#bound) {
      if (found.length >= MAX_FOUND) break;
      if (fits.of(first) !== "none") found.push({ place, skill });
    }
    return found;
  }

  #find(): readonly (PlacedSkill & { readonly first: Skill })[] {
    const bound: (PlacedSkill & { readonly first: Skill })[] = [];
    this.#index.parts.forEach(({ segment, alive }, place) => {
      for (let skill = 0; skill < segment.keys.length && bound.length < MAX_COMPARED; skill += 1) {
        if (alive?.[skill] === 0) continue;
        const [first] = this.#skillsAt({ place, skill });
        if (first !== undefined && first.manifest.invocation.paths.length > 0)
          bound.push({ place, skill, first });
      }
    });
    return bound;
  }
}
