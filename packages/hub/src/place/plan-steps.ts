import { access, constants, stat } from "node:fs/promises";
import { basename, dirname, isAbsolute, relative, sep } from "node:path";
import { errorCode, SkilletError } from "@skillet/kit/errors";
import { canonicalPath } from "@skillet/kit/files";
import type { Lock, LockEntry, LockedTarget } from "../lock/lock-entry.ts";
import { canonicalLockPath } from "../lock/read-lock.ts";
import type { Change } from "./commit-changes.ts";
import type { Drift } from "./find-drift.ts";
import type { Step } from "./journal.ts";
import {
  contains,
  isInside,
  isUsedInPlace,
  linkDestination,
  locateTarget,
  type TargetBounds,
} from "./locate-target.ts";
import { lstatOrAbsent } from "./stage.ts";
import type { TreeStore } from "./tree-store.ts";
import { verifyPlace, verifyTarget } from "./verify-entry.ts";

interface PlannedStep extends Step {
  readonly name: string;
  readonly held?: HeldPlace;
  readonly put?: { readonly change: PutChange; readonly target: LockedTarget };
}

type PutChange = Extract<Change, { readonly kind: "put" }>;

export interface PlacePlan {
  readonly steps: readonly PlannedStep[];
  readonly folders: readonly string[];
}

interface PlanOptions extends TargetBounds {
  readonly changes: readonly Change[];
  readonly lock: Lock;
  readonly lockFile: string;
  readonly store: TreeStore;
  readonly signal?: AbortSignal | undefined;
}

/** Looks at every target before anything is touched, and throws for the first that cannot be had as asked. */
export async function planSteps(options: PlanOptions): Promise<PlacePlan> {
  const planner = new StepPlanner(options);
  // What goes away first makes room for what comes.
  for (const change of options.changes) if (change.kind !== "note") await planner.planRemovals(change);
  for (const change of options.changes) if (change.kind === "put") await planner.planPuts(change);
  for (const { place } of planner.steps.values()) await checkWritable(dirname(place));
  return { steps: [...planner.steps.values()], folders: [...planner.folders] };
}

class StepPlanner {
  readonly steps: Map<string, PlannedStep> = new Map();
  readonly folders: Set<string>;
  readonly #options: PlanOptions;
  readonly #owners = new Map<string, string>();
  /** Where the entries lie that stay as they are; found once, since each look follows links on the disk. */
  #others: readonly OtherPlace[] | undefined;

  constructor(options: PlanOptions) {
    const { root, outside = [] } = options;
    this.#options = options;
    this.folders = new Set([root, ...outside].map(canonicalPath));
  }

