import { SkilletError } from "../errors.ts";

export interface PackedFile {
  readonly path: string;
  readonly mode: "644" | "755";
  readonly bytes: Uint8Array;
}

export const TAR_BLOCK_BYTES = 512;
const NAME_BYTES = 100;
const PREFIX_BYTES = 155;

/**
 * Packs files into a tar in the order given; the bytes depend only on paths, modes and contents.
 *
 * User, group and time are 0. Paths that fit are written as plain ustar, because some readers skip extended
 * headers.
 */
export function packTar(files: readonly PackedFile[]): Uint8Array {
  const parts = files.flatMap((file) => [...tarHeadersOf(file), file.bytes, tarPadding(file.bytes.length)]);
  // Two empty blocks end an archive.
  return Buffer.concat([...parts, new Uint8Array(2 * TAR_BLOCK_BYTES)]);
}

function tarHeadersOf({ path, mode, bytes }: PackedFile): Uint8Array[] {
  const fields = { mode: mode === "755" ? 0o755 : 0o644, size: bytes.length, type: "0" };
  const name = Buffer.from(path);
  const split = splitName(name);
  if (split !== undefined) return [tarHeader({ ...fields, ...split })];
  const record = paxRecord("path", name);
  const extended = { name: Buffer.from("pax-header"), mode: 0o644, size: record.length, type: "x" };
  // A reader without extended headers unpacks this name, obviously not a skill's, instead of a wrong path.
  const stand = { ...fields, name: Buffer.from(`long-path-${path.length}`) };
  return [tarHeader(extended), record, tarPadding(record.length), tarHeader(stand)];
}

/** Splits at a slash, so that name and prefix fit their fields. */
function splitName(name: Buffer): { name: Buffer; prefix?: Buffer } | undefined {
  if (name.length <= NAME_BYTES) return { name };
  for (let index = Math.min(PREFIX_BYTES, name.length - 2); index > 0; index--) {
    if (name[index] !== 0x2f) continue;
    const rest = name.subarray(index + 1);
    return rest.length <= NAME_BYTES ? { name: rest, prefix: name.subarray(0, index) } : undefined;
  }
  return undefined;
}

export function tarHeader(fields: {
  readonly name: Buffer;
  readonly prefix?: Buffer;
  readonly link?: Buffer;
  readonly mode: number;
  readonly size: number;
  readonly type: string;
}): Uint8Array {
  const block = Buffer.alloc(TAR_BLOCK_BYTES);
  fields.name.copy(block, 0, 0, NAME_BYTES);
  block.write(octal(fields.mode, 7), 100);
  block.write(octal(0, 7), 108);
  block.write(octal(0, 7), 116);
  block.write(octal(fields.size, 11), 124);
  block.write(octal(0, 11), 136);
  // The checksum counts its own field as spaces.
  block.fill(0x20, 148, 156);
  block.write(fields.type, 156);
  fields.link?.copy(block, 157, 0, NAME_BYTES);
  block.write("ustar\0", 257, "latin1");
  block.write("00", 263);
  block.write(octal(0, 7), 329);
  block.write(octal(0, 7), 337);
  fields.prefix?.copy(block, 345);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  return block;
}

export function tarPadding(size: number): Uint8Array {
  return new Uint8Array((TAR_BLOCK_BYTES - (size % TAR_BLOCK_BYTES)) % TAR_BLOCK_BYTES);
}

function octal(value: number, digits: number): string {
  const text = value.toString(8).padStart(digits, "0");
  if (text.length <= digits) return text;
  const message = `A file of ${value} bytes is too large for a tar archive; leave it out of the skill.`;
  throw new SkilletError("pack-refused", message, { data: { size: value } });
}

/** `length key=value`, where the length counts its own digits. */
function paxRecord(key: string, value: Buffer): Buffer {
  const rest = Buffer.concat([Buffer.from(` ${key}=`), value, Buffer.from("\n")]);
  let length = rest.length;
  while (length !== rest.length + String(length).length) length = rest.length + String(length).length;
  return Buffer.concat([Buffer.from(String(length)), rest]);
}
