import { constants } from "node:fs";
import { lstat, open, readdir, readlink } from "node:fs/promises";
import { join } from "node:path";
import type { TreeFile } from "@skillet/core";
import { TAR_BLOCK_BYTES, tarHeader, tarPadding } from "@skillet/kit/archive";
import { type Digest, digestBytes, digestTree, type TreeEntry } from "@skillet/kit/digest";
import { SkilletError } from "@skillet/kit/errors";

/** What is sent is counted in blocks of this size, and filled up with zeros. */
export const WIRE_BLOCK_BYTES = 4096;

export interface RemoteTree {
  readonly digest: Digest;
  /** Names, modes and digests, as the remote machine lists them with its own tools. */
  readonly manifest: Uint8Array;
  /** How long the archive is, in blocks of `WIRE_BLOCK_BYTES`. */
  readonly blocks: number;
  readonly archive: () => AsyncIterable<Uint8Array>;
}

const TAR_END_BYTES = 2 * TAR_BLOCK_BYTES;

/** Lists a tree; its digest is of what is there, which names the remote copy whatever the caller calls it. */
export async function describeTree(files: () => AsyncIterable<TreeFile>): Promise<RemoteTree> {
  const entries: TreeEntry[] = [];
  const links: string[] = [];
  let bytes = TAR_END_BYTES;
  for await (const file of files()) {
    const { path, mode } = file;
    entries.push({ path, mode, digest: digestBytes(file.bytes), size: file.bytes.length });
    if (mode === "120000") links.push(`./${path} > ${Buffer.from(file.bytes).toString()}`);
    bytes += tarEntry(file).reduce((sum, part) => sum + part.length, 0);
  }
  const blocks = Math.ceil(bytes / WIRE_BLOCK_BYTES);
  return {
    digest: digestTree(entries),
    manifest: manifestOf(entries, links),
    blocks,
    archive: () => archiveOf(files(), blocks * WIRE_BLOCK_BYTES),
  };
}

function manifestOf(entries: readonly TreeEntry[], links: readonly string[]): Uint8Array {
  const files = entries.filter(({ mode }) => mode !== "120000");
  return Buffer.concat([
    sortedLines([...foldersOf(entries)]),
    sortedLines(files.filter(({ mode }) => mode === "755").map(({ path }) => `./${path}`)),
    sortedLines(links),
    sortedLines(files.map(sumLine)),
  ]);
}

function foldersOf(entries: readonly TreeEntry[]): Set<string> {
  const folders = new Set(["."]);
  for (const { path } of entries)
    for (let end = path.indexOf("/"); end !== -1; end = path.indexOf("/", end + 1))
      folders.add(`./${path.slice(0, end)}`);
  return folders;
}

// As sha256sum writes it: a name with a backslash or a line end is escaped, and the line begins with a backslash.
function sumLine({ path, digest }: TreeEntry): string {
  const escaped = path.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll("\r", "\\r");
  return `${escaped === path ? "" : "\\"}${digest.slice("sha256:".length)}  ./${escaped}`;
}

// As sort does it in the C locale: by lines, so that a name with a line end is two of them.
function sortedLines(items: readonly string[]): Buffer {
  const lines = items.flatMap((item) => item.split("\n")).map((line) => Buffer.from(`${line}\n`));
  return Buffer.concat(lines.sort(Buffer.compare));
}

async function* archiveOf(files: AsyncIterable<TreeFile>, length: number): AsyncGenerator<Uint8Array> {
  let left = length - TAR_END_BYTES;
  for await (const file of files) {
    const entry = Buffer.concat(tarEntry(file));
    left -= entry.length;
    // A tree that grew since it was listed would run over into what the remote machine reads next.
    if (left < 0)
      throw new SkilletError(
        "sandbox-unavailable",
        "The staged copy changed while it was sent; run it again.",
      );
    yield entry;
  }
  yield new Uint8Array(left + TAR_END_BYTES);
}

// Names that do not fit a header go before it in one of their own, as GNU and busybox read them.
const MAX_NAME_BYTES = 100;

function tarEntry({ path, mode, bytes }: TreeFile): readonly Uint8Array[] {
  const isLink = mode === "120000";
  const name = Buffer.from(path);
  const link = isLink ? Buffer.from(bytes) : Buffer.alloc(0);
  const content = isLink ? new Uint8Array(0) : bytes;
  const fields = { name, link, mode: mode === "755" ? 0o755 : 0o644, size: content.length };
  return [
    ...longName("L", name),
    ...longName("K", link),
    tarHeader({ ...fields, type: isLink ? "2" : "0" }),
    content,
    tarPadding(content.length),
  ];
}

function longName(type: "L" | "K", name: Buffer): readonly Uint8Array[] {
  if (name.length <= MAX_NAME_BYTES) return [];
  const content = Buffer.concat([name, Buffer.alloc(1)]);
  const header = tarHeader({ name: Buffer.from("././@LongLink"), mode: 0, size: content.length, type });
  return [header, content, tarPadding(content.length)];
}

const MAX_SENT_FILES = 20_000;
const MAX_SENT_BYTES = 512 * 1024 * 1024;

/** Every file of a staged copy, one after the other; links are told, not followed. */
export async function* stagedFiles(directory: string): AsyncGenerator<TreeFile> {
  const folders = [""];
  let files = 0;
  let bytes = 0;
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of await readdir(join(directory, folder), { withFileTypes: true })) {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) {
        folders.push(path);
        continue;
      }
      const file = await readTreeFile(directory, path);
      files += 1;
      bytes += file.bytes.length;
      if (files > MAX_SENT_FILES || bytes > MAX_SENT_BYTES) throw tooLarge(directory);
      yield file;
    }
  }
}

async function readTreeFile(directory: string, path: string): Promise<TreeFile> {
  const place = join(directory, path);
  if ((await lstat(place)).isSymbolicLink())
    return { path, mode: "120000", bytes: Buffer.from(await readlink(place)) };
  // Without O_NONBLOCK a FIFO in the place of a file would be waited for without end.
  const handle = await open(place, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stats = await handle.stat();
    if (!stats.isFile() || stats.size > MAX_SENT_BYTES) throw tooLarge(directory);
    return { path, mode: (stats.mode & 0o100) === 0 ? "644" : "755", bytes: await handle.readFile() };
  } finally {
    await handle.close();
  }
}

function tooLarge(directory: string): SkilletError {
  return new SkilletError(
    "sandbox-unavailable",
    `The staged skill in ${directory} cannot be sent: it has more than ${MAX_SENT_FILES} files or ${MAX_SENT_BYTES} bytes, ` +
      "or something that is not a file. Run it in a local sandbox.",
    { data: { directory } },
  );
}
