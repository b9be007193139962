import { cutPath, fitsPaths } from "@skillet/kit/glob";
import type { Skill } from "../../registry/skill.ts";
import type { SkillIndex } from "../index/skill-index.ts";
import type { SelectContext } from "../selector.ts";
import { PRIOR_WEIGHTS } from "./weights.ts";

/** Something that speaks for or against a skill besides the message. */
export interface Prior {
  readonly score: number;
  readonly reason: string;
}

const DAY_MS = 86_400_000;
const HALF_LIFE_DAYS = 7;
const MAX_IGNORED = 4;

/** What the context says about a skill; a number that is none says nothing, because it would make every score none. */
export function priorsOf(
  skill: Skill,
  context: Pick<SelectContext, "recentUse" | "ignored" | "vector"> & {
    readonly vectorOf?: ((skill: Skill) => Float32Array | undefined) | undefined;
    readonly pathFit: PathFit;
  },
): readonly Prior[] {
  const priors: Prior[] = [];
  const uses = recentUses(skill, context);
  if (uses > 0)
    priors.push({ score: PRIOR_WEIGHTS.recentUse * (1 - 1 / (1 + uses)), reason: "used recently" });
  if (context.pathFit === "named")
    priors.push({ score: PRIOR_WEIGHTS.namedPath, reason: "a file of the message fits its paths" });
  else if (context.pathFit === "at-hand")
    priors.push({ score: PRIOR_WEIGHTS.path, reason: "files at hand fit its paths" });
  const ignored = Math.min(MAX_IGNORED, context.ignored?.get(skill.qualifiedName) ?? 0);
  if (ignored > 0)
    priors.push({ score: PRIOR_WEIGHTS.ignored * ignored, reason: "offered and ignored before" });
  const vector = context.vector === undefined ? undefined : context.vectorOf?.(skill);
  if (vector !== undefined && context.vector !== undefined) {
    // Vectors of unit length are never nearer than 1.
    const near = Math.min(1, dot(vector, context.vector));
    if (near > 0) priors.push({ score: PRIOR_WEIGHTS.embedding * near, reason: "near in meaning" });
  }
  return priors;
}

/** How often a skill was used, fading by half every week since it last was. */
function recentUses({ qualifiedName }: Skill, { recentUse }: Pick<SelectContext, "recentUse">): number {
  const use = recentUse?.uses.get(qualifiedName);
  if (recentUse === undefined || use === undefined) return 0;
  const days = Math.max(0, recentUse.now - use.lastUsedAt) / DAY_MS;
  const uses = (use.count ?? 1) * 0.5 ** (days / HALF_LIFE_DAYS);
  return Number.isFinite(uses) ? uses : 0;
}

function dot(left: Float32Array, right: Float32Array): number {
  const length = Math.min(left.length, right.length);
  let sum = 0;
  for (let index = 0; index < length; index += 1) sum += (left[index] as number) * (right[index] as number);
  return sum;
}

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

/** Whether a skill that is bound to paths is in play: by a file of the message, by one at hand, or not at all. */
type PathFit = "unbound" | "named" | "at-hand" | "none";

/** So many files at hand are compared with the paths of a skill; beyond them a message would wait for it. */
const MAX_FILES = 200;

/** Compares skills with the files of one message and with those at hand; each skill once. */
export class PathFits {
  readonly #named: readonly (readonly string[])[];
  readonly #atHand: readonly (readonly string[])[];
  readonly #known = new Map<Skill, PathFit>();

  constructor(files: { readonly named: readonly string[]; readonly atHand: readonly string[] }) {
    this.#named = files.named.slice(0, MAX_FILES).map(cutPath);
    this.#atHand = files.atHand.slice(0, MAX_FILES).map(cutPath);
  }

  of(skill: Skill): PathFit {
    const { paths } = skill.manifest.invocation;
    if (paths.length === 0) return "unbound";
    const known = this.#known.get(skill);
    if (known !== undefined) return known;
    const fits = (files: readonly (readonly string[])[]): boolean =>
      files.length > 0 && fitsPaths(paths, files) === true;
    const fit = fits(this.#named) ? "named" : fits(this.#atHand) ? "at-hand" : "none";
    this.#known.set(skill, fit);
    return fit;
  }
}
