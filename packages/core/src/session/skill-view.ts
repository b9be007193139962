import { atOnce, oncePer } from "@skillet/kit/async";
import { XML_FORM } from "../catalog/catalog-forms.ts";
import type { HiddenSkill } from "../catalog/create-catalog.ts";
import { measureDescription } from "../catalog/fit-catalog.ts";
import type { Skill } from "../registry/skill.ts";
import type { Snapshot } from "../registry/snapshot.ts";
import type { Selector } from "../selection.ts";
import type { UseRules } from "../use/may-use.ts";
import type { NamedSkills } from "./search/resolve-mentions.ts";
import type { ActivationSource } from "./session.ts";
import { findHidden, hiddenByRules } from "./skill-access.ts";
import { indexOf } from "./snapshot-index.ts";
import type { SessionState } from "./state.ts";

/**
 * The skills that one source may use. Sessions with the same snapshot and rules share one, so that a thousand
 * of them do not check ten thousand skills each; it must not contain one session's own facts.
 */
export interface SkillView {
  /** In snapshot order. */
  readonly skills: readonly Skill[];
  readonly hidden: readonly HiddenSkill[];
  readonly has: (skill: Skill) => boolean;
  /** Derived from the skills alone, on first use. */
  usual?: readonly Skill[];
  named?: NamedSkills;
  selector?: Promise<Selector> | undefined;
}

/** The number of rule sets that are cached per snapshot; a dropped one is computed again. */
export const MAX_VIEWS = 64;

const kept = new WeakMap<Snapshot, Map<string, SkillView>>();

export function viewOf(session: SessionState, source: ActivationSource = "model"): SkillView {
  const { views, vetted } = session;
  const known = views.get(source);
  if (known?.version === vetted.version) return known.view;
  const view = withOwn(session, source, atOnce(findView(session, source)));
  views.set(source, { view, version: vetted.version });
  return view;
}

export function usableSkills(session: SessionState, source: ActivationSource): readonly Skill[] {
  return viewOf(session, source).skills;
}

// The skills of a fork depend on its parents, so its views are never shared.
function keptView({ parent, snapshot }: SessionState, key: string): SkillView | undefined {
  return parent === undefined ? kept.get(snapshot)?.get(key) : undefined;
}

function keepView(session: SessionState, key: string, view: SkillView): SkillView {
  // Another session may have been faster; what was derived from its view is kept with that.
  const first = keptView(session, key);
  if (first !== undefined || session.parent !== undefined) return first ?? view;
  const views = kept.get(session.snapshot) ?? new Map<string, SkillView>();
  for (const oldest of views.keys()) if (views.size >= MAX_VIEWS) views.delete(oldest);
  kept.set(session.snapshot, views.set(key, view));
  return view;
}

/** Identifies everything that `hiddenByRules` depends on. */
export function keyOf(session: SessionState, source?: ActivationSource): string {
  const { mode, interactive, layers, isAllowed, isChosen, outside, hasScripts, product } = session;
  // All of them: if the key lacked one, a session would get what another may use.
  const rules: { readonly [Name in keyof UseRules]-?: UseRules[Name] } = {
    mode,
    interactive,
    layers,
    isAllowed,
    isChosen,
    outside,
    hasScripts,
    product,
  };
  const parts = Object.values(rules).map((rule: unknown) =>
    typeof rule === "function" || (typeof rule === "object" && rule !== null) ? numberOf(rule) : rule,
  );
  return JSON.stringify([source, session.filesInPlay, parts]);
}

let lastNumber = 0;
const numberOf = oncePer((_: object) => {
  lastNumber += 1;
  return lastNumber;
});

/** Can run in slices; once it is done, asking for the view takes no time. */
export function* findView(session: SessionState, source: ActivationSource): Generator<undefined, SkillView> {
  const key = keyOf(session, source);
  const known = keptView(session, key);
  if (known !== undefined) return known;
  const hidden: HiddenSkill[] = [];
  for (const skill of session.snapshot.skills) {
    const obstacle = hiddenByRules(session, skill, source);
    if (obstacle !== undefined) hidden.push(Object.freeze(obstacle));
    // Here, in slices, because a catalogue needs all of them together.
    else if (source === "model") measureDescription(skill, XML_FORM);
    yield;
  }
  return keepView(session, key, createView(session.snapshot, hidden));
}

function createView(snapshot: Snapshot, hidden: readonly HiddenSkill[]): SkillView {
  const { places } = indexOf(snapshot);
  const isHidden = new Uint8Array(places.size);
  for (const { skill } of hidden) isHidden[places.get(skill) ?? 0] = 1;
  return {
    skills: Object.freeze(snapshot.skills.filter((_, place) => isHidden[place] === 0)),
    hidden: Object.freeze(hidden),
    has: (skill) => isHidden[places.get(skill) ?? -1] === 0,
  };
}

/** Applies the few answers that differ because of what was withheld or given in this session. */
function withOwn(session: SessionState, source: ActivationSource, common: SkillView): SkillView {
  const own = ownSkills(session);
  if (own.size === 0) return common;
  const { places } = indexOf(session.snapshot);
  const placeOf = (skill: Skill): number => places.get(skill) ?? 0;
  const hidden = [...own].flatMap((skill) => findHidden(session, skill, source) ?? []);
  // Sessions that differ from the rules in the same way can share, since the view says nothing else.
  const reasons = hidden.map(({ skill, cause, reason }) => [placeOf(skill), cause, reason]);
  const key = JSON.stringify([keyOf(session, source), Array.from(own, placeOf), reasons]);
  const known = keptView(session, key);
  if (known !== undefined) return known;
  const all = [...common.hidden.filter(({ skill }) => !own.has(skill)), ...hidden];
  all.sort((left, right) => placeOf(left.skill) - placeOf(right.skill));
  return keepView(session, key, createView(session.snapshot, all));
}

/** The skills that the rules alone do not decide: withheld in this session, or given values in it. */
export function ownSkills({ snapshot, vetted, secrets }: SessionState): ReadonlySet<Skill> {
  const { places, byQualifiedName } = indexOf(snapshot);
  const withheld = [...vetted.withheld()].filter((skill) => places.has(skill));
  return new Set([...withheld, ...[...secrets.names()].flatMap((name) => byQualifiedName.get(name) ?? [])]);
}
