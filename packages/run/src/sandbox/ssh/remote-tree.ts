import { constants } from "node:fs";
import { lstat, open, readdir, readlink } from "node:fs/promises";
import { join, relative } from "node:path";
import type { TreeFile } from "@skillet/core";
import { TAR_BLOCK_BYTES, tarHeader, tarPadding } from "@skillet/kit/archive";
import { SkilletError } from "@skillet/kit/errors";

/** Everything is sent in blocks of this size, padded with zeros. */
export const WIRE_BLOCK_BYTES = 4096;

export interface RemoteTree {
  readonly blocks: number;
  readonly archive: () => AsyncIterable<Uint8Array>;
}

const TAR_END_BYTES = 2 * TAR_BLOCK_BYTES;
const CHANGED = "The staged copy changed while it was sent; run it again.";

/** Prepares the archive of a tree; its length must be known before it is sent. */
export async function describeTree(files: () => AsyncIterable<TreeFile>): Promise<RemoteTree> {
  let bytes = TAR_END_BYTES;
  for await (const file of files()) bytes += tarEntry(file).reduce((sum, part) => sum + part.length, 0);
  const blocks = Math.ceil(bytes / WIRE_BLOCK_BYTES);
  return { blocks, archive: () => archiveOf(files(), blocks * WIRE_BLOCK_BYTES) };
}

async function* archiveOf(files: AsyncIterable<TreeFile>, length: number): AsyncGenerator<Uint8Array> {
  let left = length - TAR_END_BYTES;
  for await (const file of files) {
    const entry = Buffer.concat(tarEntry(file));
    left -= entry.length;
    // If the tree grew since it was listed, the surplus would be read as the next remote input.
    if (left < 0) throw new SkilletError("sandbox-unavailable", CHANGED);
    yield entry;
  }
  yield new Uint8Array(left + TAR_END_BYTES);
}

// A name too long for a header precedes it in its own entry, as GNU and busybox read it.
const MAX_NAME_BYTES = 100;

function tarEntry({ path, mode, bytes }: TreeFile): readonly Uint8Array[] {
  const name = Buffer.from(path);
  const [type, link, content] =
    mode === "120000" ? ["2", Buffer.from(bytes), Buffer.alloc(0)] : ["0", Buffer.alloc(0), bytes];
  const fields = { name, link, mode: mode === "755" ? 0o755 : 0o644, size: content.length, type };
  const long = [...longName("L", name), ...longName("K", link)];
  return [...long, tarHeader(fields), content, tarPadding(content.length)];
}

function longName(type: "L" | "K", name: Buffer): readonly Uint8Array[] {
  if (name.length <= MAX_NAME_BYTES) return [];
  const content = Buffer.concat([name, Buffer.alloc(1)]);
  const header = tarHeader({ name: Buffer.from("././@LongLink"), mode: 0, size: content.length, type });
  return [header, content, tarPadding(content.length)];
}

const MAX_SENT_FILES = 20_000;
const MAX_SENT_BYTES = 512 * 1024 * 1024;

export async function* stagedFiles(directory: string): AsyncGenerator<TreeFile> {
  let [files, bytes] = [0, 0];
  for (const entry of await readdir(directory, { withFileTypes: true, recursive: true })) {
    if (entry.isDirectory()) continue;
    const file = await readTreeFile(directory, relative(directory, join(entry.parentPath, entry.name)));
    files += 1;
    bytes += file?.bytes.length ?? 0;
    if (file === undefined || files > MAX_SENT_FILES || bytes > MAX_SENT_BYTES) throw cannotSend(directory);
    yield file;
  }
}

/** Undefined for anything that is not a file, or exceeds MAX_SENT_BYTES. */
async function readTreeFile(directory: string, path: string): Promise<TreeFile | undefined> {
  const place = join(directory, path);
  if ((await lstat(place)).isSymbolicLink())
    return { path, mode: "120000", bytes: Buffer.from(await readlink(place)) };
  // Without O_NONBLOCK, opening a FIFO in the place of a file would never return.
  const handle = await open(place, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stats = await handle.stat();
    if (!stats.isFile() || stats.size > MAX_SENT_BYTES) return undefined;
    return { path, mode: (stats.mode & 0o100) === 0 ? "644" : "755", bytes: await handle.readFile() };
  } finally {
    await handle.close();
  }
}

function cannotSend(directory: string): SkilletError {
  const message = `The staged skill in ${directory} cannot be sent: it has more than ${MAX_SENT_FILES} files or ${MAX_SENT_BYTES} bytes, or something that is not a file. Run it in a local sandbox.`;
  return new SkilletError("sandbox-unavailable", message, { data: { directory } });
}
