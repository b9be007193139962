import { crc32 } from "node:zlib";
import { quoteName } from "../text.ts";
import { type ArchiveContent, type ArchiveItem, decodeName, faultOf } from "./archive-entry.ts";
import { inflate } from "./inflate.ts";

const END_SIGNATURE = 0x06054b50;
const END_BYTES = 22;
const MAX_COMMENT_BYTES = 0xffff;
const ZIP64_LOCATOR_SIGNATURE = 0x07064b50;
const ZIP64_LOCATOR_BYTES = 20;
const ZIP64_END_SIGNATURE = 0x06064b50;
const ZIP64_END_BYTES = 56;
const LISTED_SIGNATURE = 0x02014b50;
const LISTED_BYTES = 46;
const LOCAL_SIGNATURE = 0x04034b50;
const LOCAL_BYTES = 30;
const DESCRIPTOR_SIGNATURE = 0x08074b50;

const ENCRYPTED = 0x41;
const HAS_DESCRIPTOR = 0x8;
const NAME_IS_UTF8 = 0x800;
const STORED = 0;
const DEFLATED = 8;
const SEE_ZIP64 = 0xffff_ffff;

const ZIP64_FIELD = 0x0001;
const UNICODE_PATH_FIELD = 0x7075;
// Version and checksum, before the name.
const UNICODE_PATH_HEAD_BYTES = 5;

const TYPE_MASK = 0o170000;
const PLAIN_FILE = 0o100000;
const FOLDER = 0o040000;
const LINK = 0o120000;
const KINDS: ReadonlyMap<number, string> = new Map([
  [0o010000, "a FIFO"],
  [0o020000, "a device"],
  [0o060000, "a device"],
  [LINK, "a link"],
  [0o140000, "a socket"],
]);

/** In both the list and an entry's own header. */
interface Header {
  readonly flags: number;
  readonly method: number;
  readonly crc: number;
  readonly packedSize: number;
  readonly size: number;
  readonly name: Buffer;
  /** Undefined if a field claims to be longer than all of them. */
  readonly extra: readonly ExtraField[] | undefined;
  readonly end: number;
}

interface ExtraField {
  readonly id: number;
  readonly data: Buffer;
}

interface Listed extends Header {
  readonly path: string;
  readonly start: number;
  readonly unixMode: number;
}

interface Member extends Listed {
  readonly dataStart: number;
  readonly dataEnd: number;
  /** Whether only the descriptor says where the data ends: stored data does not mark its own end. */
  readonly isOpenEnded: boolean;
}

/** Programs that read zips from the front and those that read them from the end must see the same tree. */
export function* readZip(bytes: Uint8Array): Generator<ArchiveItem> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = findEnd(buffer);
  if (end === undefined) {
    yield faultOf(
      "damaged",
      "its end record is missing, cut off, or followed by bytes where a second archive could hide",
    );
    return;
  }
  const list = readEnd(buffer, end);
  for (const reason of list.faults) yield faultOf("unsafe", reason);
  const members: Member[] = [];
  let at = list.start;
  for (let count = 0; count < list.entryCount; count++) {
    const listed = readListed(buffer, at);
    if (listed === undefined) {
      yield faultOf("damaged", "its list of entries is damaged, or shorter than its end record says");
      break;
    }
    at = listed.end;
    const local = readLocal(buffer, listed.start);
    const dataEnd = (local?.end ?? 0) + listed.packedSize;
    if (local === undefined || dataEnd > buffer.length || listed.size === SEE_ZIP64) {
      yield faultOf("damaged", "it is damaged: its size or its data is not where the list says", listed.path);
      continue;
    }
    const isOpenEnded = isStreamed(listed) && listed.method === STORED && local.packedSize === 0;
    const member = { ...listed, dataStart: local.end, dataEnd, isOpenEnded };
    members.push(member);
    yield* checkMember(member, local, buffer);
  }
  if (at !== list.end) yield faultOf("unsafe", "its list has another length than its end record says");
  for (const reason of findLayoutFault(members, buffer, list.start)) yield faultOf("unsafe", reason);
  if (hasUnlisted(members, buffer)) yield faultOf("unlisted", "it holds members that it does not list");
}

