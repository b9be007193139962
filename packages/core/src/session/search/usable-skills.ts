import { rankSkills } from "../../catalog/rank-skills.ts";
import type { HiddenSkill } from "../../catalog/visible-skills.ts";
import type { Skill } from "../../registry/skill.ts";
import type { Snapshot } from "../../registry/snapshot.ts";
import type { SessionGate } from "../session-gate.ts";

/** No catalogue under a budget lists more. */
const MAX_USUAL = 200;

/**
 * The skills that a session's model may load, found out once: a catalogue for every turn must not ask the rules about a
 * hundred thousand skills again.
 *
 * Only values that somebody gives let more be used, and then `forget` is called. What may be used no longer is found out
 * where a skill is named, listed or loaded.
 */
export class UsableSkills {
  readonly #snapshot: Snapshot;
  readonly #gate: SessionGate;
  #found: Found | undefined;

  constructor(snapshot: Snapshot, gate: SessionGate) {
    this.#snapshot = snapshot;
    this.#gate = gate;
  }

  get skills(): readonly Skill[] {
    return this.#find().skills;
  }

  get hidden(): readonly HiddenSkill[] {
    return this.#find().hidden;
  }

  /** Those with a qualified name, or else with a name, as preferences write them. */
  named(name: string): readonly Skill[] {
    const { byQualifiedName, byName } = this.#find();
    const exact = byQualifiedName.get(name);
    return exact === undefined ? (byName.get(name) ?? []) : [exact];
  }

  /** Where each stands in the snapshot. */
  get places(): ReadonlyMap<Skill, number> {
    const found = this.#find();
    found.places ??= new Map(found.skills.map((skill, place) => [skill, place]));
    return found.places;
  }

  /** Those that come first where nothing else tells skills apart; not all of them. */
  get usual(): readonly Skill[] {
    const found = this.#find();
    found.usual ??= rankSkills(found.skills)
      .slice(0, MAX_USUAL)
      .flatMap((index) => found.skills[index] ?? []);
    return found.usual;
  }

  has(skill: Skill): boolean {
    return this.#find().byQualifiedName.get(skill.qualifiedName) === skill;
  }

  isUsable(skill: Skill): boolean {
    return this.#gate.hiddenFrom(skill, "model") === undefined;
  }

  forget(): void {
    this.#found = undefined;
  }

  #find(): Found {
    this.#found ??= findUsable(this.#snapshot, this.#gate);
    return this.#found;
  }
}

interface Found {
  readonly skills: readonly Skill[];
  readonly hidden: readonly HiddenSkill[];
  readonly byQualifiedName: ReadonlyMap<string, Skill>;
  readonly byName: ReadonlyMap<string, readonly Skill[]>;
  /** Both are found out when they are first asked for. */
  places?: ReadonlyMap<Skill, number>;
  usual?: readonly Skill[];
}

function findUsable(snapshot: Snapshot, gate: SessionGate): Found {
  const skills: Skill[] = [];
  const hidden: HiddenSkill[] = [];
  const byName = new Map<string, Skill[]>();
  for (const skill of snapshot.skills) {
    const reasons = gate.describeHidden(skill);
    if (reasons.length > 0) {
      hidden.push(...reasons);
      continue;
    }
    skills.push(skill);
    const same = byName.get(skill.name);
    if (same === undefined) byName.set(skill.name, [skill]);
    else same.push(skill);
  }
  const byQualifiedName = new Map(skills.map((skill) => [skill.qualifiedName, skill]));
  return { skills, hidden, byQualifiedName, byName };
}
