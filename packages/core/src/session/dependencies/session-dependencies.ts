import type { Ask } from "../../ask.ts";
import type { Skill } from "../../registry/skill.ts";
import type { Snapshot } from "../../registry/snapshot.ts";
import { findNamed } from "../find-named.ts";
import type { DependencyAnswer } from "../session.ts";
import type { SessionGate } from "../session-gate.ts";
import type { SessionSecrets } from "../session-secrets.ts";

/** What the values of a session are asked for and given out with. */
export interface SessionDependenciesParts {
  readonly snapshot: Snapshot;
  readonly gate: SessionGate;
  readonly secrets: SessionSecrets;
  /** Absent where nobody is there. */
  readonly ask: Ask | undefined;
  /** Whether a skill is loaded. */
  isActive(skill: Skill): boolean;
}

/** The values that skills of a session lack: for which of them somebody is asked, and which of them get theirs. */
export class SessionDependencies {
  readonly #parts: SessionDependenciesParts;

  constructor(parts: SessionDependenciesParts) {
    this.#parts = parts;
  }

  async askFor(names: readonly string[] | undefined): Promise<DependencyAnswer> {
    const { snapshot, gate, secrets, ask } = this.#parts;
    const wanted = names && new Set(names);
    const skills = snapshot.skills.filter(
      (skill) =>
        gate.passesOn(skill) &&
        (skill.state === "enabled" || skill.state === "unavailable"
          ? wanted === undefined || wanted.has(skill.qualifiedName) || wanted.has(skill.name)
          : // By its full name it can be had, and leaves no doubt.
            skill.state === "shadowed" && wanted?.has(skill.qualifiedName) === true),
    );
    // Whoever names skills is about to use them: then what they can do without is worth a question, too.
    return secrets.askFor(skills, { ask, optional: names !== undefined });
  }

  valuesFor(name: string): Readonly<Record<string, string>> {
    const { snapshot, gate, secrets, isActive } = this.#parts;
    const own = snapshot.skills.filter(
      (skill) =>
        gate.passesOn(skill) &&
        (isActive(skill) ||
          SOURCES.some((source) => gate.hiddenFrom(skill, source, { byFullName: true }) === undefined)),
    );
    const skill = findNamed(name, own, snapshot);
    return skill === undefined ? {} : secrets.valuesFor(skill);
  }
}

const SOURCES = ["model", "user", "parent"] as const;