// Searches backwards from the end, as all programs do; the first one found must reach exactly to the end.
function findEnd(buffer: Buffer): number | undefined {
  const last = buffer.length - END_BYTES;
  for (let at = last; at >= Math.max(0, last - MAX_COMMENT_BYTES); at--) {
    if (buffer.readUInt32LE(at) !== END_SIGNATURE) continue;
    return buffer.readUInt16LE(at + 20) === last - at ? at : undefined;
  }
  return undefined;
}

function readEnd(
  buffer: Buffer,
  end: number,
): {
  readonly start: number;
  readonly end: number;
  readonly entryCount: number;
  readonly faults: readonly string[];
} {
  const faults: string[] = [];
  const entryCount = buffer.readUInt16LE(end + 10);
  const start = buffer.readUInt32LE(end + 16);
  const locator = end - ZIP64_LOCATOR_BYTES;
  if (locator >= 0 && buffer.readUInt32LE(locator) === ZIP64_LOCATOR_SIGNATURE) {
    faults.push("it is a zip64, which has two end records that can disagree and which no skill needs");
    const large = Number(buffer.readBigUInt64LE(locator + 8));
    if (large <= locator - ZIP64_END_BYTES && buffer.readUInt32LE(large) === ZIP64_END_SIGNATURE)
      return {
        start: Number(buffer.readBigUInt64LE(large + 48)),
        end: large,
        entryCount: Number(buffer.readBigUInt64LE(large + 32)),
        faults,
      };
  }
  if (buffer.readUInt32LE(end + 4) !== 0 || buffer.readUInt16LE(end + 8) !== entryCount)
    faults.push("it is one of several volumes");
  if (start + buffer.readUInt32LE(end + 12) !== end)
    faults.push("its list of entries is not where its end record says");
  return { start, end, entryCount, faults };
}

function readListed(buffer: Buffer, at: number): Listed | undefined {
  if (at + LISTED_BYTES > buffer.length || buffer.readUInt32LE(at) !== LISTED_SIGNATURE) return undefined;
  const header = readHeader(buffer, { fields: at + 8, names: at + LISTED_BYTES });
  const end = header.end + buffer.readUInt16LE(at + 32);
  if (end > buffer.length) return undefined;
  const large = header.extra?.find(({ id }) => id === ZIP64_FIELD)?.data;
  let used = 0;
  // A number too large for its field is in the zip64 field, in this order; if missing there, it stays absurd.
  const widen = (value: number): number => {
    if (value !== SEE_ZIP64 || large === undefined || used + 8 > large.length) return value;
    used += 8;
    return Number(large.readBigUInt64LE(used - 8));
  };
  const [size, packedSize] = [widen(header.size), widen(header.packedSize)];
  const start = widen(buffer.readUInt32LE(at + 42));
  const path = decodeName(header.name).text;
  return { ...header, size, packedSize, end, path, start, unixMode: buffer.readUInt16LE(at + 40) };
}

function readLocal(buffer: Buffer, at: number): Header | undefined {
  if (at + LOCAL_BYTES > buffer.length || buffer.readUInt32LE(at) !== LOCAL_SIGNATURE) return undefined;
  const header = readHeader(buffer, { fields: at + 6, names: at + LOCAL_BYTES });
  return header.end > buffer.length ? undefined : header;
}

function readHeader(
  buffer: Buffer,
  { fields, names }: { readonly fields: number; readonly names: number },
): Header {
  const nameEnd = names + buffer.readUInt16LE(fields + 20);
  const end = nameEnd + buffer.readUInt16LE(fields + 22);
  return {
    flags: buffer.readUInt16LE(fields),
    method: buffer.readUInt16LE(fields + 2),
    crc: buffer.readUInt32LE(fields + 8),
    packedSize: buffer.readUInt32LE(fields + 12),
    size: buffer.readUInt32LE(fields + 16),
    name: buffer.subarray(names, nameEnd),
    extra: readExtra(buffer.subarray(nameEnd, end)),
    end,
  };
}

