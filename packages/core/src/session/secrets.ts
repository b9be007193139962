import { askPerson, type SecretRequest } from "../ask.ts";
import type { MissingRequirement, Skill } from "../registry/skill.ts";
import { isActive } from "./active-skills.ts";
import { redactSecrets } from "./redact-secrets.ts";
import type { DependencyAnswer } from "./session.ts";
import { findNamed, hiddenFrom, isPassedOn } from "./skill-access.ts";
import type { SessionState } from "./state.ts";

export type GivenSecrets = Readonly<Record<string, Readonly<Record<string, string>>>>;

type Named = Pick<Skill, "qualifiedName">;

/** Values that a person or the host gave for skills; they leave this object only for scripts of the very skills they are for. */
export class SkillSecrets {
  readonly #values = new Map<string, Map<string, string>>();
  readonly #answered = new Set<string>();

  /** @param given What the host has for skills already, by qualified name and variable. */
  constructor(given: GivenSecrets = {}) {
    for (const [qualifiedName, values] of Object.entries(given))
      for (const variable of Object.keys(values)) {
        const value = givenValue(variable, values);
        if (value !== "") this.answer({ qualifiedName }, variable, value);
      }
  }

  has({ qualifiedName }: Named, variable: string): boolean {
    return this.#values.get(qualifiedName)?.has(variable) === true;
  }

  isAnswered({ qualifiedName }: Named, variable: string): boolean {
    return this.#answered.has(JSON.stringify([qualifiedName, variable]));
  }

  /** Notes an answer about a variable; an empty value is one that was not given. */
  answer({ qualifiedName }: Named, variable: string, value: string): void {
    this.#answered.add(JSON.stringify([qualifiedName, variable]));
    if (value === "") return;
    const values = this.#values.get(qualifiedName) ?? new Map<string, string>();
    this.#values.set(qualifiedName, values.set(variable, value));
  }

  /** Whether the skill lacks nothing but variables, and all of them were given for it. */
  satisfy(skill: Skill): boolean {
    return couldBeSatisfied(skill) && missingVariables(skill).every((name) => this.has(skill, name));
  }

  /** The values for one skill: those that were given for it, of the variables that it asks for itself. */
  valuesFor(skill: Skill): Readonly<Record<string, string>> {
    const values: Record<string, string> = Object.create(null);
    for (const { name } of skill.manifest.gating.env) {
      const value = this.#values.get(skill.qualifiedName)?.get(name);
      if (value !== undefined) values[name] = value;
    }
    return values;
  }

