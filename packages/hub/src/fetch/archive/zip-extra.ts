/** One extra field of a zip's entry. */
interface ZipExtraField {
  readonly id: number;
  readonly data: Uint8Array;
}

const HEAD_BYTES = 4;
const UNICODE_PATH_FIELD = 0x7075;
// Version and checksum, before the name.
const UNICODE_PATH_HEAD_BYTES = 5;

/** Reads the extra fields beside an entry's data; undefined where one is longer than all of them. */
export function readZipExtra(bytes: Uint8Array): readonly ZipExtraField[] | undefined {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const fields: ZipExtraField[] = [];
  // Fewer bytes than a field has are what some programs fill up with.
  for (let start = 0; start + HEAD_BYTES <= buffer.length; ) {
    const dataStart = start + HEAD_BYTES;
    const end = dataStart + buffer.readUInt16LE(start + 2);
    if (end > buffer.length) return undefined;
    fields.push({ id: buffer.readUInt16LE(start), data: buffer.subarray(dataStart, end) });
    start = end;
  }
  return fields;
}

/** The name that a field gives its entry instead of its own, where it does. */
export function unicodePathOf({ id, data }: ZipExtraField): Uint8Array | undefined {
  return id === UNICODE_PATH_FIELD ? data.subarray(UNICODE_PATH_HEAD_BYTES) : undefined;
}
