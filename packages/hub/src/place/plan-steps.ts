import { access, constants, stat } from "node:fs/promises";
import { basename, dirname, isAbsolute, relative, sep } from "node:path";
import { errorCode, SkilletError } from "@skillet/kit/errors";
import { canonicalPath, isInside } from "@skillet/kit/files";
import { listFirst } from "@skillet/kit/text";
import type { Drift, Lock, LockEntry, LockedTarget } from "../lock/lock-entry.ts";
import { canonicalLockPath } from "../lock/read-lock.ts";
import type { Change } from "./commit-changes.ts";
import { isUsedInPlace, linkDestination, locateTarget, type TargetBounds } from "./locate-target.ts";
import type { RecoverOptions } from "./recover.ts";
import { lstatOrAbsent } from "./stage.ts";
import { verifyPlace, verifyTarget } from "./verify-entry.ts";

type PutChange = Extract<Change, { readonly kind: "put" }>;
type PlacingChange = Exclude<Change, { readonly kind: "note" }>;

interface PlannedStep {
  readonly place: string;
  /** Absent if nothing is there. */
  readonly held?: HeldPlace;
  /** Absent if the place is only emptied. */
  readonly put?: { readonly change: PutChange; readonly target: LockedTarget };
}

export interface PlacePlan {
  readonly steps: readonly PlannedStep[];
  readonly folders: readonly string[];
}

interface PlanOptions extends Omit<RecoverOptions, "audit" | "onStage"> {
  readonly changes: readonly Change[];
  readonly lock: Lock;
  /** For checks before a plan is applied: collects why places are occupied, by name, and ignores other errors. */
  readonly occupied?: Map<string, string>;
}

interface Planning extends PlanOptions {
  readonly steps: Map<string, PlannedStep>;
  readonly folders: Set<string>;
  readonly owners: Map<string, string>;
  /** The places of entries that stay as they are. */
  readonly others: readonly { readonly name: string; readonly path: string; readonly place: string }[];
}

/** Examines every target before anything is touched, and throws for the first that cannot be placed as requested. */
export async function planSteps(options: PlanOptions): Promise<PlacePlan> {
  const { changes, root, outside = [], occupied } = options;
  const puts = changes.filter((change) => change.kind === "put");
  const planning: Planning = {
    ...options,
    steps: new Map(),
    folders: new Set([root, ...outside].map(canonicalPath)),
    owners: new Map(),
    others: puts.length === 0 ? [] : otherPlaces(options),
  };
  const orNoted = (name: string) => (error: unknown) => {
    if (occupied === undefined || !SkilletError.isInstance(error)) throw error;
    if (error.code === "target-occupied") occupied.set(name, error.message);
  };
  // Removals first, since they make room.
  for (const change of changes)
    if (change.kind !== "note") await planRemovals(planning, change).catch(orNoted(change.name));
  for (const change of puts) await planPuts(planning, change).catch(orNoted(change.name));
  const steps = [...planning.steps.values()];
  if (occupied === undefined) for (const { place } of steps) await checkWritable(dirname(place));
  return { steps, folders: [...planning.folders] };
}

function otherPlaces({ lock, changes, ...bounds }: PlanOptions): Planning["others"] {
  const changing = new Set(changes.map((change) => change.name));
  return [...lock.skills]
    .filter(([name]) => !changing.has(name))
    .flatMap(([name, { targets }]) =>
      targets.flatMap(({ path }) => {
        const located = locateTarget(path, bounds);
        return "place" in located ? [{ name, path, place: located.place }] : [];
      }),
    );
}

async function planRemovals(planning: Planning, change: PlacingChange): Promise<void> {
  const { before } = change;
  if (before === undefined) return;
  const kept = change.kind === "put" ? change.entry.targets : (change.keeps ?? []);
  const staying = new Set(kept.map(({ path }) => locate(planning, path, recordedBounds(before, planning))));
  for (const { path } of before.targets) {
    const place = locate(planning, path, recordedBounds(before, planning));
    if (staying.has(place) || planning.steps.has(place)) continue;
    if ((await lstatOrAbsent(place)) === undefined || isUsedInPlace(before, place, planning)) continue;
    planning.steps.set(place, { place, held: await hold(planning, change, path, place) });
  }
}

