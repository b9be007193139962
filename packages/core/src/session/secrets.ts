import { askPerson, type SecretRequest } from "../ask.ts";
import type { MissingRequirement, Skill } from "../registry/skill.ts";
import { redactSecrets } from "./redact-secrets.ts";
import type { DependencyAnswer } from "./session.ts";
import { isPassedOn } from "./skill-access.ts";
import type { SessionState } from "./state.ts";

export type GivenSecrets = Readonly<Record<string, Readonly<Record<string, string>>>>;

type Named = Pick<Skill, "qualifiedName">;

/** Values that were given for skills; they leave this object only for scripts of the very skills they are for. */
export class SkillSecrets {
  /** By qualified name and variable; empty for a variable that was asked for and not given. */
  readonly #answers = new Map<string, Map<string, string>>();

  constructor(given: GivenSecrets = {}) {
    for (const [qualifiedName, values] of Object.entries(given))
      for (const variable of Object.keys(values)) {
        const value = givenValue(variable, values);
        if (value !== "") this.answer({ qualifiedName }, variable, value);
      }
  }

  has(skill: Named, variable: string): boolean {
    return this.#answerFor(skill, variable) !== "" && this.isAnswered(skill, variable);
  }

  isAnswered(skill: Named, variable: string): boolean {
    return this.#answerFor(skill, variable) !== undefined;
  }

  /** An empty value does not replace one that was given before. */
  answer({ qualifiedName }: Named, variable: string, value: string): void {
    const answers = this.#answers.get(qualifiedName) ?? new Map<string, string>();
    if (value !== "" || !answers.has(variable)) answers.set(variable, value);
    this.#answers.set(qualifiedName, answers);
  }

  /** Whether the skill lacks nothing but variables, and all of them were given for it. */
  satisfy(skill: Skill): boolean {
    return couldBeSatisfied(skill) && missingVariables(skill).every((name) => this.has(skill, name));
  }

  /** The values that were given for a skill, of the variables that it declares itself. */
  valuesFor(skill: Skill): Readonly<Record<string, string>> {
    const values: Record<string, string> = Object.create(null);
    for (const { name } of skill.manifest.gating.env)
      if (this.has(skill, name)) values[name] = this.#answerFor(skill, name) ?? "";
    return values;
  }

  redact(text: string): string {
    let left = text;
    for (const answers of this.#answers.values()) left = redactSecrets(Object.fromEntries(answers))(left);
    return left;
  }

  names(): Iterable<string> {
    return this.#answers.keys();
  }

  rename(move: (answers: Map<string, unknown>) => void): void {
    move(this.#answers);
  }

  #answerFor({ qualifiedName }: Named, variable: string): string | undefined {
    return this.#answers.get(qualifiedName)?.get(variable);
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
 * Asks once for everything that skills lack. A value is for the skills that its question names: another one that wants a
 * variable of that name is asked about.
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
        : // Its full name is unambiguous.
          skill.state === "shadowed" && wanted?.has(skill.qualifiedName) === true),
  );
  // Skills that are named are about to be used: then optional variables are worth a question, too.
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
  /** Commands, servers and files, which no answer can provide. */
  readonly others: readonly MissingRequirement[];
}

/**
 * Collects what skills lack that is not known already.
 *
 * @param options.optional Also ask for optional variables of skills that lack nothing else.
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
