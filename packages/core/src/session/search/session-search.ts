import { callInvalid } from "@skillet/kit/errors";
import { checkSelectContext, clampLimit } from "@skillet/select/parts";
import type { CallOptions } from "../../ask.ts";
import type { HiddenSkill } from "../../catalog/create-catalog.ts";
import { rankSkills } from "../../catalog/rank-skills.ts";
import type { Skill } from "../../registry/skill.ts";
import type {
  SelectContext,
  SelectedSkill,
  SelectionDecision,
  SelectOptions,
  Selector,
} from "../../selection.ts";
import { recordOffer } from "../outcome/session-outcomes.ts";
import { findHidden, usableSkills } from "../skill-access.ts";
import type { SessionState } from "../state.ts";
import { NamedSkills, withoutMentions } from "./resolve-mentions.ts";

const DEFAULT_LIMIT = 5;

export async function selectSkills(
  session: SessionState,
  message: string,
  options: SelectOptions,
): Promise<readonly SelectedSkill[]> {
  checkMessage(message);
  const limit = clampLimit(options.limit ?? DEFAULT_LIMIT);
  const context = contextOf(session, options.context);
  const { named, rest } = readMessage(session, message);
  const found = rest === undefined ? [] : (await narrowedSelector(session)).select(rest, { limit, context });
  return [...named, ...permitted(session, found, named)].slice(0, limit);
}

/** Decides about a message; the offer is on record before the host hears of it. */
export async function decideSkills(
  session: SessionState,
  message: string,
  options: CallOptions & { readonly context?: SelectContext },
): Promise<SelectionDecision> {
  checkMessage(message);
  const context = contextOf(session, options.context);
  const { named, rest } = readMessage(session, message);
  const others = rest === undefined ? undefined : (await narrowedSelector(session)).decide(rest, { context });
  const activate = [...named, ...permitted(session, others?.activate ?? [], named)];
  const suggest = permitted(session, others?.suggest ?? [], named);
  const action = activate.length > 0 ? "activate" : suggest.length > 0 ? "suggest" : "nothing";
  options.signal?.throwIfAborted();
  await recordOffer(session, message, [
    ...activate.map(({ skill }) => ({ skill, tier: "activate" as const })),
    ...suggest.map(({ skill }) => ({ skill, tier: "suggest" as const })),
  ]);
  return { action, activate, suggest };
}

function checkMessage(message: string): void {
  if (typeof message !== "string") throw callInvalid("The message", "a text");
}

function contextOf({ memory, options: { files } }: SessionState, given?: SelectContext): SelectContext {
  checkSelectContext(given);
  return { ...memory.context(), ...(files && { files }), ...given };
}

// A skill that a person names is chosen, also one that models may not choose. The rest of the message, which may be empty,
// selects among the others.
function readMessage(
  session: SessionState,
  message: string,
): { readonly named: readonly SelectedSkill[]; readonly rest: string | undefined } {
  session.named ??= new NamedSkills(usableSkills(session, "user"));
  const mentions = session.named
    .find(message)
    .filter(({ skill }) => findHidden(session, skill, "user") === undefined);
  const rest = withoutMentions(message, mentions);
  return {
    named: mentions.map(({ skill }) => ({ skill, score: 1, reasons: ["the message names it"] })),
    rest: mentions.length > 0 && rest === "" ? undefined : rest,
  };
}

// Checked again for the few that are returned: a scan may have withheld one since.
function permitted(
  session: SessionState,
  found: readonly SelectedSkill[],
  named: readonly SelectedSkill[],
): readonly SelectedSkill[] {
  return found.filter(
    ({ skill }) => findHidden(session, skill) === undefined && !named.some((one) => one.skill === skill),
  );
}

function narrowedSelector(session: SessionState): Promise<Selector> {
  const { skills } = usableOnce(session);
  if (session.selector?.skills !== skills)
    session.selector = { skills, opening: openSelector(session, skills) };
  return session.selector.opening;
}

async function openSelector(session: SessionState, skills: readonly Skill[]): Promise<Selector> {
  try {
    const selector = await session.openSelector();
    const asked = new Set(skills);
    return selector.among((skill) => asked.has(skill));
  } catch (error) {
    session.selector = undefined;
    throw error;
  }
}

export interface UsableSkills {
  readonly skills: readonly Skill[];
  readonly hidden: readonly HiddenSkill[];
  readonly byQualifiedName: ReadonlyMap<string, Skill>;
  readonly byName: ReadonlyMap<string, readonly Skill[]>;
  readonly places: ReadonlyMap<Skill, number>;
  /** The order where nothing else tells skills apart; computed on first use. */
  usual?: readonly Skill[];
}

/**
 * A catalogue for every turn must not ask the rules about a hundred thousand skills again. Given values and changed
 * permissions can make more skills usable, and then this is forgotten. A skill that is withheld later is caught where
 * it is named, listed or loaded.
 */
export function usableOnce(session: SessionState): UsableSkills {
  session.usable ??= findUsable(session);
  return session.usable;
}

// No catalogue for a conversation lists more.
const MAX_USUAL = 200;

export function usualSkills(usable: UsableSkills): readonly Skill[] {
  usable.usual ??= rankSkills(usable.skills)
    .slice(0, MAX_USUAL)
    .flatMap((index) => usable.skills[index] ?? []);
  return usable.usual;
}

function findUsable(session: SessionState): UsableSkills {
  const skills: Skill[] = [];
  const hidden: HiddenSkill[] = [];
  const byName = new Map<string, Skill[]>();
  for (const skill of session.snapshot.skills) {
    const obstacle = findHidden(session, skill);
    if (obstacle !== undefined) {
      hidden.push(obstacle);
      continue;
    }
    skills.push(skill);
    const same = byName.get(skill.name);
    if (same === undefined) byName.set(skill.name, [skill]);
    else same.push(skill);
  }
  const byQualifiedName = new Map(skills.map((skill) => [skill.qualifiedName, skill]));
  const places = new Map(skills.map((skill, place) => [skill, place]));
  return { skills, hidden, byQualifiedName, byName, places };
}
