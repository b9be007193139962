import { quoteName } from "@skillet/core";
import type { Entry, LocalFileHeader } from "yauzl";

/** One entry of a zip as its list and its own header both say. */
export interface ZipMember {
  readonly path: string;
  readonly entry: Entry;
  readonly start: number;
  readonly dataStart: number;
  readonly dataEnd: number;
}

const ENCRYPTED = 0x1;
const HAS_DESCRIPTOR = 0x8;
const NAME_IS_UTF8 = 0x800;
const UNICODE_PATH_FIELD = 0x7075;
// 32-bit values that say "see the zip64 field".
const ELSEWHERE = 0xffffffff;

/** Brings together what a zip says about one entry in two places; where they disagree, it says so. */
export function readZipMember(entry: Entry, local: LocalFileHeader): ZipMember | { readonly fault: string } {
  const path = decodeName(entry.fileNameRaw);
  if (path === undefined) return { fault: "a name is not UTF-8" };
  const fault = findFault(entry, local);
  if (fault !== undefined) return { fault };
  const start = entry.relativeOffsetOfLocalHeader;
  const dataStart = local.fileDataStart;
  return { path, entry, start, dataStart, dataEnd: dataStart + entry.compressedSize };
}

function findFault(entry: Entry, local: LocalFileHeader): string | undefined {
  const flags = entry.generalPurposeBitFlag;
  if ((flags & ENCRYPTED) !== 0 || (local.generalPurposeBitFlag & ENCRYPTED) !== 0)
    return "it is encrypted, so that nobody can look into it";
  if (!entry.fileNameRaw.equals(local.fileName))
    return "it has two names, one in the list and one beside its data";
  const unicodePath = entry.extraFields.find(({ id }) => id === UNICODE_PATH_FIELD);
  // Version and checksum come before the name in that field.
  if (unicodePath !== undefined && !unicodePath.data.subarray(5).equals(entry.fileNameRaw))
    return "it has two names, one of them in an extra field";
  if (entry.compressionMethod !== 0 && entry.compressionMethod !== 8)
    return `it is compressed by method ${entry.compressionMethod}, which is not read; pack it with deflate`;
  const sameFlags = HAS_DESCRIPTOR | NAME_IS_UTF8;
  if (
    local.compressionMethod !== entry.compressionMethod ||
    ((local.generalPurposeBitFlag ^ flags) & sameFlags) !== 0
  )
    return "its list and its data say different things about how it is packed";
  return sizesDiffer(entry, local) ? "its list and its data give it different sizes or checksums" : undefined;
}

function sizesDiffer(entry: Entry, local: LocalFileHeader): boolean {
  const isStreamed = (entry.generalPurposeBitFlag & HAS_DESCRIPTOR) !== 0;
  const differs = (value: number, listed: number): boolean =>
    // Who streams writes zeros here and the truth behind the data.
    value !== listed && value !== ELSEWHERE && !(isStreamed && value === 0);
  return (
    differs(local.crc32, entry.crc32) ||
    differs(local.compressedSize, entry.compressedSize) ||
    differs(local.uncompressedSize, entry.uncompressedSize)
  );
}

function decodeName(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

/** Whether entries lie one behind the other from the first byte to the list, with nothing between or shared. */
export function findLayoutFault(
  members: readonly ZipMember[],
  { listStart }: { readonly listStart: number },
): string | undefined {
  let position = 0;
  let gaps: readonly number[] = [0];
  for (const { path, start, dataEnd, entry } of members.toSorted((left, right) => left.start - right.start)) {
    if (start < position) return `entries share their bytes, as in a bomb (${quoteName(path)})`;
    if (!gaps.includes(start - position)) return `bytes before ${quoteName(path)} belong to no entry`;
    position = dataEnd;
    // A descriptor behind the data: with or without signature, with short or long sizes.
    gaps = (entry.generalPurposeBitFlag & HAS_DESCRIPTOR) === 0 ? [0] : [0, 12, 16, 20, 24];
  }
  return gaps.includes(listStart - position) ? undefined : "bytes before its list belong to no entry";
}
