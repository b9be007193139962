import { createPause } from "@skillet/kit/async";
import { type CallOptions, unlessAborted } from "../ask.ts";
import { type Catalog, type CatalogChange, catalogDiff } from "../catalog/create-catalog.ts";
import type { PolicyMode } from "../config/config.ts";
import type { Skill } from "../registry/skill.ts";
import type { Snapshot } from "../registry/snapshot.ts";
import { activeSkills, isActive } from "./active-skills.ts";
import { createPolicyRecord, modeOf, readRules, rulesOf, strictest } from "./open-session.ts";
import { catalogOf, tell } from "./search/catalog-for.ts";
import { vetAll } from "./session-vetting.ts";
import { presentSkill } from "./skill-access.ts";
import { freezeAll } from "./skill-reader.ts";
import { indexOf, placeKey } from "./snapshot-index.ts";
import {
  childrenOf,
  forgetUsable,
  rootOf,
  type SessionParts,
  type SessionState,
  type ToldCatalog,
} from "./state.ts";

/** Changes the mode of a session. A stricter mode applies immediately, any other once it is recorded. */
export async function setMode(session: SessionState, mode: PolicyMode): Promise<CatalogChange | undefined> {
  strictest([mode]);
  session.told ??= untold(session);
  session.pendingModes.push(mode);
  tighten(session);
  return inTurn(session, async () => {
    // A stricter mode stays even if it cannot be recorded.
    session.wantedMode = strictest([mode, session.wantedMode]);
    try {
      await adopt(session, {}, { wantedMode: mode });
    } finally {
      session.pendingModes.splice(session.pendingModes.indexOf(mode), 1);
    }
    return tellChange(session);
  });
}

/** A child is refreshed with its whole family, because its permissions depend on its parents. */
export function refresh(
  session: SessionState,
  { signal }: CallOptions = {},
): Promise<CatalogChange | undefined> {
  const refreshed = inTurn(session, async () => {
    signal?.throwIfAborted();
    const root = rootOf(session);
    // First, so that parallel refreshes share one search, which must not hold up later changes if it hangs.
    const parts = await unlessAborted(root.reload(signal), signal);
    const pause = createPause(signal);
    session.told ??= untold(session);
    await pause();
    await adopt(root, parts, { signal });
    return tellChange(session);
  });
  return unlessAborted(refreshed, signal);
}

// One change per family at a time: a slow one must not bring back what a later one replaced.
const changes = new WeakMap<SessionState, Promise<unknown>>();

export function inTurn<Result>(session: SessionState, change: () => Promise<Result>): Promise<Result> {
  const root = rootOf(session);
  const next = (changes.get(root) ?? Promise.resolve()).then(change);
  // Without the result, which would keep a forked child in memory.
  const settled = (): void => undefined;
  changes.set(root, next.then(settled, settled));
  return next;
}

/** Applies the mode that a session and its children must have by now, if it is stricter than theirs. */
export function tighten(session: SessionState): void {
  const mode = modeOf(session, session);
  if (mode !== session.mode && strictest([mode, session.mode]) === mode)
    Object.assign(session, rulesOf(session, session));
  forgetUsable(session);
  for (const child of childrenOf(session)) tighten(child);
}

// A denial holds for the whole family even if it cannot be recorded; a laxer mode holds once it is recorded.
async function adopt(
  session: SessionState,
  parts: Partial<SessionParts>,
  { wantedMode = session.wantedMode, signal }: CallOptions & { readonly wantedMode?: PolicyMode } = {},
): Promise<void> {
  const { snapshot = session.snapshot } = parts;
  const isNew = snapshot !== session.snapshot;
  const { signal: _ofOpening, ...given } = session.options;
  const options = signal === undefined ? given : { ...given, signal };
  const { parent: known } = session;
  const parent = known && { ...known, skills: presentOnes(known.skills, snapshot) };
  let { vetted } = parent?.session ?? session;
  if (isNew && parent === undefined) {
    vetted = await unlessAborted(vetAll({ ...session, ...parts, options }, snapshot), signal);
  }
  const rules = await readRules({ ...session, ...parts }, { ...session, options, wantedMode, parent });
  // Built here, so that the synchronous part below finds it ready.
  const pause = createPause();
  const { byPlace } = indexOf(snapshot);
  await pause();
  if (isNew) byPlace();
  await pause();
  const loaded = isNew ? activeSkills(session) : [];
  if (isNew) moveSkills(session, snapshot);
  Object.assign(session, parts, rules, { parent, vetted, mode: strictest([rules.mode, session.mode]) });
  forgetUsable(session);
  const failures: unknown[] = [];
  const attempt = (step: Promise<void>): Promise<unknown> => step.catch((error) => failures.push(error));
  if (isNew) await attempt(freezeAll(session));
  const lost = loaded.filter((skill) => !isActive(session, presentSkill(session, skill) ?? skill));
  const record = await createPolicyRecord({ ...session, mode: rules.mode });
  const recording = session.recorder.append({
    ...record,
    ...(lost.length > 0 && { lost: lost.map(({ path }) => path) }),
  });
  await attempt(
    recording.then(() => {
      session.wantedMode = wantedMode;
      Object.assign(session, { mode: modeOf(session, session) });
      forgetUsable(session);
    }),
  );
  for (const child of childrenOf(session)) await attempt(adopt(child, parts));
  if (failures.length > 0) throw failures[0];
}

function presentOnes(skills: ReadonlySet<Skill>, snapshot: Snapshot): ReadonlySet<Skill> {
  const present = indexOf(snapshot).byPlace();
  return new Set([...skills].flatMap((skill) => present.get(placeKey(skill)) ?? []));
}

// Names can change hands between snapshots: what a session knows about a skill follows the skill's place.
function moveSkills(session: SessionState, after: Snapshot): void {
  const { active, frozen, narrowings, secrets, turn, snapshot: before } = session;
  const known = new Set([...active.keys(), ...frozen.keys(), ...narrowings.keys(), ...secrets.names()]);
  const present = indexOf(after).byPlace();
  const names = new Map(
    before.skills
      .filter(({ qualifiedName }) => known.has(qualifiedName))
      .map((skill) => [skill.qualifiedName, present.get(placeKey(skill))?.qualifiedName]),
  );
  for (const map of [active, frozen, narrowings] as readonly Map<string, unknown>[]) renameKeys(map, names);
  secrets.rename((map) => renameKeys(map, names));
  // For skills that are not loaded, the present files count.
  for (const name of frozen.keys()) if (!active.has(name)) frozen.delete(name);
  // A skill that takes over a name must not inherit how that name narrows this turn.
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

/** If the host has not asked for a catalogue yet, the change is relative to the one it would have got. */
function untold(session: SessionState): ToldCatalog {
  const again = (): Catalog => catalogOf(session, {});
  return { catalog: again(), again, guidance: undefined };
}

async function tellChange(session: SessionState): Promise<CatalogChange | undefined> {
  const { told } = session;
  if (told === undefined) return undefined;
  const pause = createPause();
  const catalog = await told.again();
  await pause();
  tell(session, catalog, told);
  return catalogDiff(told.catalog, catalog);
}
