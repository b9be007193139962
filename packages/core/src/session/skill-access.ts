import { SkilletError } from "@skillet/kit/errors";
import { quoteName, showName } from "@skillet/kit/text";
import type { HiddenSkill } from "../catalog/create-catalog.ts";
import type { Manifest } from "../format/manifest.ts";
import { skillsNamed } from "../registry/find-skill.ts";
import { isQualified, type Skill } from "../registry/skill.ts";
import type { Snapshot } from "../registry/snapshot.ts";
import { suggestNames } from "../registry/suggest-names.ts";
import {
  findObstacle,
  isObstacle,
  mayUse,
  obstacleText,
  type SkillUse,
  scanOf,
  type UseFacts,
  type UseObstacle,
  type UseQuestion,
} from "../use/may-use.ts";
import type { ActivationSource } from "./session.ts";
import { indexOf, placeKey } from "./snapshot-index.ts";
import type { SessionState } from "./state.ts";

type Given = Pick<UseFacts, "byFullName" | "files">;

/** Why a source cannot use a skill, or undefined if it can. */
export function findHidden(
  session: SessionState,
  skill: Skill,
  source: ActivationSource = "model",
  given: Given = {},
): HiddenSkill | undefined {
  const present = presentSkill(session, skill) ?? skill;
  return hiddenBy(present, factsFor(session, present, source, given));
}

/** The same by rules alone, ignoring what was found, approved or given in this session. */
export function hiddenByRules(
  session: SessionState,
  skill: Skill,
  source: ActivationSource,
): HiddenSkill | undefined {
  const { parent, filesInPlay: files } = session;
  return hiddenBy(skill, { parent, rules: session, files, source });
}

function hiddenBy(skill: Skill, facts: UseFacts): HiddenSkill | undefined {
  const obstacle = findObstacle(skill, facts);
  return obstacle && { skill, cause: obstacle.cause, reason: obstacleText(skill, obstacle) };
}

export function useOf(session: SessionState, skill: Skill, asked: UseQuestion): SkillUse {
  const present = presentSkill(session, skill) ?? skill;
  return mayUse(present, factsFor(session, present, asked.source ?? "model", asked));
}

const HEADER_CAUSES: ReadonlySet<string> = new Set(["invocation", "product", "paths", "plan-mode"]);

/** The objection of a header that was read after discovery; `resolveFor` finds all other obstacles. */
export function headerObstacle(
  session: SessionState,
  skill: Skill,
  source: ActivationSource,
  manifest: Manifest,
): UseObstacle | undefined {
  const { reasons } = mayUse(skill, factsFor(session, skill, source, { manifest }));
  return reasons.filter(isObstacle).find(({ cause }) => HEADER_CAUSES.has(cause));
}

function factsFor(session: SessionState, skill: Skill, source: ActivationSource, given: UseFacts): UseFacts {
  const { parent, vetted, secrets, filesInPlay } = session;
  return {
    parent,
    rules: session,
    files: filesInPlay,
    ...given,
    source,
    isGone: !indexOf(session.snapshot).places.has(skill),
    scan: scanOf(vetted.get(skill)) ?? given.scan,
    isSatisfied: secrets.satisfy(skill),
  };
}

/** Whether the user may use a skill, and a model may not only because the skill is for users. */
export function isForUsers(session: SessionState, skill: Skill): boolean {
  const [only, another] = useOf(session, skill, {}).reasons.filter(isObstacle);
  return (
    only?.cause === "invocation" && another === undefined && findHidden(session, skill, "user") === undefined
  );
}

export function resolveFor(session: SessionState, name: string, source: ActivationSource): Skill {
  const wanted = name.trim().replace(/^[$/]/, "");
  return resolveSkill(name, {
    snapshot: session.snapshot,
    source,
    hiddenFrom: (skill) =>
      findHidden(session, skill, source, {
        byFullName: skill.qualifiedName === wanted || skill.path === wanted,
      })?.reason,
    isForUsers: (skill) => isForUsers(session, skill),
  });
}

export interface ResolveContext {
  readonly snapshot: Snapshot;
  readonly source: ActivationSource;
  readonly hiddenFrom: (skill: Skill) => string | undefined;
  readonly isForUsers: (skill: Skill) => boolean;
}

/** To a model, a skill that it may not have looks like one that does not exist; users get the reason. */
export function resolveSkill(name: string, context: ResolveContext): Skill {
  const wanted = stripMention(name.trim());
  const candidates = skillsNamed(context.snapshot.skills, wanted);
  const usable = candidates.filter((skill) => context.hiddenFrom(skill) === undefined);
  const [only, second] = usable;
  if (second !== undefined) throw ambiguous(wanted, usable);
  if (only !== undefined) return only;
  throw refusal(wanted, candidates[0], context);
}

function stripMention(name: string): string {
  const link = /^\[\$[^\]]{1,256}\]\s*\((?<path>.{1,1024})\)$/.exec(name);
  if (link?.groups?.path !== undefined) return link.groups.path.trim().replace(/^skill:\/\//, "");
  // A path begins with a slash too, but contains another one.
  return /^(?:\$|\/(?!.*\/))/.test(name) ? name.slice(1) : name;
}

function ambiguous(name: string, candidates: readonly Skill[]): SkilletError {
  const names = candidates.map(({ qualifiedName }) => qualifiedName);
  const message = `${quoteName(name)} can mean several skills: ${listNames(names)}. Name one of them as it is written here.`;
  return new SkilletError("skill-ambiguous", message, { data: { name, candidates: names } });
}

function refusal(name: string, hidden: Skill | undefined, context: ResolveContext): SkilletError {
  const isModel = context.source === "model";
  const skill = hidden?.qualifiedName ?? "";
  const shown = showName(skill);
  if (hidden !== undefined && isModel && context.isForUsers(hidden)) {
    const message = `${shown} is started by people only; ask the user to run /${shown}.`;
    return new SkilletError("skill-for-users", message, { data: { skill } });
  }
  if (hidden !== undefined && !isModel) {
    const message = `${shown} cannot be used: ${context.hiddenFrom(hidden)}. See: skillet explain ${shown}`;
    return new SkilletError("skill-not-offered", message, { data: { skill, state: hidden.state } });
  }
  const available = context.snapshot.skills
    .filter((one) => context.hiddenFrom(one) === undefined)
    .map(({ qualifiedName }) => qualifiedName);
  const near = suggestNames(name, available);
  const all =
    available.length === 0 ? "No skill is available." : `Available skills: ${listNames(available)}.`;
  const hint = near.length > 0 ? `Did you mean ${near.map(showName).join(" or ")}?` : all;
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
 * A name that a skill of the snapshot holds means that skill alone: if the skill is not in `among`, no other
 * with the same bare name replaces it. Nor does a skill whose bare name looks like a qualified one.
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

/** A skill as the session has it now: the same one, or the one that a refresh found in its place. */
export function presentSkill({ snapshot }: SessionState, skill: Skill): Skill | undefined {
  const { places, byPlace } = indexOf(snapshot);
  return places.has(skill) ? skill : byPlace().get(placeKey(skill));
}
