const END_BYTES = 22;
const END_SIGNATURE = 0x06054b50;
const ZIP64_LOCATOR_SIGNATURE = 0x07064b50;
const ZIP64_LOCATOR_BYTES = 20;
const MAX_COMMENT_BYTES = 0xffff;

/** Where the list of a zip's entries lies, as the record at its end says. */
export interface ZipEnd {
  readonly listStart: number;
  readonly listEnd: number;
  readonly entryCount: number;
}

/** Reads the record at the end of a zip, or says what is wrong with it. */
export function readZipEnd(bytes: Uint8Array): ZipEnd | { readonly fault: string } {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = findEnd(buffer);
  if (end === undefined)
    return {
      fault: "its end record is missing, cut off, or followed by bytes where a second archive could hide",
    };
  if (
    end >= ZIP64_LOCATOR_BYTES &&
    buffer.readUInt32LE(end - ZIP64_LOCATOR_BYTES) === ZIP64_LOCATOR_SIGNATURE
  )
    return { fault: "it is a zip64, which has two end records that can disagree and which no skill needs" };
  const entryCount = buffer.readUInt16LE(end + 10);
  const listBytes = buffer.readUInt32LE(end + 12);
  const listStart = buffer.readUInt32LE(end + 16);
  if (buffer.readUInt32LE(end + 4) !== 0 || buffer.readUInt16LE(end + 8) !== entryCount)
    return { fault: "it is one of several volumes" };
  if (listStart + listBytes !== end) return { fault: "its list of entries is not where its end record says" };
  return { listStart, listEnd: end, entryCount };
}

// From behind, as all programs look; the first that is found must reach exactly to the end.
function findEnd(buffer: Buffer): number | undefined {
  const last = buffer.length - END_BYTES;
  for (let at = last; at >= Math.max(0, last - MAX_COMMENT_BYTES); at--) {
    if (buffer.readUInt32LE(at) !== END_SIGNATURE) continue;
    return buffer.readUInt16LE(at + 20) === last - at ? at : undefined;
  }
  return undefined;
}
