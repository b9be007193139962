import type { Diagnostic } from "@skillet/kit/diagnostics";
import { type Digest, digestBytes } from "@skillet/kit/digest";
import { SkilletError } from "@skillet/kit/errors";
import { showName } from "@skillet/kit/text";
import { type Ask, askPerson } from "../ask.ts";
import { contentDigest } from "../registry/content-digest.ts";
import type { ResourceIndex } from "../registry/resource.ts";
import type { Skill } from "../registry/skill.ts";
import type { FrozenContent, SkillToVet, SkillVetter, Vetting } from "../vetting/skill-vetter.ts";
import type { SkillReader } from "./skill-reader.ts";

interface SessionVettingParts {
  readonly vetter: SkillVetter | undefined;
  readonly reader: SkillReader;
  /** Absent where nobody is there to be asked. */
  readonly ask: Ask | undefined;
}

export class SessionVetting {
  readonly #parts: SessionVettingParts;
  readonly #known = new Map<Skill, Vetting>();

  constructor(parts: SessionVettingParts) {
    this.#parts = parts;
  }

  /** For the record: which rules judged, or that none did. */
  get ruleSet(): string {
    return this.#parts.vetter?.ruleSet ?? "not scanned";
  }

  async vetAll(skills: readonly Skill[], options: { readonly signal?: AbortSignal } = {}): Promise<void> {
    const { vetter } = this.#parts;
    if (vetter === undefined) return;
    const judged = skills.filter((skill) => needsVetting(skill) && COULD_BE_USED.has(skill.state));
    if (judged.length === 0) return;
    const answers = await vetter.vet(
      judged.map((skill) => this.#toVet(skill)),
      { ...this.#ask(), ...options },
    );
    for (const [index, skill] of judged.entries()) this.#known.set(skill, answers[index] ?? UNANSWERED);
  }

  /** Why a skill is not to be had, or undefined when the vetter has nothing against it. */
  withheld(skill: Skill): string | undefined {
    const known = this.#known.get(skill);
    return known?.outcome === "withhold" ? (known.reason ?? "it was not vetted") : undefined;
  }

  of(skill: Skill): Vetting | undefined {
    return this.#known.get(skill);
  }

  judges(skill: Skill): boolean {
    return this.#parts.vetter !== undefined && needsVetting(skill);
  }

  /** Whether exactly this tree was judged and found fit; always, where nothing is judged. */
  covers(skill: Skill, treeDigest: Digest | undefined): boolean {
    if (!this.judges(skill)) return true;
    const known = this.#known.get(skill);
    return (
      known?.outcome === "allow" && known.digest !== undefined && known.digest === treeOnly(skill, treeDigest)
    );
  }

  /**
   * Judges what is about to be shown, where that is not what was judged before; throws when it may not be.
   *
   * `digest` is that of SKILL.md as it was read; it counts where SKILL.md is a link, of which a tree knows only where it
   * leads.
   */
  async check(skill: Skill, index: ResourceIndex, digest?: Digest): Promise<readonly Diagnostic[]> {
    const { vetter } = this.#parts;
    if (vetter === undefined || !needsVetting(skill)) return [];
    const frozen = await this.#freeze(skill, index, digest);
    const known = this.#known.get(skill);
    const isKnown = known !== undefined && frozen.digest !== undefined && known.digest === frozen.digest;
    const vetting = isKnown ? known : await this.#vetFrozen(vetter, skill, frozen);
    if (vetting.outcome === "allow") return vetting.diagnostics;
    throw new SkilletError(
      "skill-not-offered",
      `${showName(skill.qualifiedName)} cannot be used: ${vetting.reason ?? "it was not vetted"}.`,
      { data: { skill: skill.qualifiedName, verdict: vetting.verdict } },
    );
  }

  // Of what lies beyond the tree an index knows nothing, and of a tree that has no digest not everything: whoever judges
  // it reads it again, and it must be what was frozen here.
  async #freeze(skill: Skill, index: ResourceIndex, digest: Digest | undefined): Promise<FrozenContent> {
    const { treeDigest, readDigest, skillDigest, hasBeyond } = index;
    const isLink = skillDigest === undefined;
    const shown =
      digest ?? (isLink ? digestBytes(await this.#parts.reader.readSkillFile(skill)) : skillDigest);
    const whole = hasBeyond
      ? undefined
      : contentDigest({ kind: skill.kind, treeDigest, linkedSkill: isLink ? shown : undefined });
    return { ...(whole !== undefined && { digest: whole }), read: readDigest, skill: shown };
  }

  async #vetFrozen(vetter: SkillVetter, skill: Skill, frozen: FrozenContent): Promise<Vetting> {
    const toVet = { ...this.#toVet(skill), frozen };
    const [vetting = UNANSWERED] = await vetter.vet([toVet], this.#ask());
    this.#known.set(skill, vetting);
    return vetting;
  }

  #toVet(skill: Skill): SkillToVet {
    const { reader } = this.#parts;
    const { qualifiedName: name, scope, path, digest: shown } = skill;
    return {
      name,
      scope,
      path,
      shown,
      stamp: () => reader.stamp(skill),
      read: (bounds) => reader.readContent(skill, bounds),
    };
  }

  #ask(): { readonly ask?: Ask } {
    const { ask } = this.#parts;
    return ask === undefined ? {} : { ask: (question) => askPerson(ask, question) };
  }
}

function treeOnly({ kind }: Skill, treeDigest: Digest | undefined): Digest | undefined {
  return contentDigest({ kind, treeDigest });
}

// Those that ship with Skillet are part of it.
function needsVetting({ origin }: Skill): boolean {
  return origin !== "builtin";
}

// A shadowed one can be had by its full name, an unavailable one once its variables are given.
const COULD_BE_USED: ReadonlySet<Skill["state"]> = new Set(["enabled", "shadowed", "unavailable"]);

// A vetter that leaves somebody out has not allowed them.
const UNANSWERED: Vetting = {
  outcome: "withhold",
  verdict: "unknown",
  reason: "the scan gave no answer",
  diagnostics: [],
};
