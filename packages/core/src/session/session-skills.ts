import { createAllowList } from "../catalog/visibility/visible-skills.ts";
import type { Skill } from "../registry/skill.ts";
import type { Snapshot } from "../registry/snapshot.ts";
import { resolveSkill } from "./activate/resolve-skill.ts";
import type { ActivationSource } from "./activation-source.ts";
import { findNamed } from "./find-named.ts";
import type { SessionGate } from "./session-gate.ts";

/** The skills that a session has: for whom, and under which names. */
export class SessionSkills {
  readonly #snapshot: Snapshot;
  readonly #gate: SessionGate;

  constructor(snapshot: Snapshot, gate: SessionGate) {
    this.#snapshot = snapshot;
    this.#gate = gate;
  }

  usable(source: ActivationSource): readonly Skill[] {
    return this.#snapshot.skills.filter((skill) => this.#gate.hiddenFrom(skill, source) === undefined);
  }

  /** Those that a person or the model may use. */
  usableByAnyone(): readonly Skill[] {
    return [...new Set([...this.usable("model"), ...this.usable("user")])];
  }

  /** Those that names and patterns of a profile list, for a child. */
  usableOf(listed: readonly string[]): readonly Skill[] {
    const isListed = createAllowList(listed);
    return this.usable("parent").filter(({ qualifiedName }) => isListed(qualifiedName));
  }

  /** The skill that a source may load under a name, or a SkilletError. */
  resolve(name: string, source: ActivationSource): Skill {
    const wanted = name.trim().replace(/^[$/]/, "");
    return resolveSkill(name, {
      snapshot: this.#snapshot,
      source,
      hiddenFrom: (skill) =>
        this.#gate.hiddenFrom(skill, source, {
          byFullName: skill.qualifiedName === wanted || skill.path === wanted,
        }),
      isForUsers: (skill) => this.#gate.isForUsers(skill),
    });
  }

  /** The skill that a host speaks of, which a person or the model may use, or a SkilletError. */
  resolveForAnyone(name: string): Skill {
    return findNamed(name, this.usable("user"), this.#snapshot) ?? this.resolve(name, "model");
  }
}
