import { type Ask, askPerson, type SecretRequest } from "../ask.ts";
import type { MissingRequirement, Skill } from "../registry/skill.ts";
import type { SessionCore } from "./equip-session.ts";
import { redactSecrets } from "./redact-secrets.ts";
import type { DependencyAnswer } from "./session.ts";
import { findNamed } from "./session-skills.ts";

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

/** The values that skills of a session lack: for which of them somebody is asked, and which of them get theirs. */
export class SessionDependencies {
  readonly #core: SessionCore;

  constructor(core: SessionCore) {
    this.#core = core;
  }

  async askFor(names: readonly string[] | undefined): Promise<DependencyAnswer> {
    const { snapshot, gate, secrets, interactive, options } = this.#core;
    const ask = interactive ? options.ask : undefined;
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
    const { snapshot, gate, secrets, activations } = this.#core;
    const own = snapshot.skills.filter(
      (skill) =>
        gate.passesOn(skill) &&
        (activations.isActive(skill) ||
          SOURCES.some((source) => gate.hiddenFrom(skill, source, { byFullName: true }) === undefined)),
    );
    const skill = findNamed(name, own, snapshot);
    return skill === undefined ? {} : secrets.valuesFor(skill);
  }
}

const SOURCES = ["model", "user", "parent"] as const;

interface MissingDependencies {
  readonly skills: readonly Skill[];
  readonly wanted: readonly { readonly skill: Skill; readonly name: string }[];
  /** The variables, each once, with what the first skill that wants it says about it; optional if it is so for all. */
  readonly secrets: readonly SecretRequest[];
  /** Everything else: commands, servers, files, which no answer can bring. */
  readonly others: readonly MissingRequirement[];
}

/**
 * Collects what skills lack that has neither been given nor asked for already.
 *
 * @param options.optional Also what they can do without; else that is asked for along with what they cannot.
 */
function missingDependencies(
  skills: readonly Skill[],
  isKnown: (skill: Skill, variable: string) => boolean,
  options: { readonly optional: boolean },
): MissingDependencies {
  const lacking: Skill[] = [];
  const wanted: { skill: Skill; name: string }[] = [];
  const secrets = new Map<string, SecretRequest>();
  const others: MissingRequirement[] = [];
  for (const skill of skills) {
    const isOpen = (name: string): boolean => !isKnown(skill, name);
    const needed = missingVariables(skill).filter(isOpen);
    const optional = options.optional || needed.length > 0 ? optionalVariables(skill).filter(isOpen) : [];
    const names = [...needed, ...optional];
    const rest = skill.missing.filter(({ kind }) => kind !== "environment");
    if (names.length === 0 && rest.length === 0) continue;
    lacking.push(skill);
    others.push(...rest);
    for (const name of names) {
      wanted.push({ skill, name });
      secrets.set(name, merge(secrets.get(name), requestOf(skill, name)));
    }
  }
  return { skills: lacking, wanted, secrets: [...secrets.values()], others };
}

function isSatisfied(skill: Skill, isGiven: (variable: string) => boolean): boolean {
  return (
    skill.state === "unavailable" &&
    skill.missing.every(({ kind }) => kind === "environment") &&
    missingVariables(skill).every(isGiven)
  );
}

export function couldBeSatisfied(skill: Skill): boolean {
  return isSatisfied(skill, () => true);
}

function missingVariables({ missing }: Skill): string[] {
  return missing.filter(({ kind }) => kind === "environment").flatMap(({ names }) => names);
}

function optionalVariables({ manifest }: Skill): string[] {
  return manifest.gating.env.filter(({ optional }) => optional === true).map(({ name }) => name);
}

function requestOf({ manifest }: Skill, name: string): SecretRequest {
  const found = manifest.gating.env.find((requirement) => requirement.name === name);
  return {
    name,
    ...(found?.prompt !== undefined && { prompt: found.prompt }),
    ...(found?.help !== undefined && { help: found.help }),
    ...(found?.optional !== undefined && { optional: found.optional }),
  };
}

function merge(known: SecretRequest | undefined, request: SecretRequest): SecretRequest {
  if (known === undefined) return request;
  const { optional, ...rest } = known;
  return optional === true && request.optional === true ? known : rest;
}
