const BLOCK_BYTES = 512;
const POSIX_MAGIC = "ustar\0";
// GNU's own, and none at all, as the first tar had it.
const MAGICS: readonly string[] = [POSIX_MAGIC, "ustar ", "\0".repeat(6)];

/** The fields of one tar header that matter here, as they are written. */
export interface TarHeader {
  /** One character, such as `0` for a file. */
  readonly type: string;
  readonly path: string;
  readonly mode: number;
  readonly size: number;
}

/** Reads a header block, or says what is wrong with it. */
export function readTarHeader(block: Uint8Array): TarHeader | { readonly fault: string } {
  if (tarNumber(block.subarray(148, 156)) !== tarChecksum(block))
    return { fault: "a header has a wrong checksum" };
  const mode = tarNumber(block.subarray(100, 108));
  const size = tarNumber(block.subarray(124, 136));
  if (mode === undefined || size === undefined)
    return { fault: "a header has a mode or a size that is no number" };
  const name = tarText(block.subarray(0, 100));
  const magic = Buffer.from(block.subarray(257, 263)).toString("latin1");
  if (!MAGICS.includes(magic)) return { fault: "a header is of no known kind of tar" };
  // Without it GNU's own keeps times there, and older ones nothing; but some read it as a prefix all the same.
  const hasPrefix = magic === POSIX_MAGIC;
  if (!hasPrefix && block.subarray(345, 500).some((byte) => byte !== 0))
    return { fault: "a header has bytes in the place of a prefix, which its kind of tar has not" };
  const prefix = hasPrefix ? tarText(block.subarray(345, 500)) : "";
  if (name === undefined || prefix === undefined)
    return { fault: "a name has a NUL within, or is not UTF-8" };
  const type = String.fromCharCode(block[156] ?? 0);
  return { type, mode, size, path: prefix === "" ? name : `${prefix}/${name}` };
}

/** An octal field; undefined for anything else, also for the binary form, which only sizes beyond 8 GiB need. */
export function tarNumber(field: Uint8Array): number | undefined {
  const match = /^ *([0-7]+)[ \0]*$/.exec(Buffer.from(field).toString("latin1"));
  return match === null ? undefined : Number.parseInt(match[1] ?? "", 8);
}

/** The sum of all bytes, those of the checksum itself counted as spaces. */
export function tarChecksum(block: Uint8Array): number {
  let sum = 8 * 0x20;
  for (let index = 0; index < BLOCK_BYTES; index++) if (index < 148 || index >= 156) sum += block[index] ?? 0;
  return sum;
}

/** Text that ends at a NUL with nothing but NULs behind it: programs disagree on what such bytes mean. */
export function tarText(field: Uint8Array): string | undefined {
  const end = field.indexOf(0);
  const text = end < 0 ? field : field.subarray(0, end);
  if (end >= 0 && field.subarray(end).some((byte) => byte !== 0)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(text);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}
