import { type CatalogChange, catalogDiff } from "../catalog/create-catalog.ts";
import { POLICY_MODES, type PolicyMode } from "../config/config.ts";
import type { Skill } from "../registry/skill.ts";
import type { Snapshot } from "../registry/snapshot.ts";
import { createPolicyRecord, readRules, rulesOf, strictest } from "./open-session.ts";
import { catalogOf, tell } from "./search/catalog-for.ts";
import { vetAll } from "./session-vetting.ts";
import { placeKey } from "./skill-access.ts";
import { forgetUsable, type SessionParts, type SessionState } from "./state.ts";

/** Changes the mode of a session. A stricter one holds at once, any other once it is on record. */
export async function setMode(session: SessionState, mode: PolicyMode): Promise<CatalogChange | undefined> {
  const next = strictest([mode, session.config.policy.mode]);
  session.told ??= { catalog: catalogOf(session, {}), again: () => catalogOf(session, {}) };
  if (POLICY_MODES.indexOf(next) > POLICY_MODES.indexOf(session.mode)) tighten(session, mode);
  return inTurn(session, async () => {
    await adopt(session, partsOf(session), mode);
    return tellChange(session);
  });
}

/**
 * Takes over skills, configuration and trust as they are now. A child is refreshed with its whole family, because what it
 * may do follows from its parents.
 */
export function refresh(session: SessionState): Promise<CatalogChange | undefined> {
  return inTurn(session, async () => {
    session.told ??= { catalog: catalogOf(session, {}), again: () => catalogOf(session, {}) };
    const root = rootOf(session);
    await adopt(root, await root.reload());
    return tellChange(session);
  });
}

// One change of a family at a time: a slow one must not bring back what a later one replaced.
const changes = new WeakMap<SessionState, Promise<unknown>>();

function inTurn<Result>(session: SessionState, change: () => Promise<Result>): Promise<Result> {
  const root = rootOf(session);
  const next = (changes.get(root) ?? Promise.resolve()).then(change);
  changes.set(
    root,
    next.catch(() => undefined),
  );
  return next;
}

function rootOf(session: SessionState): SessionState {
  return session.parent === undefined ? session : rootOf(session.parent.session);
}

function tighten(session: SessionState, wantedMode: PolicyMode): void {
  Object.assign(session, rulesOf(session, { ...session, wantedMode }), { wantedMode });
  forgetUsable(session);
  for (const child of session.children) tighten(child, child.wantedMode);
}

async function adopt(
  session: SessionState,
  parts: SessionParts,
  wantedMode: PolicyMode = session.wantedMode,
): Promise<void> {
  const before = session.wantedMode;
  const { snapshot } = parts;
  const isNew = snapshot !== session.snapshot;
  const { signal: _ofOpening, ...options } = session.options;
  const parent = session.parent && {
    ...session.parent,
    skills: presentOnes(session.parent.skills, snapshot),
  };
  let { vetted } = parent?.session ?? session;
  if (isNew && parent === undefined) {
    vetted = new Map();
    await vetAll({ ...session, ...parts, options, vetted }, snapshot.skills);
  }
  const rules = await readRules(parts, { options, wantedMode, parent });
  const next = { ...parts, ...rules, parent, vetted, wantedMode };
  await session.recorder.append(createPolicyRecord({ ...session, ...next }));
  if (isNew) moveSkills(session, snapshot);
  // A stricter mode that was set meanwhile is already in force, and its own change comes next.
  const stricter = session.wantedMode === before ? undefined : session.wantedMode;
  Object.assign(session, next);
  forgetUsable(session);
  if (stricter !== undefined) tighten(session, stricter);
  for (const child of session.children) await adopt(child, parts);
}

function partsOf(session: SessionState): SessionParts {
  const { snapshot, reader, config, layers, userHome, workspace, vetter, openSelector, reload } = session;
  return { snapshot, reader, config, layers, userHome, workspace, vetter, openSelector, reload };
}

function presentOnes(skills: ReadonlySet<Skill>, { skills: present }: Snapshot): ReadonlySet<Skill> {
  const places = new Set([...skills].map(placeKey));
  return new Set(present.filter((skill) => places.has(placeKey(skill))));
}

// Names can change hands between snapshots: what a session knows of a skill follows the skill's place.
function moveSkills(session: SessionState, after: Snapshot): void {
  const { active, frozen, narrowings, secrets, turn, snapshot: before } = session;
  const known = new Set([...active.keys(), ...frozen.keys(), ...narrowings.keys(), ...secrets.names()]);
  const present = new Map(after.skills.map((skill) => [placeKey(skill), skill.qualifiedName]));
  const names = new Map(
    before.skills
      .filter(({ qualifiedName }) => known.has(qualifiedName))
      .map((skill) => [skill.qualifiedName, present.get(placeKey(skill))]),
  );
  for (const map of [active, frozen, narrowings] as readonly Map<string, unknown>[]) renameKeys(map, names);
  secrets.rename((map) => renameKeys(map, names));
  // The skill that takes over a name must not take over what narrows this turn with it.
  turn.narrowing = turn.narrowing.map((one) =>
    names.has(one.by) ? { ...one, by: names.get(one.by) ?? `${one.by} (gone)` } : one,
  );
}

function renameKeys<Value>(map: Map<string, Value>, names: ReadonlyMap<string, string | undefined>): void {
  const entries = [...map];
  map.clear();
  for (const [name, value] of entries) {
    const now = names.has(name) ? names.get(name) : name;
    if (now !== undefined) map.set(now, value);
  }
}

async function tellChange(session: SessionState): Promise<CatalogChange | undefined> {
  const { told } = session;
  if (told === undefined) return undefined;
  const catalog = await told.again();
  tell(session, catalog, told.again);
  return catalogDiff(told.catalog, catalog);
}
