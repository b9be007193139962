import { inSlices } from "@skillet/kit/async";
import { digestBytes } from "@skillet/kit/digest";
import { present } from "@skillet/kit/json";
import type { Skill } from "../registry/skill.ts";
import type { Snapshot } from "../registry/snapshot.ts";
import { decideUse } from "../use/may-use.ts";
import { MAX_LISTED_SKILLS } from "./records/artefacts.ts";
import type { PolicyRecord } from "./records/session-record.ts";
import type { ActivationSource } from "./session.ts";
import { findHidden } from "./skill-access.ts";
import { findView, keyOf, MAX_VIEWS, ownSkills, type SkillView } from "./skill-view.ts";
import { inOrder } from "./snapshot-index.ts";
import type { SessionState } from "./state.ts";

type Offers = Pick<PolicyRecord, "skills" | "offered" | "withheld">;

export function sourcesOf({ parent }: Pick<SessionState, "parent">): readonly ActivationSource[] {
  return parent === undefined ? ["preload", "model", "user"] : ["parent", "model"];
}

/**
 * The part of a policy record that says what a session offers. Every session writes it, so it lists all
 * skills only if there are few; otherwise it has their number and digest and lists this session's own.
 */
export async function readOffers(session: SessionState): Promise<Offers> {
  const { parent, snapshot, options } = session;
  if (parent !== undefined) return describeSkills(session, parent.skills);
  const { skills, denied, offered } = await commonOffers(session);
  const own = ownSkills(session);
  const isFew = snapshot.skills.length <= MAX_LISTED_SKILLS || options.freeze === "all";
  const listed = isFew ? [...skills, ...denied, ...own] : [...denied.slice(0, MAX_LISTED_SKILLS), ...own];
  return { ...describeSkills(session, new Set(listed)), offered };
}

function describeSkills(session: SessionState, some: ReadonlySet<Skill>): Omit<Offers, "offered"> {
  const isOffered = (skill: Skill): boolean =>
    sourcesOf(session).some((source) => findHidden(session, skill, source) === undefined);
  const all = inOrder(session.snapshot, some);
  const offered = new Set(all.filter(isOffered));
  const withheld = all.flatMap((skill) => (offered.has(skill) ? [] : describeWithheld(session, skill)));
  return {
    skills: Array.from(offered, (skill) => describeOffered(session, skill)),
    ...(withheld.length > 0 && { withheld }),
  };
}

/** Shared by all sessions with the same snapshot and rules. */
interface CommonOffers {
  readonly skills: ReadonlySet<Skill>;
  /** Denied by a rule of the configuration. */
  readonly denied: readonly Skill[];
  readonly offered: NonNullable<PolicyRecord["offered"]>;
}

// By snapshot and rules: sessions that open together wait for one computation.
const known = new WeakMap<Snapshot, Map<string, Promise<CommonOffers>>>();

function commonOffers(session: SessionState): Promise<CommonOffers> {
  const ofSnapshot = known.get(session.snapshot) ?? new Map<string, Promise<CommonOffers>>();
  const key = keyOf(session);
  const offers = ofSnapshot.get(key);
  if (offers !== undefined) return offers;
  const made = inSlices(findOffers(session));
  for (const oldest of ofSnapshot.keys()) if (ofSnapshot.size >= MAX_VIEWS) ofSnapshot.delete(oldest);
  known.set(session.snapshot, ofSnapshot.set(key, made));
  return made;
}

function* findOffers(session: SessionState): Generator<undefined, CommonOffers> {
  const views: SkillView[] = [];
  for (const source of sourcesOf(session)) views.push(yield* findView(session, source));
  const skills = new Set<Skill>();
  const denied: Skill[] = [];
  const lines: string[] = [];
  for (const skill of session.snapshot.skills) {
    if (views.some((view) => view.has(skill))) {
      skills.add(skill);
      lines.push(JSON.stringify([skill.qualifiedName, skill.digest]));
    } else if (denyingRule(session, skill) !== undefined) denied.push(skill);
    yield;
  }
  const digest = digestBytes(Buffer.from(lines.join("\n")));
  return { skills, denied, offered: { count: skills.size, digest, denied: denied.length } };
}

function denyingRule(session: SessionState, skill: Skill): string | undefined {
  const { outcome, rule } = decideUse(skill, session);
  return outcome === "deny" ? rule : undefined;
}

function describeOffered({ vetted, frozen }: SessionState, skill: Skill): PolicyRecord["skills"][number] {
  const { qualifiedName: name, digest, origin } = skill;
  const verdict = vetted.get(skill)?.verdict;
  const treeDigest = frozen.get(name)?.treeDigest;
  return present({ name, digest, origin, treeDigest, verdict });
}

function describeWithheld(session: SessionState, skill: Skill): NonNullable<PolicyRecord["withheld"]> {
  const { qualifiedName: name, digest } = skill;
  const vetting = session.vetted.get(skill);
  const rule = denyingRule(session, skill);
  if (rule === undefined && vetting?.outcome !== "withhold") return [];
  const reason = findHidden(session, skill)?.reason ?? "";
  const verdict = vetting?.verdict;
  return [present({ name, digest, reason, verdict, rule })];
}
