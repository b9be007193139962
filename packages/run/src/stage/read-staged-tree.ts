import { createHash } from "node:crypto";
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  type Stats,
} from "node:fs";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { type Digest, digestBytes, digestTree, type TreeEntry } from "@skillet/kit/digest";
import { undefinedOn } from "@skillet/kit/errors";

// More than is ever staged, in case the folder was filled from outside.
const MAX_ENTRIES = 50_000;
// Staging never writes a file beyond the bound of a whole skill.
const MAX_BYTES = 512 * 1024 * 1024;
const CHUNK_BYTES = 1024 * 1024;
// Follows no link, and does not wait for a FIFO.
const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Undefined unless all is as staged: owner, modes, no empty folder, only files, folders and links. */
export async function readStagedTree(root: string): Promise<readonly TreeEntry[] | undefined> {
  try {
    return isStagedFolder(lstatSync(root)) ? await readTree(root) : undefined;
  } catch (error) {
    // Gone or swapped during reading, or closed to its owner: it is not what was staged.
    return undefinedOn("ENOENT", "ENOTDIR", "EINVAL", "EACCES", "ELOOP")(error);
  }
}

async function readTree(root: string): Promise<readonly TreeEntry[] | undefined> {
  const entries: TreeEntry[] = [];
  const pending = [""];
  let count = 0;
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    const names = readdirSync(join(root, folder));
    count += names.length;
    if ((names.length === 0 && folder !== "") || count > MAX_ENTRIES) return undefined;
    for (const name of names) {
      const path = folder === "" ? name : `${folder}/${name}`;
      const stats = lstatSync(join(root, path));
      if (isStagedFolder(stats)) {
        pending.push(path);
        continue;
      }
      const entry = await readEntry(root, path, stats);
      if (entry === undefined) return undefined;
      entries.push(entry);
    }
  }
  return entries;
}

const MODES: ReadonlyMap<number, TreeEntry["mode"]> = new Map([
  [0o444, "644"],
  [0o555, "755"],
]);

async function readEntry(root: string, path: string, stats: Stats): Promise<TreeEntry | undefined> {
  const file = join(root, path);
  if (!isOwn(stats)) return undefined;
  if (stats.isSymbolicLink()) {
    const target = readlinkSync(file, { encoding: "buffer" });
    return { path, mode: "120000", digest: digestBytes(target), size: target.length };
  }
  const mode = MODES.get(stats.mode & 0o7777);
  if (!stats.isFile() || mode === undefined) return undefined;
  const content = await digestStagedFile(file);
  return content && { path, mode, ...content };
}

function isStagedFolder(stats: Stats): boolean {
  return stats.isDirectory() && isOwn(stats) && (stats.mode & 0o7777) === 0o555;
}

function isOwn(stats: Stats): boolean {
  return process.getuid === undefined || stats.uid === process.getuid();
}

/** Undefined if it is not a regular file, or is larger than any staged one. */
async function digestStagedFile(
  path: string,
): Promise<{ readonly digest: Digest; readonly size: number } | undefined> {
  const descriptor = openSync(path, FLAGS);
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile() || stats.size > MAX_BYTES) return undefined;
    const sum = createHash("sha256");
    const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, stats.size + 1));
    let size = 0;
    for (;;) {
      const count = readSync(descriptor, chunk);
      if (count === 0) return { digest: `sha256:${sum.digest("hex")}`, size };
      sum.update(chunk.subarray(0, count));
      size += count;
      if (size > MAX_BYTES) return undefined;
      if (count === CHUNK_BYTES) await nextTurn();
    }
  } finally {
    closeSync(descriptor);
  }
}

/** Unlike a skill's digest, distinguishes Unicode-equivalent paths, because disks and scripts do so. */
export function spelledDigest(entries: readonly TreeEntry[]): Digest {
  return digestTree(entries.map((entry) => ({ ...entry, path: Buffer.from(entry.path).toString("hex") })));
}
