import { dirname, isAbsolute, join } from "node:path";
import type { TreeFile } from "@skillet/core";
import { SkilletError } from "@skillet/kit/errors";
import { canonicalPath, readBoundedFile } from "@skillet/kit/files";
import type { LockEntry } from "../lock/lock-entry.ts";
import { contains } from "../place/locate-target.ts";
import type { TreeStore } from "../store/tree-store.ts";
import type { Drift } from "./drift.ts";
import { type FileDifference, threeWay } from "./three-way.ts";

// Beyond it nobody reads a difference; the file then counts as changed, without its lines.
const MAX_EDITED_BYTES = 4 * 1024 * 1024;

/** What `compareEdits` compares. */
export interface CompareOptions {
  /** The lock's folder. */
  readonly root: string;
  readonly entry: LockEntry;
  /** What `verifyEntry` found. */
  readonly drift: readonly Drift[];
  /** Of the new version. */
  readonly theirs: readonly TreeFile[];
  readonly store: TreeStore;
}

/**
 * Compares the edits in a skill's own copy with a new version, file by file; undefined where the installed version was not
 * kept.
 */
export async function compareEdits(options: CompareOptions): Promise<readonly FileDifference[] | undefined> {
  const { entry, store, theirs } = options;
  const base = await store.get(entry.digest);
  return base && threeWay(base, editedTree(base, options), theirs);
}

// No text, so that nothing of it is shown, and the same as no other file.
const UNREAD = Uint8Array.of(0);

// Everything that did not drift is what was installed, so only the rest is read again.
function editedTree(base: readonly TreeFile[], { root, entry, drift }: CompareOptions): readonly TreeFile[] {
  const [own] = entry.targets;
  if (own === undefined) return base;
  const files = new Map(base.map((file) => [file.path, file]));
  const folder = isAbsolute(own.path) ? own.path : join(root, own.path);
  for (const { target, file, kind } of drift) {
    if (target !== own.path || file === "" || file.endsWith("/")) continue;
    const bytes = kind === "missing" || kind === "type" ? undefined : readEdited(folder, file);
    const mode = files.get(file)?.mode ?? "644";
    if (bytes === undefined) files.delete(file);
    else files.set(file, { path: file, mode, bytes });
  }
  return [...files.values()];
}

// A link would show somebody's key, or any file, in the comparison; that the file is gone is all there is to say.
function readEdited(folder: string, file: string): Uint8Array | undefined {
  const path = join(folder, file);
  if (!contains(canonicalPath(folder), canonicalPath(dirname(path)))) return undefined;
  try {
    return readBoundedFile(path, { maxBytes: MAX_EDITED_BYTES, links: "refuse" });
  } catch (error) {
    if (!SkilletError.isInstance(error)) throw error;
    // It is still there, and other than it was; what is no plain file any more is not.
    return error.code === "file-too-large" ? UNREAD : undefined;
  }
}
