import type { Stats } from "node:fs";
import { chmod, lstat, mkdir, readdir, rm, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { TreeFile } from "@skillet/core";
import { errorCode, SkilletError } from "@skillet/kit/errors";
import { canonicalPath, keepOwnerAndMode, syncDirectory, writeSynced } from "@skillet/kit/files";
import type { LockEntry, LockedTarget } from "../lock/lock-entry.ts";
import { MAX_LOCK_BYTES } from "../lock/read-lock.ts";
import { linkDestination, linkText, type TargetBounds } from "./locate-target.ts";
import { stagedLockPath } from "./recover.ts";

interface StageOptions {
  readonly stage: string;
  readonly place: string;
  readonly target: LockedTarget;
  readonly entry: LockEntry;
  readonly files: readonly TreeFile[];
  readonly bounds: TargetBounds;
}

/** Writes the new content of one target beside its place; says what it is in the end, since not every disk has links. */
export async function stageStep(options: StageOptions): Promise<LockedTarget["how"]> {
  const { stage, place, target, entry, files, bounds } = options;
  await makeRealFolder(dirname(place));
  const destination = target.how === "link" ? linkDestination(entry, bounds) : undefined;
  if (destination !== undefined && (await makeLink(stage, place, destination, entry))) return "link";
  await stageTree(stage, files);
  return "copy";
}

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
    const code = errorCode(error);
    // A copy of a linked source would silently stop following it.
    if (entry.linked === true || !NO_LINKS.has(code ?? "")) throw error;
    return false;
  }
  await syncDirectory(dirname(stage));
  return true;
}

const NO_LINKS: ReadonlySet<string> = new Set(["EPERM", "ENOSYS", "ENOTSUP", "EOPNOTSUPP"]);

// A disk that syncs one file after the other waits for each; more at once than this gains nothing.
const FILES_AT_ONCE = 8;
// Whatever the umask lets through, nothing of a skill may be written by everyone.
const FOLDER_MODE = 0o775;

export async function stageTree(folder: string, files: readonly TreeFile[]): Promise<void> {
  await mkdir(folder, { mode: FOLDER_MODE });
  const folders = new Set<string>([folder]);
  for (const { path } of files) {
    const parts = path.split("/").slice(0, -1);
    for (let depth = 1; depth <= parts.length; depth++) folders.add(join(folder, ...parts.slice(0, depth)));
  }
  for (const path of folders) if (path !== folder) await mkdir(path, { mode: FOLDER_MODE });
  const waiting = [...files];
  const workers = Array.from({ length: FILES_AT_ONCE }, async () => {
    for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
      const path = join(folder, ...file.path.split("/"));
      await writeSynced(path, file.bytes, { mode: file.mode === "755" ? 0o775 : 0o664 });
    }
  });
  // Every worker ends before an error is passed on: none may still write while the caller cleans up.
  const results = await Promise.allSettled(workers);
  for (const result of results) if (result.status === "rejected") throw result.reason;
  for (const path of folders) await syncDirectory(path);
  await syncDirectory(dirname(folder));
}

/** One that could not be read again is not written: the next command would know of nothing that is installed. */
export async function stageLock(lockFile: string, transaction: string, text: string): Promise<void> {
  const size = Buffer.byteLength(text);
  if (size > MAX_LOCK_BYTES) throw tooLarge(lockFile, size);
  const existing = await lstatOrAbsent(lockFile);
  await writeSynced(stagedLockPath(lockFile, transaction), text, {
    mode: 0o666,
    prepare: async (handle) => {
      if (existing !== undefined) await keepOwnerAndMode(handle, existing);
    },
  });
  await syncDirectory(dirname(lockFile));
}

function tooLarge(lockFile: string, size: number): SkilletError {
  const message = `${lockFile} would have ${size} bytes, and one of more than ${MAX_LOCK_BYTES} is not read. Nothing was changed; remove skills that are not needed, or install fewer.`;
  return new SkilletError("lock-too-large", message, {
    data: { lock: lockFile, size, maxBytes: MAX_LOCK_BYTES },
  });
}

/**
 * Places are found by their real paths and used later: a folder that was swapped for a link meanwhile would lead what
 * is renamed or deleted somewhere else.
 */
export function checkRealFolder(folder: string): void {
  const found = canonicalPath(folder);
  if (found !== folder) throw moved(folder, found);
}

export function isRealFolder(folder: string): boolean {
  return canonicalPath(folder) === folder;
}

/** Makes a folder and those above it, none of them through a link. */
async function makeRealFolder(folder: string): Promise<void> {
  const missing: string[] = [];
  for (let current = folder; dirname(current) !== current; current = dirname(current)) {
    if ((await lstatOrAbsent(current)) !== undefined) break;
    missing.push(current);
  }
  for (const path of missing.reverse()) {
    checkRealFolder(dirname(path));
    try {
      await mkdir(path, { mode: 0o775 });
    } catch (error) {
      if (errorCode(error) !== "EEXIST") throw error;
    }
  }
  checkRealFolder(folder);
}

function moved(folder: string, found: string): SkilletError {
  const message = `${folder} became a link to ${found} while Skillet was at work in it, and is not followed. Put the folder back, or choose another, and run the command again.`;
  return new SkilletError("target-refused", message, {
    data: { path: folder, problem: "became a link meanwhile" },
  });
}

/** What lies at a path, without following a link there; undefined for nothing. */
export async function lstatOrAbsent(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(path);
  } catch (error) {
    const code = errorCode(error);
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw error;
  }
}

/** Removes a folder with all that is in it, or a link and never what it leads to; nothing there is fine. */
export async function removeTree(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true });
  } catch (error) {
    const code = errorCode(error);
    if (code !== "EACCES" && code !== "EPERM" && code !== "ENOTEMPTY") throw error;
    // Someone made a folder in it read-only, which keeps its owner from emptying it.
    await openFolders(path);
    await rm(path, { recursive: true, force: true });
  }
}

async function openFolders(path: string): Promise<void> {
  if (!(await lstat(path)).isDirectory()) return;
  await chmod(path, 0o700);
  for (const entry of await readdir(path, { withFileTypes: true }))
    if (entry.isDirectory()) await openFolders(join(path, entry.name));
}
