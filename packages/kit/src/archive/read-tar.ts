import { quoteName } from "../text.ts";
import { type ArchiveEntry, type ArchiveItem, decodeName, faultOf } from "./archive-entry.ts";

const BLOCK_BYTES = 512;
// Long names and other data that precede an entry; the longest accepted path has a few hundred bytes.
const MAX_META_BYTES = 64 * 1024;

const POSIX_MAGIC = "ustar\0";
// GNU's own, and none at all, as in the first tar.
const MAGICS: readonly string[] = [POSIX_MAGIC, "ustar ", "\0".repeat(6)];

const KINDS: ReadonlyMap<string, string> = new Map([
  ["1", "a hard link"],
  ["2", "a link"],
  ["3", "a device"],
  ["4", "a device"],
  ["6", "a FIFO"],
  ["K", "a link"],
  ["S", "a sparse file"],
]);

// Records that turn a file into something else, or fill it from elsewhere.
const REFUSED_RECORDS = /^(?:linkpath|GNU\.sparse\.|SCHILY\.realsize|SCHILY\.filetype|type)/;

interface TarHeader {
  readonly type: string;
  readonly path: string;
  readonly link: string;
  readonly mode: number;
  readonly size: number | undefined;
}

/** What headers say about the entry that follows them. */
interface Announced {
  path?: string;
  size?: number;
  link?: string;
}

type Complain = (reason: string) => void;

export function* readTar(bytes: Uint8Array): Generator<ArchiveItem> {
  let announced: Announced | undefined;
  let offset = 0;
  for (;;) {
    const block = bytes.subarray(offset, offset + BLOCK_BYTES);
    if (block.length < BLOCK_BYTES) {
      yield faultOf("unsafe", "it has no end mark, so part of it is missing");
      return;
    }
    if (block.every((byte) => byte === 0)) break;
    const reasons: string[] = [];
    const complain: Complain = (reason) => reasons.push(reason);
    const header = readHeader(block, complain);
    const size = sizeOf(header, announced, complain);
    const start = offset + BLOCK_BYTES;
    if (size === undefined || start + size > bytes.length) {
      yield faultOf("damaged", "it ends within this entry", header.path);
      return;
    }
    const content = bytes.subarray(start, start + size);
    offset = start + Math.ceil(size / BLOCK_BYTES) * BLOCK_BYTES;
    let entry: ArchiveEntry | undefined;
    if (isMeta(header)) {
      if (announced !== undefined && header.type !== "g") complain("two headers in a row describe one entry");
      const said = readMeta(header, content, complain);
      if (header.type !== "g") announced = { ...announced, ...said };
    } else {
      entry = readEntry(header, { announced: announced ?? {}, content }, complain);
      announced = undefined;
    }
    for (const reason of reasons) yield faultOf("unsafe", reason, header.path);
    if (entry !== undefined) yield entry;
  }
  if (announced !== undefined)
    yield faultOf("unsafe", "its last header describes an entry that is not there");
  if (bytes.subarray(offset).some((byte) => byte !== 0))
    yield faultOf("unsafe", "bytes follow its end mark, where a second archive could hide");
}

/** Whether bytes begin with a tar header: its checksum is the only mark that all kinds have. */
export function isTar(bytes: Uint8Array): boolean {
  const header = bytes.subarray(0, BLOCK_BYTES);
  return header.length === BLOCK_BYTES && octal(header.subarray(148, 156)) === checksum(header);
}

function readHeader(block: Uint8Array, complain: Complain): TarHeader {
  if (!isTar(block)) complain("a header has a wrong checksum");
  const mode = octal(block.subarray(100, 108));
  const size = octal(block.subarray(124, 136));
  if (mode === undefined || size === undefined)
    complain("a header has a mode or a size that is not an octal number");
  const magic = Buffer.from(block.subarray(257, 263)).toString("latin1");
  if (!MAGICS.includes(magic)) complain("a header is not of a known tar format");
  // Other kinds have times there, or nothing; but Python reads a prefix for any kind, so a scan must too.
  const place = block.subarray(345, 500);
  if (magic !== POSIX_MAGIC && place.some((byte) => byte !== 0))
    complain("a header has bytes where a prefix would be, but its tar format has no prefix");
  const name = textOf(block.subarray(0, 100), complain);
  const prefix = textOf(place, complain);
  return {
    type: String.fromCharCode(block[156] ?? 0),
    mode: mode ?? 0,
    size: size ?? looseNumber(block.subarray(124, 136)),
    path: prefix === "" ? name : `${prefix}/${name}`,
    link: decodeName(upToNul(block.subarray(157, 257))).text,
  };
}

function isMeta({ type }: TarHeader): boolean {
  return type === "x" || type === "g" || type === "L" || type === "K";
}

function sizeOf(header: TarHeader, announced: Announced | undefined, complain: Complain): number | undefined {
  const said = announced?.size;
  if (said === undefined) return header.size;
  // Some programs apply it to the next header, some to the next entry.
  if (isMeta(header)) {
    complain("a header follows one that gives a size");
    return header.size;
  }
  if (header.size === 0 || header.size === said) return said;
  // A program that uses the other size reads file content as headers.
  complain(`it has two sizes, ${header.size} and ${said}`);
  return header.size;
}

function readMeta({ type, size = 0 }: TarHeader, content: Uint8Array, complain: Complain): Announced {
  if (size > MAX_META_BYTES) {
    complain(`a header has ${size} bytes; at most ${MAX_META_BYTES} are read`);
    return {};
  }
  if (type === "x" || type === "g") return readPax(content, type === "g", complain);
  if (type === "K") {
    complain("it is a link, not a plain file or folder");
    return { link: decodeName(upToNul(content)).text };
  }
  const path = textOf(content, complain);
  if (path === "") complain("a long name is empty");
  return { path };
}

