import { access, constants, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { canonicalPath, errorCode, SkilletError } from "@skillet/core";
import type { Lock, LockEntry, LockedTarget } from "../lock/lock-entry.ts";
import type { TreeStore } from "../store/tree-store.ts";
import type { Drift } from "../verify/drift.ts";
import { verifyTarget } from "../verify/verify-entry.ts";
import type { Change } from "./change.ts";
import { linkDestination } from "./link-destination.ts";
import { contains, isInside, locateTarget, type TargetBounds } from "./locate-target.ts";
import { lstatOrAbsent } from "./lstat-or-absent.ts";
import type { TargetOutcome } from "./outcome.ts";
import type { Step } from "./step.ts";

/** A step and what it is for. */
interface PlannedStep extends Step {
  readonly name: string;
  /** Of a put: what to place. */
  readonly put?: { readonly change: PutChange; readonly target: LockedTarget };
}

type PutChange = Extract<Change, { readonly kind: "put" }>;

/** What a commit will do on disk. */
export interface PlacePlan {
  readonly steps: readonly PlannedStep[];
  readonly outcomes: ReadonlyMap<string, readonly TargetOutcome[]>;
}

/** What planning looks at. */
export interface PlanOptions {
  readonly changes: readonly Change[];
  readonly lock: Lock;
  readonly bounds: TargetBounds;
  readonly lockFile: string;
  readonly store: TreeStore;
  readonly signal?: AbortSignal;
}

/** Looks at every target before anything is touched, and throws for the first that cannot be had as asked. */
export async function planSteps(options: PlanOptions): Promise<PlacePlan> {
  const planner = new StepPlanner(options);
  // What goes away first makes room for what comes.
  for (const change of options.changes) if (change.kind !== "note") await planner.planRemovals(change);
  for (const change of options.changes) if (change.kind === "put") await planner.planPuts(change);
  for (const { place } of planner.steps.values()) await checkWritable(dirname(place));
  return { steps: [...planner.steps.values()], outcomes: planner.outcomes };
}

class StepPlanner {
  readonly steps: Map<string, PlannedStep> = new Map();
  readonly outcomes: Map<string, TargetOutcome[]> = new Map();
  readonly #options: PlanOptions;
  /** The names that have each place after the commit. */
  readonly #owners = new Map<string, string>();

  constructor(options: PlanOptions) {
    this.#options = options;
  }

  async planRemovals(change: Exclude<Change, { readonly kind: "note" }>): Promise<void> {
    if (change.before === undefined) return;
    const staying = new Set(
      change.kind === "put" ? change.entry.targets.map(({ path }) => this.#locate(path)) : [],
    );
    for (const target of change.before.targets) {
      const place = this.#locate(target.path);
      if (staying.has(place) || this.steps.has(place)) continue;
      if ((await lstatOrAbsent(place)) === undefined) continue;
      await this.#refuseEdits(change.name, target, change.before, change.discardEdits);
      this.steps.set(place, { name: change.name, place, action: "remove", had: true });
      this.#note(change.name, { path: target.path, did: "removed" });
    }
  }

  async planPuts(change: PutChange): Promise<void> {
    for (const target of change.entry.targets) {
      const place = this.#locate(target.path);
      this.#refuseOthers(change.name, target.path, place);
      const owner = this.#owners.get(place);
      if (owner !== undefined && owner !== change.name)
        throw occupied(target.path, `${owner} is placed there too`);
      this.#owners.set(place, change.name);
      const isSettled = owner !== undefined || (await this.#isAsWanted(change.entry, target, place));
      this.#note(change.name, { path: target.path, did: isSettled ? "kept" : "placed" });
      if (isSettled) continue;
      const had = await this.#checkPlace(change, target, place);
      this.steps.set(place, { name: change.name, place, action: "put", had, put: { change, target } });
    }
  }

  #locate(path: string): string {
    const located = locateTarget(path, this.#options.bounds);
    const problem = "problem" in located ? located.problem : this.#refusal(located.place);
    if ("place" in located && problem === undefined) return located.place;
    const message = `The target ${JSON.stringify(path)} ${problem}. Nothing was changed; choose another folder, or correct the lock.`;
    throw new SkilletError("target-refused", message, { data: { path, problem } });
  }

  #refusal(place: string): string | undefined {
    const { bounds, lockFile, store } = this.#options;
    const trees = canonicalPath(store.folder);
    if ([canonicalPath(lockFile), trees].some((own) => contains(place, own)))
      return "holds files of Skillet's own";
    // The user's own lock is in Skillet's home and places there; a project's may lie above it, and must keep out.
    const home = dirname(trees);
    const own = contains(home, canonicalPath(bounds.root)) ? trees : home;
    return contains(own, place) ? "lies among files of Skillet's own" : undefined;
  }

  // Two entries in each other's folders would each find the other's files as edits, or take them away.
  #refuseOthers(name: string, path: string, place: string): void {
    const { lock, bounds, changes } = this.#options;
    const changing = new Set(changes.map((change) => change.name));
    for (const [other, entry] of lock.skills) {
      if (other === name || changing.has(other)) continue;
      for (const target of entry.targets) {
        const theirs = locateTarget(target.path, bounds);
        if ("place" in theirs && (contains(theirs.place, place) || isInside(place, theirs.place)))
          throw occupied(
            path,
            `${other} is installed ${theirs.place === place ? "there" : `in ${target.path}`}`,
          );
      }
    }
    for (const [theirs, owner] of this.#owners)
      if (isInside(theirs, place) || isInside(place, theirs))
        throw occupied(path, `${owner} is placed in the same folder`);
  }

  async #isAsWanted(entry: LockEntry, target: LockedTarget, place: string): Promise<boolean> {
    if (this.steps.has(place) || (await lstatOrAbsent(place)) === undefined) return false;
    // Whatever else is there counts, however harmless its name: Python runs what is in `__pycache__` instead of the source.
    return (await this.#drifts(entry, target)).length === 0;
  }

  async #checkPlace(change: PutChange, target: LockedTarget, place: string): Promise<boolean> {
    if (target.how === "link" && linkDestination(change.entry, this.#options.bounds) === undefined) {
      const message = `${change.name} has nothing that ${target.path} could lead to: it needs a copy first, or a linked source.`;
      throw new SkilletError("target-refused", message, { data: { path: target.path, name: change.name } });
    }
    if (this.steps.has(place)) return true;
    if ((await lstatOrAbsent(place)) === undefined) return false;
    const ours = change.before?.targets.find(({ path }) => this.#locate(path) === place);
    if (ours === undefined || change.before === undefined)
      throw occupied(target.path, "something is there that Skillet did not install");
    await this.#refuseEdits(change.name, ours, change.before, change.discardEdits);
    return true;
  }

  async #refuseEdits(
    name: string,
    target: LockedTarget,
    entry: LockEntry,
    discardEdits: boolean,
  ): Promise<void> {
    const drifts = (await this.#drifts(entry, target)).filter(
      ({ expendable, explanation }) => expendable !== true && explanation === undefined,
    );
    // Where a link was recorded, a folder is somebody's own; where a folder was, a file is.
    const isReplaced = drifts.some(
      ({ file, kind, message }) => file === "" && kind === "type" && !message.includes("link instead"),
    );
    if (isReplaced) throw occupied(target.path, "something is there that Skillet did not install");
    if (drifts.length > 0 && !discardEdits) throw edited(name, target.path, drifts);
  }

  #drifts(entry: LockEntry, target: LockedTarget): Promise<readonly Drift[]> {
    const { bounds, store, signal } = this.#options;
    return verifyTarget(target, entry, bounds, { store, ...(signal && { signal }) });
  }

  #note(name: string, outcome: TargetOutcome): void {
    const known = this.outcomes.get(name);
    if (known === undefined) this.outcomes.set(name, [outcome]);
    else known.push(outcome);
  }
}

/** Folders that are not there yet are made; the nearest that is there must let us. */
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

function edited(name: string, path: string, drifts: readonly Drift[]): SkilletError {
  const files = drifts.map(({ file, message }) => (file === "" ? message : `${file} ${message}`));
  const shown = files.slice(0, 10).join("; ") + (files.length > 10 ? `; and ${files.length - 10} more` : "");
  const message = `${name} was edited in ${path}: ${shown}. Nothing was changed; keep the edits, or discard them explicitly.`;
  return new SkilletError("edited", message, {
    data: { name, path, files: drifts.map(({ file, kind }) => ({ file, kind })) },
  });
}

function unwritable(folder: string, errno: string, cause: unknown): SkilletError {
  const message = `${folder} cannot be written (${errno}). Nothing was changed; check its permissions, or choose another folder.`;
  return new SkilletError("target-unwritable", message, { data: { folder, errno }, cause });
}
