import type { TreeFile } from "@skillet/core";
import { TAR_BLOCK_BYTES, tarHeader, tarPadding } from "@skillet/kit/archive";
import { type Digest, digestBytes, digestTree, type TreeEntry } from "@skillet/kit/digest";
import { SkilletError } from "@skillet/kit/errors";

/** What is sent is counted in blocks of this size, and filled up with zeros. */
export const WIRE_BLOCK_BYTES = 4096;

/** A tree as the remote machine gets and checks it. */
export interface RemoteTree {
  readonly digest: Digest;
  /** Names, modes and digests, as the remote machine lists them with its own tools. */
  readonly manifest: Uint8Array;
  /** How long the archive is, in blocks of `WIRE_BLOCK_BYTES`. */
  readonly blocks: number;
  /** The archive, read anew. */
  readonly archive: () => AsyncIterable<Uint8Array>;
}

/** Lists a tree; its digest is of what is there, which names the remote copy whatever the caller calls it. */
export async function describeTree(files: () => AsyncIterable<TreeFile>): Promise<RemoteTree> {
  const entries: TreeEntry[] = [];
  const links: string[] = [];
  let bytes = TAR_END_BYTES;
  for await (const file of files()) {
    const size = file.bytes.length;
    entries.push({ path: file.path, mode: file.mode, digest: digestBytes(file.bytes), size });
    if (file.mode === "120000") links.push(`./${file.path} > ${Buffer.from(file.bytes).toString()}`);
    bytes += tarEntryBytes({ path: file.path, mode: file.mode, size });
  }
  const blocks = Math.ceil(bytes / WIRE_BLOCK_BYTES);
  return {
    digest: digestTree(entries),
    manifest: manifestOf(entries, links),
    blocks,
    archive: () => archiveOf(files(), blocks * WIRE_BLOCK_BYTES),
  };
}

const TAR_END_BYTES = 2 * TAR_BLOCK_BYTES;

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
    const entry = tarEntry(file);
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

/** How many bytes one file of this size and these names takes in an archive. */
export function tarEntryBytes({
  path,
  mode,
  size,
}: Pick<TreeFile, "path" | "mode"> & { size: number }): number {
  const isLink = mode === "120000";
  const long = [Buffer.byteLength(path), isLink ? size : 0].filter((length) => length > MAX_NAME_BYTES);
  const filled = (length: number): number => length + tarPadding(length).length;
  return long.reduce(
    (sum, length) => sum + TAR_BLOCK_BYTES + filled(length + 1),
    TAR_BLOCK_BYTES + (isLink ? 0 : filled(size)),
  );
}

/** One file as an entry of a tar archive. */
export function tarEntry({ path, mode, bytes }: TreeFile): Uint8Array {
  const isLink = mode === "120000";
  const name = Buffer.from(path);
  const link = isLink ? Buffer.from(bytes) : Buffer.alloc(0);
  const content = isLink ? new Uint8Array(0) : bytes;
  const fields = { name, link, mode: mode === "755" ? 0o755 : 0o644, size: content.length };
  return Buffer.concat([
    ...longName("L", name),
    ...longName("K", link),
    tarHeader({ ...fields, type: isLink ? "2" : "0" }),
    content,
    tarPadding(content.length),
  ]);
}

function longName(type: "L" | "K", name: Buffer): readonly Uint8Array[] {
  if (name.length <= MAX_NAME_BYTES) return [];
  const content = Buffer.concat([name, Buffer.alloc(1)]);
  const header = tarHeader({ name: Buffer.from("././@LongLink"), mode: 0, size: content.length, type });
  return [header, content, tarPadding(content.length)];
}
