import type { Ask, SecretRequest } from "../ask.ts";
import type { MissingRequirement, Skill } from "../registry/skill.ts";
import { askPerson } from "./ask-person.ts";
import { isSatisfied, missingDependencies } from "./dependencies/missing-dependencies.ts";
import { redactSecrets } from "./redact-secrets.ts";
import type { DependencyAnswer } from "./session.ts";

/** Values of variables by the qualified name of the skill that they are for. */
export type GivenSecrets = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Values that a person or the host gave for skills; they leave this object only for scripts of the very skills they are for. */
export class SessionSecrets {
  readonly #values = new SkillVariables();
  readonly #answered = new SkillVariables();

  /** @param given What the host has for skills already, by qualified name and variable. */
  constructor(given: GivenSecrets = {}) {
    for (const [qualifiedName, values] of Object.entries(given))
      for (const name of Object.keys(values)) {
        const value = givenValue(name, values);
        if (value === "") continue;
        this.#answered.set({ qualifiedName }, name, "");
        this.#values.set({ qualifiedName }, name, value);
      }
  }

  /** Whether the values that were given for a skill are all that it lacks. */
  satisfies(skill: Skill): boolean {
    return isSatisfied(skill, (name) => this.#values.get(skill, name) !== undefined);
  }

  /**
   * Asks once for everything that the skills lack; what was answered for a skill is not asked for again.
   *
   * A value is for the skills that its question names: another one that wants a variable of that name is asked about.
   *
   * @param request.optional Also asks for variables that the skills can do without when nothing else is missing.
   */
  async askFor(
    skills: readonly Skill[],
    request: { readonly ask: Ask | undefined; readonly optional: boolean },
  ): Promise<DependencyAnswer> {
    const { ask, optional } = request;
    const isAnswered = (skill: Skill, name: string): boolean => this.#answered.get(skill, name) !== undefined;
    const { secrets, wanted, skills: lacking } = missingDependencies(skills, isAnswered, { optional });
    if (secrets.length > 0 && ask !== undefined) {
      const answer = await askPerson(ask, {
        kind: "dependencies",
        skill: lacking.map(({ qualifiedName }) => qualifiedName).join(", "),
        reason: describe(secrets),
        choices: ["provide", "skip"],
        secrets,
      });
      for (const { skill, name } of answer === undefined ? [] : wanted) {
        const value = answer?.choice === "provide" ? givenValue(name, answer.secrets) : "";
        this.#answered.set(skill, name, "");
        if (value !== "") this.#values.set(skill, name, value);
      }
    }
    return { provided: this.#provided(skills), missing: this.#stillMissing(skills) };
  }

  /** The values for one skill: those that were given for it, of the variables that it asks for itself. */
  valuesFor(skill: Skill): Readonly<Record<string, string>> {
    const values: Record<string, string> = Object.create(null);
    for (const { name } of skill.manifest.gating.env) {
      const value = this.#values.get(skill, name);
      if (value !== undefined) values[name] = value;
    }
    return values;
  }

  /** A text for a record, with a mark in place of every value that was given, for whichever skill. */
  redact(text: string): string {
    return this.#values.all().reduce((left, values) => redactSecrets(values)(left), text);
  }

  #provided(skills: readonly Skill[]): readonly string[] {
    return [...new Set(skills.flatMap((skill) => Object.keys(this.valuesFor(skill))))];
  }

  #stillMissing(skills: readonly Skill[]): readonly MissingRequirement[] {
    const isGiven = (skill: Skill, name: string): boolean => this.#values.get(skill, name) !== undefined;
    const { secrets, others } = missingDependencies(skills, isGiven, { optional: false });
    const names = secrets.filter(({ optional }) => optional !== true).map(({ name }) => name);
    if (names.length === 0) return others;
    return [
      ...others,
      { kind: "environment", names, message: `missing environment variables: ${names.join(", ")}` },
    ];
  }
}

/** Something about the variables of skills, each skill by its qualified name. */
class SkillVariables {
  readonly #values = new Map<string, Map<string, string>>();

  get({ qualifiedName }: Pick<Skill, "qualifiedName">, variable: string): string | undefined {
    return this.#values.get(qualifiedName)?.get(variable);
  }

  all(): readonly Readonly<Record<string, string>>[] {
    return Array.from(this.#values.values(), (values) => Object.fromEntries(values));
  }

  set({ qualifiedName }: Pick<Skill, "qualifiedName">, variable: string, value: string): void {
    const ofSkill = this.#values.get(qualifiedName) ?? new Map<string, string>();
    this.#values.set(qualifiedName, ofSkill.set(variable, value));
  }
}

function givenValue(name: string, given: Readonly<Record<string, string>> | undefined): string {
  const value: unknown = given !== undefined && Object.hasOwn(given, name) ? given[name] : undefined;
  return typeof value === "string" ? value : "";
}

function describe(secrets: readonly SecretRequest[]): string {
  const namesOf = (isOptional: boolean): string =>
    secrets
      .filter(({ optional }) => (optional === true) === isOptional)
      .map(({ name }) => name)
      .join(", ");
  const [needed, optional] = [namesOf(false), namesOf(true)];
  return [needed && `Needed: ${needed}.`, optional && `Optional: ${optional}.`].filter(Boolean).join(" ");
}
