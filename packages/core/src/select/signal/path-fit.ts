import { cutPath, fitsPaths } from "@skillet/kit/glob";
import type { Skill } from "../../registry/skill.ts";

/** Whether a skill that is bound to paths is in play: by a file of the message, by one at hand, or not at all. */
export type PathFit = "unbound" | "named" | "at-hand" | "none";

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
