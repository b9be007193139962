import { quoteName } from "@skillet/kit/text";
import type { ZipMember } from "./zip-member.ts";

const DESCRIPTOR_SIGNATURE = 0x08074b50;

/** Whether entries lie one behind the other from the first byte to the list, with nothing between or shared. */
export function findLayoutFault(
  members: readonly ZipMember[],
  { bytes, listStart }: { readonly bytes: Uint8Array; readonly listStart: number },
): string | undefined {
  const sorted = members.toSorted((left, right) => left.start - right.start);
  if ((sorted[0]?.start ?? listStart) !== 0) return "bytes before its first entry belong to no entry";
  for (const [index, member] of sorted.entries()) {
    const next = sorted[index + 1]?.start ?? listStart;
    const shown = quoteName(member.path);
    if (next < member.dataEnd) return `entries share their bytes, as in a bomb (${shown})`;
    const between = bytes.subarray(member.dataEnd, next);
    if (!descriptorsOf(member).includes(between.length))
      return between.length === 0
        ? `the sizes and the checksum that ${shown} promises are not behind it`
        : `bytes behind ${shown} belong to no entry`;
    if (between.length > 0 && !isDescriptorOf(member, between))
      return `what stands behind ${shown} is not its sizes and checksum`;
    if (member.isOpenEnded && looksLikeZip(bytes.subarray(member.dataStart, member.dataEnd)))
      return `${shown} is stored without its size and holds records of a zip, so that it ends there for some; pack it with deflate`;
  }
  return undefined;
}

// With or without signature, with short or long sizes; never none, since some would take what follows for it.
function descriptorsOf({ hasDescriptor, isOpenEnded }: ZipMember): readonly number[] {
  if (!hasDescriptor) return [0];
  return isOpenEnded ? [16, 24] : [12, 16, 20, 24];
}

function isDescriptorOf({ entry }: ZipMember, bytes: Uint8Array): boolean {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const isSigned = bytes.length % 8 === 0;
  // A checksum that looks like the signature would be taken for it.
  if (isSigned !== (buffer.readUInt32LE(0) === DESCRIPTOR_SIGNATURE)) return false;
  const start = isSigned ? 4 : 0;
  const isLong = bytes.length >= 20;
  const sizeAt = (position: number): number =>
    isLong ? Number(buffer.readBigUInt64LE(position)) : buffer.readUInt32LE(position);
  return (
    buffer.readUInt32LE(start) === entry.crc32 &&
    sizeAt(start + 4) === entry.compressedSize &&
    sizeAt(start + (isLong ? 12 : 8)) === entry.uncompressedSize
  );
}

function looksLikeZip(data: Uint8Array): boolean {
  return RECORDS.some((signature) =>
    Buffer.from(data.buffer, data.byteOffset, data.length).includes(signature),
  );
}

// Of a descriptor, an entry and the list: what programs look for that read from the front.
const RECORDS: readonly Buffer[] = [
  [7, 8],
  [3, 4],
  [1, 2],
].map((kind) => Buffer.from([0x50, 0x4b, ...kind]));