function readExtra(bytes: Buffer): readonly ExtraField[] | undefined {
  const fields: ExtraField[] = [];
  // Some programs pad with fewer bytes than a field has.
  for (let start = 0; start + 4 <= bytes.length; ) {
    const end = start + 4 + bytes.readUInt16LE(start + 2);
    if (end > bytes.length) return undefined;
    fields.push({ id: bytes.readUInt16LE(start), data: bytes.subarray(start + 4, end) });
    start = end;
  }
  return fields;
}

function* checkMember(member: Member, local: Header, buffer: Buffer): Generator<ArchiveItem> {
  const { path, name, method, flags, size, unixMode } = member;
  const isFolder = path.endsWith("/");
  const type = unixMode & TYPE_MASK;
  if (!name.equals(local.name)) {
    const inner = quoteName(decodeName(local.name).text);
    const reason = `it has two names, ${quoteName(path)} in the list and ${inner} beside its data`;
    yield faultOf("two-names", reason, path);
  }
  if (((flags | local.flags) & ENCRYPTED) !== 0) {
    yield faultOf("encrypted", "it is encrypted, so that it cannot be looked into", path);
    return;
  }
  for (const reason of findDisagreements(member, local)) yield faultOf("unsafe", reason, path);
  if (type !== 0 && type !== (isFolder ? FOLDER : PLAIN_FILE)) {
    const kind = KINDS.get(type) ?? "of another kind than its name says";
    yield faultOf("unsafe", `it is ${kind}, not a plain file or folder`, path);
  }
  if (isFolder && size > 0) yield faultOf("unsafe", "it is a folder with content", path);
  if (!isFolder && (unixMode & 0o6000) !== 0)
    yield faultOf("unsafe", "it would run with the rights of its owner or group (setuid)", path);
  if (method === STORED && size !== member.packedSize)
    yield faultOf("unsafe", "it is stored in two sizes", path);
  // Java packs an empty folder into two bytes. One that falsely claims to be empty becomes a visible file.
  const isEmpty = size === 0 && readContent(member, buffer, 0).fault === undefined;
  yield {
    kind: isFolder && isEmpty ? "folder" : type === LINK ? "link" : "file",
    path: isFolder ? path.slice(0, -1) : path,
    mode: (unixMode & 0o100) === 0 ? "644" : "755",
    size,
    read: (maxBytes) => readContent(member, buffer, maxBytes),
  };
}

function* findDisagreements(member: Member, local: Header): Generator<string> {
  const { name, extra, method, flags } = member;
  if (!decodeName(name).isUtf8) yield "a name is not UTF-8";
  if (extra === undefined || local.extra === undefined) yield "its extra fields cannot be read";
  // All of them, from both places: programs differ in which one they use.
  const names = [...(extra ?? []), ...(local.extra ?? [])]
    .filter(({ id }) => id === UNICODE_PATH_FIELD)
    .map(({ data }) => data.subarray(UNICODE_PATH_HEAD_BYTES));
  if (!names.every((other) => name.equals(other))) yield "it has two names, one of them in an extra field";
  if (local.method !== method || ((local.flags ^ flags) & (HAS_DESCRIPTOR | NAME_IS_UTF8)) !== 0)
    yield "its list and its data say different things about how it is packed";
  // Streaming programs write zeros here and the real values after the data. A size that says "see the zip64
  // field" differs as well: a program that looks there finds another size than the list's.
  const differs = (value: number, listed: number): boolean =>
    value !== listed && !(isStreamed(member) && value === 0);
  if (
    differs(local.crc, member.crc) ||
    differs(local.packedSize, member.packedSize) ||
    differs(local.size, member.size)
  )
    yield "its list and its data give it different sizes or checksums";
}

function isStreamed({ flags }: Header): boolean {
  return (flags & HAS_DESCRIPTOR) !== 0;
}

