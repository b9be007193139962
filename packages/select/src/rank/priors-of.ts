import { cutPath, fitsPaths } from "@skillet/kit/glob";
import type { SelectableSkill } from "../selectable-skill.ts";
import type { SelectContext } from "../selector.ts";
import { PRIOR_WEIGHTS } from "./weights.ts";

export interface Prior {
  readonly score: number;
  readonly reason: string;
}

const DAY_MS = 86_400_000;
const HALF_LIFE_DAYS = 7;
const MAX_IGNORED = 4;

/** The evidence of the context about a skill; a value that is not a number is ignored, because it would spoil every score. */
export function priorsOf(
  skill: SelectableSkill,
  context: Pick<SelectContext, "recentUse" | "ignored" | "vector"> & {
    readonly vectorOf?: ((skill: SelectableSkill) => Float32Array | undefined) | undefined;
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
function recentUses(
  { qualifiedName }: SelectableSkill,
  { recentUse }: Pick<SelectContext, "recentUse">,
): number {
  const use = recentUse?.uses.get(qualifiedName);
  if (recentUse === undefined || use === undefined) return 0;
  const days = Math.max(0, recentUse.now - use.lastUsedAt) / DAY_MS;
  const uses = (use.count ?? 1) * 0.5 ** (days / HALF_LIFE_DAYS);
  return Number.isFinite(uses) ? uses : 0;
}

function dot(left: Float32Array, right: Float32Array): number {
  return left.reduce((sum, value, index) => sum + value * (right[index] ?? 0), 0);
}

/** Whether a skill that is bound to paths is in play: by a file of the message, by one at hand, or not at all. */
export type PathFit = "unbound" | "named" | "at-hand" | "none";

/** So many files at hand are compared with the paths of a skill; beyond them a message would wait for it. */
const MAX_FILES = 200;

/** Compares skills with the files of one message and with those at hand; each skill once. */
export function createPathFit(files: {
  readonly named: readonly string[];
  readonly atHand: readonly string[];
}): (skill: SelectableSkill) => PathFit {
  const [named, atHand] = [files.named, files.atHand].map((some) => some.slice(0, MAX_FILES).map(cutPath));
  const known = new Map<SelectableSkill, PathFit>();
  return (skill) => {
    const { paths } = skill.manifest.invocation;
    if (paths.length === 0) return "unbound";
    const fits = (some: readonly (readonly string[])[] = []): boolean =>
      some.length > 0 && fitsPaths(paths, some) === true;
    const fit = known.get(skill) ?? (fits(named) ? "named" : fits(atHand) ? "at-hand" : "none");
    known.set(skill, fit);
    return fit;
  };
}
