import { randomBytes } from "node:crypto";
import type { Stats } from "node:fs";
import { type FileHandle, lstat, open, readlink, realpath, rename, rm } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { errorCode, SkilletError, undefinedOn } from "../errors.ts";
import { makeFolders } from "./paths.ts";

// Linux gives up after 40 links as well.
const MAX_LINKS = 40;

/**
 * Replaces a file in one step: readers see the old bytes or the new ones, even after a crash.
 *
 * An existing file keeps its mode and, if permitted, its owner; `mode` is for a new file. The target of a
 * link is replaced, so that files kept in a dotfile repository stay there, unless `links` refuses links: a
 * stranger's link may lead to another user's file.
 */
export async function writeAtomic(
  path: string,
  content: Uint8Array | string,
  options: { readonly mode?: number; readonly links?: "follow" | "refuse" } = {},
): Promise<void> {
  const target = await resolveTarget(path, options.links === "refuse" ? 0 : MAX_LINKS);
  const directory = dirname(target.path);
  // A name of fixed length: one derived from the target's could exceed what the file system allows.
  const temporary = join(directory, `.skillet-${randomBytes(8).toString("hex")}.tmp`);
  try {
    const { existing } = target;
    await writeSynced(temporary, content, {
      mode: existing === undefined && options.mode === undefined ? 0o666 : 0o600,
      prepare: async (handle) => {
        if (existing !== undefined) await keepOwnerAndMode(handle, existing);
        else if (options.mode !== undefined) await handle.chmod(options.mode);
      },
    });
    await rename(temporary, target.path);
    await syncDirectory(directory);
  } catch (error) {
    await rm(temporary, { force: true });
    throw unwritable(target.path, error);
  }
}

async function resolveTarget(path: string, maxLinks: number): Promise<{ path: string; existing?: Stats }> {
  let current = resolve(path);
  for (let links = 0; links <= maxLinks; links++) {
    const stats = await statOrAbsent(current);
    if (stats === undefined) return { path: current };
    if (stats.isFile()) return { path: current, existing: stats };
    if (!stats.isSymbolicLink())
      throw new SkilletError("not-a-file", `${current} is not a regular file, so it was not written.`, {
        data: { path: current },
      });
    // The folder is resolved first: `..` in a link's text is relative to the link's real folder.
    const directory = await realpath(dirname(current));
    current = resolve(directory, await readlink(join(directory, basename(current))));
  }
  const why =
    maxLinks === 0 ? "is a link, so it was not written" : `leads through more than ${maxLinks} links`;
  throw new SkilletError("link-refused", `${path} ${why}.`, { data: { path } });
}

async function statOrAbsent(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(path);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw unwritable(path, error);
  }
}

/** Creates a file that must not exist, and returns when its bytes are on disk. */
export async function writeSynced(
  path: string,
  content: Uint8Array | string,
  options: { readonly mode: number; prepare?(handle: FileHandle): Promise<void> },
): Promise<void> {
  const handle = await open(path, "wx", options.mode);
  try {
    await handle.writeFile(content);
    await options.prepare?.(handle);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Gives a replacement file the mode and, if permitted, the owner of the file it replaces. */
export async function keepOwnerAndMode(handle: FileHandle, existing: Stats): Promise<void> {
  // Otherwise a file replaced under sudo would become root's, and its user could no longer edit it.
  const own = await handle.stat();
  if (own.uid !== existing.uid || own.gid !== existing.gid)
    await handle.chown(existing.uid, existing.gid).catch(undefinedOn("EPERM"));
  await handle.chmod(existing.mode & 0o777);
}

function unwritable(path: string, cause: unknown): SkilletError {
  if (SkilletError.isInstance(cause)) return cause;
  const code = errorCode(cause) ?? "unknown error";
  const message = `${path} could not be written (${code}); check the folder's permissions and free space.`;
  return new SkilletError("file-unwritable", message, { data: { path, errno: code }, cause });
}

/** Makes a created or renamed name in a folder survive a power cut. */
export async function syncDirectory(directory: string): Promise<void> {
  // Windows has no such call and orders metadata itself.
  if (process.platform === "win32") return;
  const handle = await open(directory, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Creates Skillet's home, private to its owner; only writers call it, so reading never creates anything. */
export async function ensureHome(home: string): Promise<void> {
  try {
    makeFolders(home, 0o700);
  } catch (error) {
    const code = errorCode(error) ?? "unknown error";
    const message = `Skillet's home ${home} could not be created (${code}); set SKILLET_HOME to a folder you can write.`;
    throw new SkilletError("home-unwritable", message, { data: { home, errno: code }, cause: error });
  }
}
