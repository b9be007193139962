import type { Ask } from "../ask.ts";
import type { MissingRequirement, Skill } from "../registry/skill.ts";
import { askPerson } from "./ask-person.ts";
import { isSatisfied, missingDependencies } from "./dependencies/missing-dependencies.ts";
import type { DependencyAnswer } from "./session.ts";

/** Values that a person gave for skills; they leave this object only for scripts. */
export class SessionSecrets {
  readonly #values = new Map<string, string>();
  readonly #answered = new Set<string>();

  /** Whether the values that were given are all that a skill lacks. */
  satisfies(skill: Skill): boolean {
    return isSatisfied(skill, (name) => this.#values.has(name));
  }

  /** Asks once for everything that the skills lack; what was answered before is not asked for again. */
  async askFor(skills: readonly Skill[], ask: Ask | undefined): Promise<DependencyAnswer> {
    const { secrets, skills: lacking } = missingDependencies(skills, (name) => this.#answered.has(name));
    if (secrets.length > 0 && ask !== undefined) {
      const answer = await askPerson(ask, {
        kind: "dependencies",
        skill: lacking.map(({ qualifiedName }) => qualifiedName).join(", "),
        reason: `Needed: ${secrets.map(({ name }) => name).join(", ")}.`,
        choices: ["provide", "skip"],
        secrets,
      });
      for (const { name } of answer === undefined ? [] : secrets) {
        this.#answered.add(name);
        if (answer?.choice === "provide") this.#keep(name, answer.secrets);
      }
    }
    return { provided: [...this.#values.keys()], missing: this.#stillMissing(skills) };
  }

  /** The values for one skill: only the variables that it asks for itself. */
  valuesFor(skill: Skill): Readonly<Record<string, string>> {
    const values: Record<string, string> = Object.create(null);
    for (const { name } of skill.manifest.gating.env) {
      const value = this.#values.get(name);
      if (value !== undefined) values[name] = value;
    }
    return values;
  }

  #keep(name: string, given: Readonly<Record<string, string>> | undefined): void {
    const value: unknown = given !== undefined && Object.hasOwn(given, name) ? given[name] : undefined;
    if (typeof value === "string" && value !== "") this.#values.set(name, value);
  }

  #stillMissing(skills: readonly Skill[]): readonly MissingRequirement[] {
    const { secrets, others } = missingDependencies(skills, (name) => this.#values.has(name));
    if (secrets.length === 0) return others;
    const names = secrets.map(({ name }) => name);
    return [
      ...others,
      { kind: "environment", names, message: `missing environment variables: ${names.join(", ")}` },
    ];
  }
}