async function planPuts(planning: Planning, change: PutChange): Promise<void> {
  const { name, entry } = change;
  const { steps, owners } = planning;
  // If a link's place turns out to be that of its copy, the copy wins, in whatever order the lock lists them.
  const copiesFirst = entry.targets.toSorted(
    (left, right) => Number(left.how === "link") - Number(right.how === "link"),
  );
  for (const target of copiesFirst) {
    const place = locate(planning, target.path);
    refuseOthers(planning, target.path, place);
    const owner = owners.get(place);
    if (owner !== undefined && owner !== name) throw occupied(target.path, `${owner} is placed there too`);
    owners.set(place, name);
    if (owner !== undefined || change.keeps?.includes(target)) continue;
    const removal = steps.get(place);
    const isOccupied = removal === undefined && (await lstatOrAbsent(place)) !== undefined;
    // Every extra file counts, however harmless its name: Python runs `__pycache__` instead of the source.
    if (isOccupied && (await verifyTarget(target, entry, planning)).length === 0) continue;
    if (target.how === "link" && linkDestination(entry, planning) === undefined) {
      const message = `${name} has nothing for ${target.path} to link to: it needs a copy first, or a linked source.`;
      throw new SkilletError("target-refused", message, { data: { path: target.path, name } });
    }
    const held = isOccupied ? await hold(planning, change, target.path, place) : removal?.held;
    steps.set(place, { place, ...(held && { held }), put: { change, target } });
  }
}

function locate(planning: Planning, path: string, bounds: TargetBounds = planning): string {
  const located = locateTarget(path, bounds);
  const problem = "problem" in located ? located.problem : ownFileProblem(planning, located.place);
  if ("place" in located && problem === undefined) return located.place;
  const message = `The target ${JSON.stringify(path)} ${problem}. Nothing was changed; choose another folder, or correct the lock.`;
  throw new SkilletError("target-refused", message, { data: { path, problem } });
}

function ownFileProblem({ root, lockFile, store }: PlanOptions, place: string): string | undefined {
  const trees = canonicalPath(store.folder);
  const lock = canonicalLockPath(lockFile);
  if ([lock, trees].some((own) => isInside(own, place))) return "holds files of Skillet's own";
  if (isBesideLock(place, lock)) return "has a name that Skillet keeps for files of its own";
  // The user's own lock places files in Skillet's home; a project may contain that home, and must not touch it.
  const home = dirname(trees);
  const own = isInside(canonicalPath(root), home) ? trees : home;
  return isInside(place, own) ? "is inside Skillet's own folder" : undefined;
}

// A folder with such a name would block every commit, and every recovery after a crash.
function isBesideLock(place: string, lock: string): boolean {
  const [name = ""] = relative(dirname(lock), place).split(sep);
  const [folded, own] = [name, basename(lock)].map((text) => text.normalize("NFC").toLowerCase());
  return folded === own || folded?.startsWith(`${own}.`) === true;
}

function overlap(place: string, other: string): boolean {
  return isInside(place, other) || isInside(other, place);
}

// Two nested entries would each see the other's files as edits, or remove them.
function refuseOthers({ others, owners }: Planning, path: string, place: string): void {
  for (const other of others)
    if (overlap(place, other.place)) {
      const where = other.place === place ? "there" : `in ${other.path}`;
      throw occupied(path, `${other.name} is installed ${where}`);
    }
  for (const [theirs, owner] of owners)
    if (theirs !== place && overlap(place, theirs))
      throw occupied(path, `${owner} is placed in the same folder`);
}

/** Installed content that is about to be replaced or removed. */
export interface HeldPlace {
  readonly name: string;
  readonly place: string;
  readonly entry: LockEntry;
  /** The entry's targets that resolve to this place; linked folders can make several the same. */
  readonly targets: readonly LockedTarget[];
  readonly bounds: TargetBounds;
  /** The place is not in any folder that is allowed today; only the lock that recorded it names it. */
  readonly isRecordedOnly: boolean;
  readonly discardEdits: boolean;
}

async function hold(
  planning: Planning,
  { name, before: entry, discardEdits }: PlacingChange,
  path: string,
  place: string,
): Promise<HeldPlace> {
  const bounds = entry === undefined ? planning : recordedBounds(entry, planning);
  const targets = (entry?.targets ?? []).filter((target) => {
    const located = locateTarget(target.path, bounds);
    return "place" in located && located.place === place;
  });
  if (entry === undefined || targets.length === 0) throw occupied(path, NOT_OURS);
  const isRecordedOnly = targets.every((target) => "problem" in locateTarget(target.path, planning));
  if (isRecordedOnly) planning.folders.add(dirname(place));
  const held = { name, place, entry, targets, bounds, isRecordedOnly, discardEdits };
  await refuseEdits(held);
  return held;
}

