import type { Stats } from "node:fs";
import { lstat, mkdir, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { TreeFile } from "@skillet/core";
import { errorCode, SkilletError, undefinedOn } from "@skillet/kit/errors";
import { canonicalPath, keepOwnerAndMode, syncDirectory, writeSynced } from "@skillet/kit/files";
import type { LockEntry, LockedTarget } from "../lock/lock-entry.ts";
import { MAX_LOCK_BYTES } from "../lock/read-lock.ts";
import { linkDestination, linkText, type TargetBounds } from "./locate-target.ts";

/** Stages one target beside its place; returns what was made, since not every disk supports links. */
export async function stageStep(
  stage: string,
  place: string,
  { how }: LockedTarget,
  options: { readonly entry: LockEntry; readonly files: readonly TreeFile[]; readonly bounds: TargetBounds },
): Promise<LockedTarget["how"]> {
  const { entry, files, bounds } = options;
  await makeRealFolder(dirname(place));
  const destination = how === "link" ? linkDestination(entry, bounds) : undefined;
  if (destination !== undefined && (await makeLink(stage, place, destination, entry))) return "link";
  await stageTree(stage, files);
  return "copy";
}

const NO_LINKS: ReadonlySet<string> = new Set(["EPERM", "ENOSYS", "ENOTSUP", "EOPNOTSUPP"]);

async function makeLink(
  stage: string,
  place: string,
  destination: string,
  entry: LockEntry,
): Promise<boolean> {
  try {
    // Junctions need no privilege, and must be absolute.
    if (process.platform === "win32") await symlink(destination, stage, "junction");
    else await symlink(linkText(place, destination, entry), stage, "dir");
  } catch (error) {
    // A copy of a linked source would silently stop following it.
    if (entry.linked === true || !NO_LINKS.has(errorCode(error) ?? "")) throw error;
    return false;
  }
  await syncDirectory(dirname(stage));
  return true;
}

// A disk that syncs file by file waits for each; more in parallel gains nothing.
const FILES_AT_ONCE = 8;
// Whatever the umask allows, no file of a skill may be writable by everyone.
const FOLDER_MODE = 0o775;

export async function stageTree(folder: string, files: readonly TreeFile[]): Promise<void> {
  const folders = new Set<string>([folder]);
  for (const { path } of files) {
    const parts = path.split("/").slice(0, -1);
    for (let depth = 1; depth <= parts.length; depth++) folders.add(join(folder, ...parts.slice(0, depth)));
  }
  for (const path of folders) await mkdir(path, { mode: FOLDER_MODE });
  const waiting = [...files];
  const workers = Array.from({ length: FILES_AT_ONCE }, async () => {
    for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
      const path = join(folder, ...file.path.split("/"));
      await writeSynced(path, file.bytes, { mode: file.mode === "755" ? 0o775 : 0o664 });
    }
  });
  // Every worker ends before an error is rethrown: none may still write while the caller cleans up.
  const results = await Promise.allSettled(workers);
  for (const result of results) if (result.status === "rejected") throw result.reason;
  for (const path of folders) await syncDirectory(path);
  await syncDirectory(dirname(folder));
}

/** A lock too large to be read again is not written: the next command would not know of anything installed. */
export async function stageLock(lockFile: string, transaction: string, text: string): Promise<void> {
  const size = Buffer.byteLength(text);
  if (size > MAX_LOCK_BYTES) {
    const message = `${lockFile} would have ${size} bytes, and one of more than ${MAX_LOCK_BYTES} is not read. Nothing was changed; remove skills that are not needed, or install fewer.`;
    const data = { lock: lockFile, size, maxBytes: MAX_LOCK_BYTES };
    throw new SkilletError("lock-too-large", message, { data });
  }
  const existing = await lstatOrAbsent(lockFile);
  await writeSynced(stagedLockPath(lockFile, transaction), text, {
    mode: 0o666,
    prepare: async (handle) => {
      if (existing !== undefined) await keepOwnerAndMode(handle, existing);
    },
  });
  await syncDirectory(dirname(lockFile));
}

export function stagedLockPath(lockFile: string, transaction: string): string {
  return `${lockFile}.${transaction}.new`;
}

/**
 * Places are resolved to real paths and used later: if a folder was replaced by a link meanwhile, a rename or
 * a deletion would happen elsewhere.
 */
export function checkRealFolder(folder: string): void {
  const found = canonicalPath(folder);
  if (found === folder) return;
  const message = `${folder} became a link to ${found} while Skillet was at work in it, and is not followed. Put the folder back, or choose another, and run the command again.`;
  const data = { path: folder, problem: "became a link meanwhile" };
  throw new SkilletError("target-refused", message, { data });
}

export function isRealFolder(folder: string): boolean {
  return canonicalPath(folder) === folder;
}

/** Creates a folder and its missing parents, none of them through a link. */
export async function makeRealFolder(folder: string): Promise<void> {
  const missing: string[] = [];
  for (let current = folder; dirname(current) !== current; current = dirname(current)) {
    if ((await lstatOrAbsent(current)) !== undefined) break;
    missing.push(current);
  }
  for (const path of missing.reverse()) {
    checkRealFolder(dirname(path));
    await mkdir(path, { mode: FOLDER_MODE }).catch(undefinedOn("EEXIST"));
  }
  checkRealFolder(folder);
}

export async function lstatOrAbsent(path: string): Promise<Stats | undefined> {
  return lstat(path).catch(undefinedOn("ENOENT", "ENOTDIR"));
}