  async planRemovals(change: Exclude<Change, { readonly kind: "note" }>): Promise<void> {
    if (change.before === undefined) return;
    const staying = new Set(
      change.kind === "put" ? change.entry.targets.map(({ path }) => this.#locate(path)) : [],
    );
    for (const target of change.before.targets) {
      const place = this.#locate(target.path, recordedBounds(change.before, this.#options));
      if (staying.has(place) || this.steps.has(place)) continue;
      if ((await lstatOrAbsent(place)) === undefined) continue;
      if (isUsedInPlace(change.before, place, this.#options)) continue;
      const held = await this.#hold(change, change.before, place);
      this.steps.set(place, { name: change.name, place, action: "remove", had: true, held });
    }
  }

  async planPuts(change: PutChange): Promise<void> {
    const { targets } = change.entry;
    // A link whose place turns out to be that of its copy is settled by the copy, in whatever order a lock has them.
    const copiesFirst = [
      ...targets.filter(({ how }) => how === "copy"),
      ...targets.filter(({ how }) => how === "link"),
    ];
    for (const target of copiesFirst) {
      const place = this.#locate(target.path);
      this.#refuseOthers(target.path, place);
      const owner = this.#owners.get(place);
      if (owner !== undefined && owner !== change.name)
        throw occupied(target.path, `${owner} is placed there too`);
      this.#owners.set(place, change.name);
      if (owner !== undefined || (await this.#isAsWanted(change.entry, target, place))) continue;
      const held = await this.#checkPlace(change, target, place);
      const had = held !== undefined;
      const put = { change, target };
      this.steps.set(place, { name: change.name, place, action: "put", had, ...(held && { held }), put });
    }
  }

  #locate(path: string, bounds: TargetBounds = this.#options): string {
    const located = locateTarget(path, bounds);
    const problem = "problem" in located ? located.problem : this.#refusal(located.place);
    if ("place" in located && problem === undefined) return located.place;
    const message = `The target ${JSON.stringify(path)} ${problem}. Nothing was changed; choose another folder, or correct the lock.`;
    throw new SkilletError("target-refused", message, { data: { path, problem } });
  }

  #refusal(place: string): string | undefined {
    const { root, lockFile, store } = this.#options;
    const trees = canonicalPath(store.folder);
    const lock = canonicalLockPath(lockFile);
    if ([lock, trees].some((own) => contains(place, own))) return "holds files of Skillet's own";
    if (isBesideLock(place, lock)) return "has a name that Skillet keeps for files of its own";
    // The user's own lock is in Skillet's home and places there; a project's may lie above it, and must keep out.
    const home = dirname(trees);
    const own = contains(home, canonicalPath(root)) ? trees : home;
    return contains(own, place) ? "lies among files of Skillet's own" : undefined;
  }

  // Two entries in each other's folders would each find the other's files as edits, or take them away.
  #refuseOthers(path: string, place: string): void {
    this.#others ??= otherPlaces(this.#options);
    for (const other of this.#others)
      if (contains(other.place, place) || isInside(place, other.place))
        throw occupied(
          path,
          `${other.name} is installed ${other.place === place ? "there" : `in ${other.path}`}`,
        );
    for (const [theirs, owner] of this.#owners)
      if (isInside(theirs, place) || isInside(place, theirs))
        throw occupied(path, `${owner} is placed in the same folder`);
  }

  async #isAsWanted(entry: LockEntry, target: LockedTarget, place: string): Promise<boolean> {
    if (this.steps.has(place) || (await lstatOrAbsent(place)) === undefined) return false;
    // Whatever else is there counts, however harmless its name: Python runs what is in `__pycache__` instead of the source.
    const drifts = await verifyTarget(target, entry, this.#options, this.#options);
    return drifts.length === 0;
  }

  async #checkPlace(change: PutChange, target: LockedTarget, place: string): Promise<HeldPlace | undefined> {
    if (target.how === "link" && linkDestination(change.entry, this.#options) === undefined) {
      const message = `${change.name} has nothing that ${target.path} could lead to: it needs a copy first, or a linked source.`;
      throw new SkilletError("target-refused", message, { data: { path: target.path, name: change.name } });
    }
    const removed = this.steps.get(place);
    if (removed !== undefined) return removed.held;
    if ((await lstatOrAbsent(place)) === undefined) return undefined;
    if (change.before === undefined || this.#targetsAt(change.before, place).length === 0)
      throw occupied(target.path, "something is there that Skillet did not install");
    return this.#hold(change, change.before, place);
  }

  async #hold(
    { name, discardEdits }: Exclude<Change, { readonly kind: "note" }>,
    entry: LockEntry,
    place: string,
  ): Promise<HeldPlace> {
    const { store, signal } = this.#options;
    const targets = this.#targetsAt(entry, place);
    const isRecordedOnly = targets.every(({ path }) => "problem" in locateTarget(path, this.#options));
    if (isRecordedOnly) this.folders.add(dirname(place));
    const recorded = recordedBounds(entry, this.#options);
    const held = { name, place, entry, targets, bounds: recorded, isRecordedOnly, discardEdits };
    await refuseEdits(held, { store, signal });
    return held;
  }

  #targetsAt(entry: LockEntry, place: string): readonly LockedTarget[] {
    const bounds = recordedBounds(entry, this.#options);
    return entry.targets.filter(({ path }) => {
      const located = locateTarget(path, bounds);
      return "place" in located && located.place === place;
    });
  }
}

interface OtherPlace {
  readonly name: string;
  readonly path: string;
  readonly place: string;
}

function otherPlaces({ lock, changes, ...bounds }: PlanOptions): readonly OtherPlace[] {
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

/**
 * Where what an entry has may lie: the folders of agents move with variables, and a user's own lock knows where they were.
 *
 * A project's lock comes with its repository, so nothing outside the project is its own, whatever it says.
 */
function recordedBounds({ targets }: LockEntry, { root, outside = [] }: TargetBounds): TargetBounds {
  if (outside.length === 0) return { root };
  const recorded = targets.filter(({ path }) => isAbsolute(path)).map(({ path }) => dirname(path));
  return { root, outside: [...outside, ...recorded] };
}

// A folder with one of these names would be in the way of every commit, and of the repair of every one that was killed.
function isBesideLock(place: string, lock: string): boolean {
  const [name = ""] = relative(dirname(lock), place).split(sep);
  const [folded, own] = [name, basename(lock)].map((text) => text.normalize("NFC").toLowerCase());
  return folded === own || folded?.startsWith(`${own}.`) === true;
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

function occupied(path: string, why: string): SkilletError {
  const message = `${path} is not replaced: ${why}. Nothing was changed; move it away, or choose another name or folder.`;
  return new SkilletError("target-occupied", message, { data: { path } });
}

function unwritable(folder: string, errno: string, cause: unknown): SkilletError {
  const message = `${folder} cannot be written (${errno}). Nothing was changed; check its permissions, or choose another folder.`;
  return new SkilletError("target-unwritable", message, { data: { folder, errno }, cause });
}

export interface HeldPlace {
  readonly name: string;
  readonly place: string;
  readonly entry: LockEntry;
  /** Those of its targets that are this place; links of folders can make several the same. */
  readonly targets: readonly LockedTarget[];
  readonly bounds: TargetBounds;
  /** Only the lock that recorded it speaks for this place: it is not among the folders that count today. */
  readonly isRecordedOnly: boolean;
  readonly discardEdits: boolean;
}

export async function refuseEdits(
  held: HeldPlace,
  options: {
    /** Where the content is by now, beside its place; default: at its place. */
    readonly lies?: string;
    readonly store: TreeStore;
    readonly signal?: AbortSignal | undefined;
  },
): Promise<void> {
  const { lies = held.place, ...looking } = options;
  const { place, entry, bounds } = held;
  if (isUsedInPlace(entry, place, bounds)) throw notOurs(place);
  const found: { readonly target: LockedTarget; readonly drifts: readonly Drift[] }[] = [];
  for (const target of tellingTargets(held)) {
    const drifts = await verifyPlace({ place, lies, target, entry, bounds }, looking);
    found.push({ target, drifts: drifts.filter(isWork) });
  }
  // Of two targets that became one place, whichever was put there is what lies there.
  const [first] = found;
  if (first === undefined || found.some(({ drifts }) => drifts.length === 0)) return;
  const { target, drifts } = first;
  if (drifts.some(isReplaced)) throw notOurs(target.path);
  if (held.isRecordedOnly) throw editedElsewhere(held, target.path);
  if (!held.discardEdits) throw edited(held.name, target.path, drifts);
}

// Of a link to its own place only the copy there tells what should be in it.
function tellingTargets({ place, entry, targets, bounds }: HeldPlace): readonly LockedTarget[] {
  const isOwnLink = linkDestination(entry, bounds) === place;
  const telling = targets.filter(({ how }) => how === "copy" || !isOwnLink);
  return telling.length > 0 ? telling : targets;
}

function isWork({ expendable, explanation }: Drift): boolean {
  return expendable !== true && explanation === undefined;
}

// Where a link was recorded, a folder is someone's own; where a folder was, a file is.
function isReplaced({ file, kind, message }: Drift): boolean {
  return file === "" && kind === "type" && !message.includes("link instead");
}

function notOurs(path: string): SkilletError {
  const message = `${path} is not replaced: something is there that Skillet did not install. Nothing was changed; move it away, or choose another name or folder.`;
  return new SkilletError("target-occupied", message, { data: { path } });
}

function editedElsewhere({ name }: HeldPlace, path: string): SkilletError {
  const problem = "was edited, and lies outside the folders that this lock uses now";
  const message = `${path} of ${name} ${problem}, so it is not taken away. Nothing was changed; set the variables that name your agents' folders as they were, or move it away yourself.`;
  return new SkilletError("target-refused", message, { data: { path, problem } });
}

function edited(name: string, path: string, drifts: readonly Drift[]): SkilletError {
  const files = drifts.map(({ file, message }) => (file === "" ? message : `${file} ${message}`));
  const shown = files.slice(0, 10).join("; ") + (files.length > 10 ? `; and ${files.length - 10} more` : "");
  const message = `${name} was edited in ${path}: ${shown}. Nothing was changed; keep the edits, or discard them explicitly.`;
  return new SkilletError("edited", message, {
    data: { name, path, files: drifts.map(({ file, kind }) => ({ file, kind })) },
  });
}
