import type { SecretRequest } from "../../ask.ts";
import type { MissingRequirement, Skill } from "../../registry/skill.ts";

/** What a set of skills lacks, as one question. */
export interface MissingDependencies {
  /** The skills that lack something, or could do with something. */
  readonly skills: readonly Skill[];
  /** Which of them wants which environment variable. */
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
export function missingDependencies(
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

/** Whether values for its environment variables are all that a skill lacks, and all of them are given. */
export function isSatisfied(skill: Skill, isGiven: (variable: string) => boolean): boolean {
  return (
    skill.state === "unavailable" &&
    skill.missing.every(({ kind }) => kind === "environment") &&
    missingVariables(skill).every(isGiven)
  );
}

/** Whether values for variables are all that a skill lacks. */
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
