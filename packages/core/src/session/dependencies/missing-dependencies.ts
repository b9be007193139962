import type { SecretRequest } from "../../ask.ts";
import type { MissingRequirement, Skill } from "../../registry/skill.ts";

/** What a set of skills lacks, as one question. */
export interface MissingDependencies {
  /** The skills that lack something. */
  readonly skills: readonly Skill[];
  /** Environment variables, each once, with what the first skill that wants it says about it. */
  readonly secrets: readonly SecretRequest[];
  /** Everything else: commands, servers, files, which no answer can bring. */
  readonly others: readonly MissingRequirement[];
}

/** Collects what skills lack that has neither been given nor asked for already. */
export function missingDependencies(
  skills: readonly Skill[],
  isKnown: (variable: string) => boolean,
): MissingDependencies {
  const lacking: Skill[] = [];
  const secrets = new Map<string, SecretRequest>();
  const others: MissingRequirement[] = [];
  for (const skill of skills) {
    const variables = missingVariables(skill).filter((name) => !isKnown(name));
    const rest = skill.missing.filter(({ kind }) => kind !== "environment");
    if (variables.length === 0 && rest.length === 0) continue;
    lacking.push(skill);
    others.push(...rest);
    for (const name of variables) if (!secrets.has(name)) secrets.set(name, requestOf(skill, name));
  }
  return { skills: lacking, secrets: [...secrets.values()], others };
}

/** Whether values for its environment variables are all that a skill lacks, and all of them are given. */
export function isSatisfied(skill: Skill, isGiven: (variable: string) => boolean): boolean {
  return (
    skill.state === "unavailable" &&
    skill.missing.every(({ kind }) => kind === "environment") &&
    missingVariables(skill).every(isGiven)
  );
}

function missingVariables({ missing }: Skill): string[] {
  return missing.filter(({ kind }) => kind === "environment").flatMap(({ names }) => names);
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