  redact(text: string): string {
    let left = text;
    for (const values of this.#values.values()) left = redactSecrets(Object.fromEntries(values))(left);
    return left;
  }
}

function givenValue(name: string, given: Readonly<Record<string, string>> | undefined): string {
  const value: unknown = given !== undefined && Object.hasOwn(given, name) ? given[name] : undefined;
  return typeof value === "string" ? value : "";
}

export function couldBeSatisfied({ state, missing }: Skill): boolean {
  return state === "unavailable" && missing.every(({ kind }) => kind === "environment");
}

function missingVariables({ missing }: Skill): string[] {
  return missing.filter(({ kind }) => kind === "environment").flatMap(({ names }) => names);
}

/**
 * Asks once for everything that skills lack; what was answered for a skill is not asked for again.
 *
 * A value is for the skills that its question names: another one that wants a variable of that name is asked about.
 */
export async function askForDependencies(
  session: SessionState,
  names: readonly string[] | undefined,
): Promise<DependencyAnswer> {
  const { secrets, interactive, options, snapshot } = session;
  const wanted = names && new Set(names);
  const skills = snapshot.skills.filter(
    (skill) =>
      isPassedOn(session, skill) &&
      (skill.state === "enabled" || skill.state === "unavailable"
        ? wanted === undefined || wanted.has(skill.qualifiedName) || wanted.has(skill.name)
        : // By its full name it can be had, and leaves no doubt.
          skill.state === "shadowed" && wanted?.has(skill.qualifiedName) === true),
  );
  // Whoever names skills is about to use them: then what they can do without is worth a question, too.
  const open = findOpen(skills, (skill, name) => secrets.isAnswered(skill, name), {
    optional: names !== undefined,
  });
  if (open.requests.length > 0 && interactive && options.ask !== undefined) {
    const answer = await askPerson(options.ask, {
      kind: "dependencies",
      skill: open.lacking.map(({ qualifiedName }) => qualifiedName).join(", "),
      reason: describeRequests(open.requests),
      choices: ["provide", "skip"],
      secrets: open.requests,
    });
    for (const { skill, name } of answer === undefined ? [] : open.variables)
      secrets.answer(skill, name, answer?.choice === "provide" ? givenValue(name, answer.secrets) : "");
  }
  return {
    provided: [...new Set(skills.flatMap((skill) => Object.keys(secrets.valuesFor(skill))))],
    missing: stillMissing(secrets, skills),
  };
}

function stillMissing(secrets: SkillSecrets, skills: readonly Skill[]): readonly MissingRequirement[] {
  const isGiven = (skill: Skill, name: string): boolean => secrets.has(skill, name);
  const { requests, others } = findOpen(skills, isGiven, { optional: false });
  const names = requests.filter(({ optional }) => optional !== true).map(({ name }) => name);
  if (names.length === 0) return others;
  const message = `missing environment variables: ${names.join(", ")}`;
  return [...others, { kind: "environment", names, message }];
}

interface OpenDependencies {
  readonly lacking: readonly Skill[];
  readonly variables: readonly { readonly skill: Skill; readonly name: string }[];
  /** The variables, each once, with what the first skill that wants it says about it; optional if it is so for all. */
  readonly requests: readonly SecretRequest[];
  /** Everything else: commands, servers, files, which no answer can bring. */
  readonly others: readonly MissingRequirement[];
}

/**
 * Collects what skills lack that is not known already.
 *
 * @param options.optional Also what they can do without; else that is asked for along with what they cannot.
 */
function findOpen(
  skills: readonly Skill[],
  isKnown: (skill: Skill, variable: string) => boolean,
  options: { readonly optional: boolean },
): OpenDependencies {
  const lacking: Skill[] = [];
  const variables: { skill: Skill; name: string }[] = [];
  const requests = new Map<string, SecretRequest>();
  const others: MissingRequirement[] = [];
  for (const skill of skills) {
    const { env } = skill.manifest.gating;
    const isOpen = (name: string): boolean => !isKnown(skill, name);
    const needed = missingVariables(skill).filter(isOpen);
    const isAsked = options.optional || needed.length > 0;
    const optional = env.filter((one) => isAsked && one.optional === true && isOpen(one.name));
    const rest = skill.missing.filter(({ kind }) => kind !== "environment");
    const names = [...needed, ...optional.map(({ name }) => name)];
    if (names.length === 0 && rest.length === 0) continue;
    lacking.push(skill);
    others.push(...rest);
    for (const name of names) {
      variables.push({ skill, name });
      requests.set(name, mergeRequests(requests.get(name), requestOf(skill, name)));
    }
  }
  return { lacking, variables, requests: [...requests.values()], others };
}

function requestOf({ manifest }: Skill, name: string): SecretRequest {
  const { prompt, help, optional } = manifest.gating.env.find((one) => one.name === name) ?? {};
  return {
    name,
    ...(prompt !== undefined && { prompt }),
    ...(help !== undefined && { help }),
    ...(optional !== undefined && { optional }),
  };
}

function mergeRequests(known: SecretRequest | undefined, request: SecretRequest): SecretRequest {
  if (known === undefined) return request;
  const { optional, ...rest } = known;
  return optional === true && request.optional === true ? known : rest;
}

function describeRequests(requests: readonly SecretRequest[]): string {
  const namesOf = (isOptional: boolean): string =>
    requests
      .filter(({ optional }) => (optional === true) === isOptional)
      .map(({ name }) => name)
      .join(", ");
  const [needed, optional] = [namesOf(false), namesOf(true)];
  return [needed && `Needed: ${needed}.`, optional && `Optional: ${optional}.`].filter(Boolean).join(" ");
}

const SOURCES = ["model", "user", "parent"] as const;

export function secretsFor(session: SessionState, name: string): Readonly<Record<string, string>> {
  const { snapshot, secrets } = session;
  const own = snapshot.skills.filter(
    (skill) =>
      isPassedOn(session, skill) &&
      (isActive(session, skill) ||
        SOURCES.some((source) => hiddenFrom(session, skill, source, { byFullName: true }) === undefined)),
  );
  const skill = findNamed(name, own, snapshot);
  return skill === undefined ? {} : secrets.valuesFor(skill);
}
