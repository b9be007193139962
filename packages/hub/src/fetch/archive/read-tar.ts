import { quoteName } from "@skillet/kit/text";
import type { ArchivedEntry } from "./archived-entry.ts";
import { type PaxRecords, readPaxRecords } from "./pax-records.ts";
import { readTarHeader, type TarHeader, tarText } from "./tar-header.ts";
import type { UnpackBudget } from "./unpack-budget.ts";

const BLOCK_BYTES = 512;
// Long names and what else precedes an entry; the longest path that is accepted has a few hundred bytes.
const MAX_META_BYTES = 64 * 1024;

const KINDS: ReadonlyMap<string, string> = new Map([
  ["1", "a hard link"],
  ["2", "a link"],
  ["3", "a device"],
  ["4", "a device"],
  ["6", "a FIFO"],
  ["K", "a link"],
  ["S", "a sparse file"],
]);

/**
 * Reads a tar: files and folders, in the ustar, pax and GNU forms. Everything that readers of tar are known to
 * understand differently is refused, so that nobody else sees another tree than the one that is scanned here.
 */
export function readTar(bytes: Uint8Array, budget: UnpackBudget): readonly ArchivedEntry[] {
  const entries: ArchivedEntry[] = [];
  let pending: PaxRecords = {};
  let isPending = false;
  let offset = 0;
  for (;;) {
    const block = bytes.subarray(offset, offset + BLOCK_BYTES);
    if (block.length < BLOCK_BYTES)
      throw budget.refuse("it ends before its end mark, so a part of it is missing");
    if (block.every((byte) => byte === 0)) break;
    const header = readTarHeader(block);
    if ("fault" in header) throw budget.refuse(header.fault);
    const size = sizeOf(header, { pending, budget });
    const start = offset + BLOCK_BYTES;
    if (start + size > bytes.length) throw budget.refuse("it ends within this entry", header.path);
    const content = bytes.subarray(start, start + size);
    offset = start + Math.ceil(size / BLOCK_BYTES) * BLOCK_BYTES;
    const meta = readMeta(header, { content, budget });
    if (meta !== undefined) {
      if (header.type !== "g" && isPending)
        throw budget.refuse("two headers in a row describe one entry", header.path);
      if (header.type === "g") continue;
      pending = meta;
      isPending = true;
      continue;
    }
    const entry = readEntry(header, { path: pending.path ?? header.path, content, budget });
    if (entry !== undefined) entries.push(entry);
    pending = {};
    isPending = false;
  }
  if (isPending) throw budget.refuse("its last header describes an entry that is not there");
  if (bytes.subarray(offset).some((byte) => byte !== 0))
    throw budget.refuse("bytes follow its end mark, where a second archive could hide");
  return entries;
}

function sizeOf(
  header: TarHeader,
  { pending, budget }: { readonly pending: PaxRecords; readonly budget: UnpackBudget },
): number {
  if (pending.size === undefined) return header.size;
  // Some take it for the size of the next header, some for that of the next entry.
  if (isMeta(header)) throw budget.refuse("a header follows one that gives a size", header.path);
  // The one who believes the other size reads file content as headers.
  if (header.size !== 0 && header.size !== pending.size)
    throw budget.refuse(`it has two sizes, ${header.size} and ${pending.size}`, header.path);
  return pending.size;
}

function isMeta({ type }: TarHeader): boolean {
  return type === "x" || type === "g" || type === "L";
}

/** What a header that is no entry says about the next one. */
function readMeta(
  header: TarHeader,
  { content, budget }: { readonly content: Uint8Array; readonly budget: UnpackBudget },
): PaxRecords | undefined {
  const { type, path, size } = header;
  if (!isMeta(header)) return undefined;
  budget.addEntry(path, { size: 0 });
  if (size > MAX_META_BYTES)
    throw budget.refuse(`a header has ${size} bytes; at most ${MAX_META_BYTES} are read`, path);
  if (type === "L") {
    const name = tarText(content);
    if (name === undefined || name === "")
      throw budget.refuse("a long name has a NUL within, or is not UTF-8");
    return { path: name };
  }
  const records = readPaxRecords(content, { scope: type === "g" ? "global" : "entry" });
  if ("fault" in records) throw budget.refuse(records.fault, path);
  return records;
}

function readEntry(
  header: TarHeader,
  {
    path: written,
    content,
    budget,
  }: { readonly path: string; readonly content: Uint8Array; readonly budget: UnpackBudget },
): ArchivedEntry | undefined {
  const { type, mode } = header;
  const path = written.replace(/^\.\//, "").replace(/\/$/, "");
  if (type !== "5" && type !== "0" && type !== "\0")
    throw budget.refuse(
      `it is ${KINDS.get(type) ?? `of the unknown type ${quoteName(type)}`}, not a plain file or folder`,
      path,
    );
  const marks = [header.path, written].map((name) => name.endsWith("/"));
  // Old programs mark folders by their name alone; a slash in only one of two names, or on a file, is a folder for some.
  const isFolder = type === "5" || (type === "\0" && marks.every(Boolean));
  if (!isFolder && marks.some(Boolean))
    throw budget.refuse("it is a file by its type and a folder by its name", path);
  budget.addEntry(path, { size: content.length });
  if (isFolder) {
    if (content.length > 0) throw budget.refuse("it is a folder with content", path);
    // What `tar -C folder .` writes for the folder itself.
    return path === "" || path === "." ? undefined : { kind: "folder", path };
  }
  if ((mode & 0o6000) !== 0)
    throw budget.refuse("it would run with the rights of its owner or group (setuid)", path);
  const file = { path, mode: (mode & 0o100) === 0 ? ("644" as const) : ("755" as const), bytes: content };
  return { kind: "file", path, file };
}