function readContent(member: Member, buffer: Buffer, maxBytes: number): ArchiveContent {
  const { method, size, crc } = member;
  const data = buffer.subarray(member.dataStart, member.dataEnd);
  if (method !== STORED && method !== DEFLATED)
    return { fault: `it is compressed by method ${method}, which is not read; pack it with deflate` };
  const inflated =
    method === STORED ? { bytes: data, consumedBytes: data.length } : inflate(data, "deflate", { maxBytes });
  if ("fault" in inflated) return { fault: inflated.fault, isBomb: inflated.isBomb };
  const { bytes, consumedBytes } = inflated;
  if (consumedBytes !== data.length) return { bytes, fault: "bytes follow its compressed data" };
  return bytes.length === size && crc32(bytes) === crc
    ? { bytes }
    : { bytes, fault: "its content has another length or checksum than its header says" };
}

/** Whether entries follow one another from the first byte to the list, with nothing between or shared. */
function* findLayoutFault(members: readonly Member[], buffer: Buffer, listStart: number): Generator<string> {
  const sorted = members.toSorted((left, right) => left.start - right.start);
  if ((sorted[0]?.start ?? listStart) !== 0) yield "bytes before its first entry belong to no entry";
  for (const [index, member] of sorted.entries()) {
    const next = sorted[index + 1]?.start ?? listStart;
    const shown = quoteName(member.path);
    if (next < member.dataEnd) {
      yield `entries share their bytes, as in a bomb (${shown})`;
      continue;
    }
    const between = buffer.subarray(member.dataEnd, next);
    if (!descriptorLengths(member).includes(between.length))
      yield between.length === 0
        ? `the sizes and the checksum that ${shown} promises do not follow it`
        : `bytes after ${shown} belong to no entry`;
    else if (between.length > 0 && !isDescriptorOf(member, between))
      yield `the data descriptor after ${shown} is invalid`;
    const data = buffer.subarray(member.dataStart, member.dataEnd);
    if (member.isOpenEnded && RECORDS.some((signature) => data.includes(signature)))
      yield `${shown} is stored without its size and contains zip records, so some programs end it early; pack it with deflate`;
  }
}

// With or without signature, short or long sizes; never none, as some would read what follows as one.
function descriptorLengths(member: Member): readonly number[] {
  if (!isStreamed(member)) return [0];
  return member.isOpenEnded ? [16, 24] : [12, 16, 20, 24];
}

function isDescriptorOf({ crc, packedSize, size }: Member, bytes: Buffer): boolean {
  const isSigned = bytes.length % 8 === 0;
  // A checksum that looks like the signature would be mistaken for it.
  if (isSigned !== (bytes.readUInt32LE(0) === DESCRIPTOR_SIGNATURE)) return false;
  const start = isSigned ? 4 : 0;
  const isLong = bytes.length >= 20;
  const sizeAt = (position: number): number =>
    isLong ? Number(bytes.readBigUInt64LE(position)) : bytes.readUInt32LE(position);
  return (
    bytes.readUInt32LE(start) === crc &&
    sizeAt(start + 4) === packedSize &&
    sizeAt(start + (isLong ? 12 : 8)) === size
  );
}

const LOCAL_MARK = Buffer.from([0x50, 0x4b, 3, 4]);

// Signatures of a descriptor, an entry and the list, which programs that read from the front look for.
const RECORDS: readonly Buffer[] = [
  Buffer.from([0x50, 0x4b, 7, 8]),
  LOCAL_MARK,
  Buffer.from([0x50, 0x4b, 1, 2]),
];

// Programs that read an archive from its start find them.
function hasUnlisted(members: readonly Member[], buffer: Buffer): boolean {
  const sorted = members.toSorted((left, right) => left.start - right.start);
  let next = 0;
  for (let at = buffer.indexOf(LOCAL_MARK); at !== -1; at = buffer.indexOf(LOCAL_MARK, at + 4)) {
    while (next < sorted.length && (sorted[next]?.dataEnd ?? 0) <= at) next++;
    const member = sorted[next];
    if (member === undefined || at < member.start) return true;
  }
  return false;
}
