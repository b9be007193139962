import type { Entry, LocalFileHeader } from "yauzl";
import { readZipExtra, unicodePathOf } from "./zip-extra.ts";

/** One entry of a zip as its list and its own header both say. */
export interface ZipMember {
  readonly path: string;
  readonly entry: Entry;
  readonly start: number;
  readonly dataStart: number;
  readonly dataEnd: number;
  /** Whether sizes and checksum follow its data. */
  readonly hasDescriptor: boolean;
  /** Whether nothing but the descriptor says where its data ends: compressed data does so itself, stored does not. */
  readonly isOpenEnded: boolean;
}

const ENCRYPTED = 0x1;
const HAS_DESCRIPTOR = 0x8;
const NAME_IS_UTF8 = 0x800;
const STORED = 0;
const DEFLATED = 8;

/** Brings together what a zip says about one entry in two places; where they disagree, it says so. */
export function readZipMember(entry: Entry, local: LocalFileHeader): ZipMember | { readonly fault: string } {
  const path = decodeName(entry.fileNameRaw);
  if (path === undefined) return { fault: "a name is not UTF-8" };
  const fault = findFault(entry, local);
  if (fault !== undefined) return { fault };
  const start = entry.relativeOffsetOfLocalHeader;
  const dataStart = local.fileDataStart;
  const dataEnd = dataStart + entry.compressedSize;
  const hasDescriptor = isStreamed(entry);
  const isOpenEnded = hasDescriptor && entry.compressionMethod === STORED && local.compressedSize === 0;
  return { path, entry, start, dataStart, dataEnd, hasDescriptor, isOpenEnded };
}

function findFault(entry: Entry, local: LocalFileHeader): string | undefined {
  const flags = entry.generalPurposeBitFlag;
  if ((flags & ENCRYPTED) !== 0 || (local.generalPurposeBitFlag & ENCRYPTED) !== 0)
    return "it is encrypted, so that nobody can look into it";
  if (!entry.fileNameRaw.equals(local.fileName))
    return "it has two names, one in the list and one beside its data";
  const beside = readZipExtra(local.extraField);
  if (beside === undefined) return "the extra fields beside its data cannot be read";
  // All of them, in both places: which one counts is up to the program.
  const names = [...entry.extraFields, ...beside].map(unicodePathOf).filter((name) => name !== undefined);
  if (!names.every((name) => entry.fileNameRaw.equals(name)))
    return "it has two names, one of them in an extra field";
  if (entry.compressionMethod !== STORED && entry.compressionMethod !== DEFLATED)
    return `it is compressed by method ${entry.compressionMethod}, which is not read; pack it with deflate`;
  const sameFlags = HAS_DESCRIPTOR | NAME_IS_UTF8;
  if (
    local.compressionMethod !== entry.compressionMethod ||
    ((local.generalPurposeBitFlag ^ flags) & sameFlags) !== 0
  )
    return "its list and its data say different things about how it is packed";
  return sizesDiffer(entry, local) ? "its list and its data give it different sizes or checksums" : undefined;
}

// A size that says "see the zip64 field" differs as well: whoever looks there finds another one than the list's.
function sizesDiffer(entry: Entry, local: LocalFileHeader): boolean {
  const isLate = isStreamed(entry);
  const differs = (value: number, listed: number): boolean =>
    // Who streams writes zeros here and the truth behind the data.
    value !== listed && !(isLate && value === 0);
  return (
    differs(local.crc32, entry.crc32) ||
    differs(local.compressedSize, entry.compressedSize) ||
    differs(local.uncompressedSize, entry.uncompressedSize)
  );
}

function isStreamed({ generalPurposeBitFlag }: Entry): boolean {
  return (generalPurposeBitFlag & HAS_DESCRIPTOR) !== 0;
}

function decodeName(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}
