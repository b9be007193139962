import { SkilletError } from "@skillet/kit/errors";
import type { LockEntry, LockedTarget } from "../lock/lock-entry.ts";
import type { Drift } from "./find-drift.ts";
import { isUsedInPlace, linkDestination, type TargetBounds } from "./locate-target.ts";
import type { TreeStore } from "./tree-store.ts";
import { verifyPlace } from "./verify-entry.ts";

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

// Where a link was recorded, a folder is somebody's own; where a folder was, a file is.
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