/** Reads the records of a pax header, strictly: what one program skips, another obeys. */
function readPax(bytes: Uint8Array, isGlobal: boolean, complain: Complain): Announced {
  const said: Announced = {};
  for (let start = 0; start < bytes.length; ) {
    const record = readRecord(bytes, start);
    if (record === undefined) {
      complain("a pax header cannot be read");
      return said;
    }
    const { key, value } = record;
    start = record.end;
    // A program that ends the key at its NUL may read the rest as another record.
    if (key.includes("\0")) complain("a pax header has a key with a NUL");
    if (REFUSED_RECORDS.test(key))
      complain(`a pax header sets ${quoteName(key.slice(0, 40))}, which makes it a link or a sparse file`);
    if (key !== "path" && key !== "size") continue;
    if (isGlobal) complain(`a global pax header sets the ${key} of all entries`);
    if (said[key] !== undefined) complain(`a pax header gives a ${key} twice`);
    if (key === "path") {
      if (value.includes(0)) complain("a pax header gives a path with a NUL");
      said.path = textOf(value, complain);
    } else {
      const digits = Buffer.from(value).toString("latin1");
      if (/^[0-9]{1,15}$/.test(digits)) said.size = Number(digits);
      else complain("a pax header gives a size that is not a number");
    }
  }
  return said;
}

// `length SP key=value LF`, where the length counts the whole record.
function readRecord(
  bytes: Uint8Array,
  start: number,
): { readonly key: string; readonly value: Uint8Array; readonly end: number } | undefined {
  const head = /^([1-9][0-9]{0,8}) /.exec(Buffer.from(bytes.subarray(start, start + 10)).toString("latin1"));
  if (head === null) return undefined;
  const end = start + Number(head[1]);
  const keyStart = start + head[0].length;
  if (end > bytes.length || end <= keyStart || bytes[end - 1] !== 0x0a) return undefined;
  const equals = bytes.indexOf(0x3d, keyStart);
  if (equals <= keyStart || equals >= end) return undefined;
  const key = Buffer.from(bytes.subarray(keyStart, equals)).toString("latin1");
  return { key, value: bytes.subarray(equals + 1, end - 1), end };
}

function readEntry(
  header: TarHeader,
  { announced, content }: { readonly announced: Announced; readonly content: Uint8Array },
  complain: Complain,
): ArchiveEntry | undefined {
  const { type, mode } = header;
  const written = announced.path ?? header.path;
  const path = written.replace(/^\.\//, "").replace(/\/$/, "");
  if (type !== "5" && type !== "0" && type !== "\0")
    complain(
      `it is ${KINDS.get(type) ?? `of the unknown type ${quoteName(type)}`}, not a plain file or folder`,
    );
  const marks = [header.path, written].map((name) => name.endsWith("/"));
  // Old programs mark folders by name only; a slash in one of two names, or on a file, is a folder to some.
  const isFolder = type === "5" || (type === "\0" && marks.every(Boolean));
  if (!isFolder && marks.some(Boolean)) complain("it is a file by its type and a folder by its name");
  if (isFolder && content.length > 0) complain("it is a folder with content");
  else if (isFolder) {
    // Written by `tar -C folder .` for the folder itself.
    const isRoot = path === "" || path === ".";
    return isRoot ? undefined : { kind: "folder", path, mode: "755", size: 0, read: () => ({}) };
  }
  if ((mode & 0o6000) !== 0) complain("it would run with the rights of its owner or group (setuid)");
  const isLink = type === "1" || type === "2";
  const bytes = isLink ? Buffer.from(announced.link ?? header.link) : content;
  return {
    kind: isLink ? "link" : "file",
    path,
    mode: (mode & 0o100) === 0 ? "644" : "755",
    size: bytes.length,
    read: () => ({ bytes }),
  };
}

/** An octal field; undefined for anything else, even the binary form, which only sizes beyond 8 GiB need. */
function octal(field: Uint8Array): number | undefined {
  const match = /^ *([0-7]+)[ \0]*$/.exec(Buffer.from(field).toString("latin1"));
  return match === null ? undefined : Number.parseInt(match[1] ?? "", 8);
}

/** A size as lenient programs read it: also in base 256, and an empty field as zero. */
function looseNumber(field: Uint8Array): number | undefined {
  if (((field[0] ?? 0) & 0x80) !== 0) {
    const value = field.subarray(1).reduce((total, byte) => total * 256 + byte, 0);
    return Number.isSafeInteger(value) ? value : undefined;
  }
  const digits = Buffer.from(upToNul(field)).toString("latin1").trim();
  return digits === "" ? 0 : octal(Buffer.from(digits));
}

/** The sum of all bytes, counting those of the checksum itself as spaces. */
function checksum(block: Uint8Array): number {
  let sum = 8 * 0x20;
  for (let index = 0; index < BLOCK_BYTES; index++) if (index < 148 || index >= 156) sum += block[index] ?? 0;
  return sum;
}

/** Text up to the first NUL; programs disagree on the meaning of bytes after it. */
function textOf(field: Uint8Array, complain: Complain): string {
  const name = upToNul(field);
  const { text, isUtf8 } = decodeName(name);
  if (!isUtf8 || field.subarray(name.length).some((byte) => byte !== 0))
    complain("a name has a NUL within, or is not UTF-8");
  return text;
}

function upToNul(field: Uint8Array): Uint8Array {
  const end = field.indexOf(0);
  return end < 0 ? field : field.subarray(0, end);
}
