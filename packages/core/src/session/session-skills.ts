import { SkilletError } from "@skillet/kit/errors";
import { quoteName, showName } from "@skillet/kit/text";
import { createAllowList } from "../catalog/visible-skills.ts";
import { findSkill } from "../registry/find-skill.ts";
import { isQualified } from "../registry/scope-prefix.ts";
import type { Skill } from "../registry/skill.ts";
import type { Snapshot } from "../registry/snapshot.ts";
import { suggestNames } from "../registry/suggest-names.ts";
import type { ActivationSource } from "./session.ts";
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

  usableByAnyone(): readonly Skill[] {
    return [...new Set([...this.usable("model"), ...this.usable("user")])];
  }

  /** Those that names and patterns of a profile list, for a child. */
  usableOf(listed: readonly string[]): readonly Skill[] {
    const isListed = createAllowList(listed);
    return this.usable("parent").filter(({ qualifiedName }) => isListed(qualifiedName));
  }

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

  resolveForAnyone(name: string): Skill {
    return findNamed(name, this.usable("user"), this.#snapshot) ?? this.resolve(name, "model");
  }
}

export interface ResolveContext {
  readonly snapshot: Snapshot;
  readonly source: ActivationSource;
  /** Why a skill is not to be had by this source, or undefined when it is. */
  readonly hiddenFrom: (skill: Skill) => string | undefined;
  /** Whether a person may have a skill, and a model only may not because it is for people. */
  readonly isForUsers: (skill: Skill) => boolean;
}

/**
 * Finds the one skill that a caller means: by name, qualified name, path, or as a mention is written.
 *
 * To a model, a skill that it may not have reads like one that does not exist; people are told the reason.
 */
export function resolveSkill(name: string, context: ResolveContext): Skill {
  const wanted = stripMention(name.trim());
  const resolution = findSkill(context.snapshot, wanted);
  const candidates =
    resolution.kind === "found"
      ? [resolution.skill]
      : resolution.kind === "ambiguous"
        ? resolution.candidates
        : [];
  const usable = candidates.filter((skill) => context.hiddenFrom(skill) === undefined);
  const [only, second] = usable;
  if (second !== undefined) throw ambiguous(wanted, usable);
  if (only !== undefined) return only;
  throw refusal(wanted, candidates[0], context);
}

function stripMention(name: string): string {
  const link = /^\[\$[^\]]{1,256}\]\s*\((?<path>.{1,1024})\)$/.exec(name);
  if (link?.groups?.path !== undefined) return link.groups.path.trim().replace(/^skill:\/\//, "");
  // A path begins with a slash too, but has another one.
  return /^(?:\$|\/(?!.*\/))/.test(name) ? name.slice(1) : name;
}

function ambiguous(name: string, candidates: readonly Skill[]): SkilletError {
  const names = candidates.map(({ qualifiedName }) => qualifiedName);
  return new SkilletError(
    "skill-ambiguous",
    `${quoteName(name)} can mean several skills: ${listNames(names)}. Name one of them as it is written here.`,
    { data: { name, candidates: names } },
  );
}

function refusal(name: string, hidden: Skill | undefined, context: ResolveContext): SkilletError {
  const { source } = context;
  if (hidden !== undefined && source === "model" && context.isForUsers(hidden)) {
    const shown = showName(hidden.qualifiedName);
    return new SkilletError(
      "skill-for-users",
      `${shown} is started by people only; ask the user to run /${shown}.`,
      { data: { skill: hidden.qualifiedName } },
    );
  }
  if (hidden !== undefined && source !== "model") {
    const shown = showName(hidden.qualifiedName);
    return new SkilletError(
      "skill-not-offered",
      `${shown} cannot be used: ${context.hiddenFrom(hidden)}. See: skillet explain ${shown}`,
      { data: { skill: hidden.qualifiedName, state: hidden.state } },
    );
  }
  const available = context.snapshot.skills
    .filter((skill) => context.hiddenFrom(skill) === undefined)
    .map(({ qualifiedName }) => qualifiedName);
  const near = suggestNames(name, available);
  const hint =
    near.length > 0
      ? `Did you mean ${near.map(showName).join(" or ")}?`
      : available.length === 0
        ? "No skill is available."
        : `Available skills: ${listNames(available)}.`;
  return new SkilletError("skill-not-found", `There is no skill ${quoteName(name)}. ${hint}`, {
    data: { name, suggestions: near },
  });
}

const MAX_NAMED = 20;

function listNames(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMED).map(showName).join(", ");
  return names.length > MAX_NAMED ? `${shown}, …` : shown;
}

/**
 * The one skill among some that a name means.
 *
 * A name that a skill of the snapshot holds means that skill alone: where it is not among them, no other of that bare
 * name stands in for it. Nor does one that calls itself like a skill of another scope or plugin.
 */
export function findNamed(
  name: string,
  among: readonly Skill[],
  snapshot: { readonly skills: readonly Skill[] },
): Skill | undefined {
  const holder = snapshot.skills.find(({ qualifiedName }) => qualifiedName === name);
  if (holder !== undefined) return among.includes(holder) ? holder : undefined;
  const named = isQualified(name) ? [] : among.filter((skill) => skill.name === name);
  return named.length === 1 ? named[0] : undefined;
}