/**
 * Where an entry's targets may be: agents' folders move with variables, and a user's own lock recorded where they were.
 *
 * A project's lock comes with its repository, so nothing outside the project belongs to it, whatever it says.
 */
function recordedBounds({ targets }: LockEntry, { root, outside = [] }: TargetBounds): TargetBounds {
  if (outside.length === 0) return { root };
  const recorded = targets.filter(({ path }) => isAbsolute(path)).map(({ path }) => dirname(path));
  return { root, outside: [...outside, ...recorded] };
}

async function checkWritable(folder: string): Promise<void> {
  for (let current = folder; ; current = dirname(current)) {
    try {
      if (!(await stat(current)).isDirectory()) throw unwritable(folder, "ENOTDIR", undefined);
      await access(current, constants.W_OK | constants.X_OK);
      return;
    } catch (error) {
      const code = errorCode(error);
      if (SkilletError.isInstance(error)) throw error;
      if (code !== "ENOENT" || dirname(current) === current)
        throw unwritable(folder, code ?? "unknown error", error);
    }
  }
}

function unwritable(folder: string, errno: string, cause: unknown): SkilletError {
  const message = `${folder} cannot be written (${errno}). Nothing was changed; check its permissions, or choose another folder.`;
  return new SkilletError("target-unwritable", message, { data: { folder, errno }, cause });
}

/** Throws if a held place has edits that may not be discarded; `lies` is the current location of its content. */
export async function refuseEdits(held: HeldPlace, lies: string = held.place): Promise<void> {
  const { name, place, entry, bounds } = held;
  if (isUsedInPlace(entry, place, bounds)) throw occupied(place, NOT_OURS);
  const found: { readonly path: string; readonly edits: readonly Drift[] }[] = [];
  for (const target of tellingTargets(held)) {
    const drifts = await verifyPlace({ place, lies, target, entry }, bounds);
    const edits = drifts.filter(({ expendable }) => !expendable);
    found.push({ path: target.path, edits });
  }
  // If two targets resolve to one place, either of them may be what was put there.
  const [first] = found;
  if (first === undefined || found.some(({ edits }) => edits.length === 0)) return;
  const { path, edits } = first;
  if (edits.some(isReplaced)) throw occupied(path, NOT_OURS);
  if (held.isRecordedOnly) {
    const problem = "was edited, and lies outside the folders that this lock uses now";
    const message = `${path} of ${name} ${problem}, so it is not taken away. Nothing was changed; set the variables that name your agents' folders as they were, or move it away yourself.`;
    throw new SkilletError("target-refused", message, { data: { path, problem } });
  }
  if (!held.discardEdits) throw edited(name, path, edits);
}

// A link whose destination is this very place says nothing about the content; only the copy does.
function tellingTargets({ place, entry, targets, bounds }: HeldPlace): readonly LockedTarget[] {
  const isOwnLink = linkDestination(entry, bounds) === place;
  const telling = targets.filter(({ how }) => how === "copy" || !isOwnLink);
  return telling.length > 0 ? telling : targets;
}

// A folder instead of a recorded link, or a file instead of a folder, is someone's own.
function isReplaced({ file, kind, message }: Drift): boolean {
  return file === "" && kind === "type" && !message.includes("link instead");
}

/** The targets of an entry whose place now has someone's own content, which is neither replaced nor removed. */
export async function replacedTargets(
  entry: LockEntry,
  given: TargetBounds,
): Promise<readonly LockedTarget[]> {
  const bounds = recordedBounds(entry, given);
  const replaced: LockedTarget[] = [];
  for (const target of entry.targets) {
    const isThere = "place" in locateTarget(target.path, bounds);
    if (isThere && (await verifyTarget(target, entry, bounds)).some(isReplaced)) replaced.push(target);
  }
  return replaced;
}

const NOT_OURS = "something is there that Skillet did not install";

function occupied(path: string, why: string): SkilletError {
  const message = `${path} is not replaced: ${why}. Move it away, or choose another name or folder.`;
  return new SkilletError("target-occupied", message, { data: { path } });
}

function edited(name: string, path: string, drifts: readonly Drift[]): SkilletError {
  const files = drifts.map(({ file, message }) => (file === "" ? message : `${file} ${message}`));
  const shown = listFirst(files, 10, "; ");
  const message = `${name} was edited in ${path}: ${shown}. Nothing was changed; keep the edits, or discard them explicitly.`;
  return new SkilletError("edited", message, {
    data: { name, path, files: drifts.map(({ file, kind }) => ({ file, kind })) },
  });
}
