import { cutPath, fitsPaths } from "../../catalog/visibility/fits-paths.ts";
import type { Skill } from "../../registry/skill.ts";
import { PRIOR_WEIGHTS } from "../fuse/weights.ts";
import type { SelectContext } from "../selector.ts";

/** Something that speaks for or against a skill besides the message. */
export interface Prior {
  readonly score: number;
  readonly reason: string;
}

const DAY_MS = 86_400_000;
const HALF_LIFE_DAYS = 7;
const MAX_IGNORED = 4;
const MAX_FILES = 50;

/** What the context says about a skill. */
export function priorsOf(
  skill: Skill,
  context: SelectContext & { readonly vectorOf?: ((skill: Skill) => Float32Array | undefined) | undefined },
): readonly Prior[] {
  const priors: Prior[] = [];
  const use = context.recentUse?.uses.get(skill.qualifiedName);
  if (context.recentUse !== undefined && use !== undefined) {
    const days = Math.max(0, context.recentUse.now - use.lastUsedAt) / DAY_MS;
    const uses = (use.count ?? 1) * 0.5 ** (days / HALF_LIFE_DAYS);
    priors.push({ score: PRIOR_WEIGHTS.recentUse * (1 - 1 / (1 + uses)), reason: "used recently" });
  }
  const { paths } = skill.manifest.invocation;
  if (paths.length > 0 && context.files !== undefined) {
    const files = context.files.slice(0, MAX_FILES).map(cutPath);
    if (fitsPaths(paths, files) === true)
      priors.push({ score: PRIOR_WEIGHTS.path, reason: "files at hand fit its paths" });
  }
  const ignored = Math.min(MAX_IGNORED, context.ignored?.get(skill.qualifiedName) ?? 0);
  if (ignored > 0)
    priors.push({ score: PRIOR_WEIGHTS.ignored * ignored, reason: "offered and ignored before" });
  const vector = context.vector === undefined ? undefined : context.vectorOf?.(skill);
  if (vector !== undefined && context.vector !== undefined) {
    const near = dot(vector, context.vector);
    if (near > 0) priors.push({ score: PRIOR_WEIGHTS.embedding * near, reason: "near in meaning" });
  }
  return priors;
}

function dot(left: Float32Array, right: Float32Array): number {
  const length = Math.min(left.length, right.length);
  let sum = 0;
  for (let index = 0; index < length; index += 1) sum += (left[index] as number) * (right[index] as number);
  return sum;
}
