import { crc32 } from "node:zlib";
import { SkilletError } from "@skillet/kit/errors";
import { type Entry, fromBufferPromise, type LocalFileHeader, type ZipFile } from "yauzl";
import type { ArchivedEntry } from "./archived-entry.ts";
import { inflateBounded } from "./inflate-bounded.ts";
import type { UnpackBudget } from "./unpack-budget.ts";
import { readZipEnd } from "./zip-end.ts";
import { findLayoutFault } from "./zip-layout.ts";
import { readZipMember, type ZipMember } from "./zip-member.ts";

const TYPE_MASK = 0o170000;
const PLAIN_FILE = 0o100000;
const FOLDER = 0o040000;

const KINDS: ReadonlyMap<number, string> = new Map([
  [0o010000, "a FIFO"],
  [0o020000, "a device"],
  [0o060000, "a device"],
  [0o120000, "a link"],
  [0o140000, "a socket"],
]);

/**
 * Reads a zip: its list, each entry's own header, and that both agree; then the data, checked by length and sum.
 * Programs that read zips from the front and those that read them from the end must see the same tree.
 */
export async function readZip(bytes: Uint8Array, budget: UnpackBudget): Promise<readonly ArchivedEntry[]> {
  const end = readZipEnd(bytes);
  if ("fault" in end) throw budget.refuse(end.fault);
  const members = await readList(bytes, budget);
  if (members.length !== end.entryCount)
    throw budget.refuse("its list has another length than its end record says");
  const fault = findLayoutFault(members, { bytes, listStart: end.listStart });
  if (fault !== undefined) throw budget.refuse(fault);
  const entries: ArchivedEntry[] = [];
  for (const member of members) entries.push(await readMember(member, { bytes, budget }));
  return entries;
}

async function readList(bytes: Uint8Array, budget: UnpackBudget): Promise<readonly ZipMember[]> {
  const members: ZipMember[] = [];
  try {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    // Names stay raw: they are compared byte by byte, and judged by the rules for all sources.
    const zip = await fromBufferPromise(buffer, { decodeStrings: false });
    for await (const entry of zip.eachEntry()) {
      const member = readZipMember(entry, await readLocalHeader(zip, entry));
      if ("fault" in member) throw budget.refuse(member.fault, entry.fileNameRaw.toString("utf8"));
      budget.addEntry(member.path.replace(/\/$/, ""), { size: entry.uncompressedSize });
      members.push(member);
    }
  } catch (error) {
    if (SkilletError.isInstance(error) || !(error instanceof Error)) throw error;
    // The reader gives sentences without a code; whatever it stumbles over is in the archive.
    throw budget.refuse(
      `it is damaged or no proper zip (${error.message.replace(/[^\x20-\x7e]/g, "?").slice(0, 120)})`,
    );
  }
  return members;
}

function readLocalHeader(zip: ZipFile, entry: Entry): Promise<LocalFileHeader> {
  return new Promise((resolve, reject) => {
    zip.readLocalFileHeader(entry, { minimal: false }, (error, header) => {
      if (error === null || error === undefined) resolve(header);
      else reject(error);
    });
  });
}

async function readMember(
  { path, entry, dataStart, dataEnd }: ZipMember,
  { bytes, budget }: { readonly bytes: Uint8Array; readonly budget: UnpackBudget },
): Promise<ArchivedEntry> {
  const mode = entry.externalFileAttributes >>> 16;
  const type = mode & TYPE_MASK;
  const isFolder = path.endsWith("/");
  if (type !== 0 && type !== (isFolder ? FOLDER : PLAIN_FILE))
    throw budget.refuse(
      `it is ${KINDS.get(type) ?? "of another kind than its name says"}, not a plain file or folder`,
      path,
    );
  if (isFolder) {
    if (entry.uncompressedSize > 0) throw budget.refuse("it is a folder with content", path);
    return { kind: "folder", path: path.slice(0, -1) };
  }
  if ((mode & 0o6000) !== 0)
    throw budget.refuse("it would run with the rights of its owner or group (setuid)", path);
  const content = await readContent(bytes.subarray(dataStart, dataEnd), { path, entry, budget });
  return { kind: "file", path, file: { path, mode: (mode & 0o100) === 0 ? "644" : "755", bytes: content } };
}

async function readContent(
  data: Uint8Array,
  { path, entry, budget }: { readonly path: string; readonly entry: Entry; readonly budget: UnpackBudget },
): Promise<Uint8Array> {
  const size = entry.uncompressedSize;
  const inflated =
    entry.compressionMethod === 0
      ? { bytes: data, consumedBytes: data.length }
      : await inflateBounded(data, { format: "raw", maxBytes: size });
  if ("fault" in inflated) throw budget.refuse(inflated.fault, path);
  if (inflated.consumedBytes !== data.length) throw budget.refuse("bytes follow its compressed data", path);
  if (inflated.bytes.length !== size || crc32(inflated.bytes) !== entry.crc32)
    throw budget.refuse("its content has another length or checksum than its header says", path);
  return inflated.bytes;
}
