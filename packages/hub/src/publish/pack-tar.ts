import type { TreeFile } from "@skillet/core";
import { SkilletError } from "@skillet/kit/errors";
import { type PackedFile, packedFiles } from "./packed-files.ts";

const BLOCK = 512;
const NAME_BYTES = 100;
const PREFIX_BYTES = 155;

/**
 * Packs a tree into a tar whose bytes depend on nothing but paths, modes and contents.
 *
 * Files only, in byte order of path, of user and group 0 and the time 0. Paths that fit are written as ustar alone,
 * because readers exist that skip extended headers.
 *
 * @example
 * const bytes = packTar([{ path: "SKILL.md", mode: "644", bytes: skill }]);
 */
export function packTar(files: readonly TreeFile[]): Uint8Array {
  const parts: Uint8Array[] = [];
  for (const file of packedFiles(files)) {
    parts.push(...headersOf(file), file.bytes, new Uint8Array(padding(file.bytes.length)));
  }
  // Two empty blocks end an archive.
  parts.push(new Uint8Array(2 * BLOCK));
  return Buffer.concat(parts);
}

function headersOf({ name, path, mode, bytes }: PackedFile): Uint8Array[] {
  const fields = { mode: mode === "755" ? 0o755 : 0o644, size: bytes.length, type: "0" };
  const split = splitName(name);
  if (split !== undefined) return [header({ ...fields, ...split })];
  const record = paxRecord("path", name);
  const extended = header({
    ...{ name: Buffer.from("pax-header"), prefix: Buffer.alloc(0) },
    ...{ mode: 0o644, size: record.length, type: "x" },
  });
  // What a reader without extended headers would unpack: a name that is plainly no skill's, instead of a wrong path.
  const stand = { name: Buffer.from(`long-path-${path.length}`), prefix: Buffer.alloc(0) };
  return [extended, record, new Uint8Array(padding(record.length)), header({ ...fields, ...stand })];
}

/** Divides at a slash, so that name and prefix fit their fields. */
function splitName(name: Buffer): { name: Buffer; prefix: Buffer } | undefined {
  if (name.length <= NAME_BYTES) return { name, prefix: Buffer.alloc(0) };
  for (let index = Math.min(PREFIX_BYTES, name.length - 2); index > 0; index--) {
    if (name[index] !== 0x2f) continue;
    const rest = name.subarray(index + 1);
    return rest.length <= NAME_BYTES ? { name: rest, prefix: name.subarray(0, index) } : undefined;
  }
  return undefined;
}

function header(fields: {
  readonly name: Buffer;
  readonly prefix: Buffer;
  readonly mode: number;
  readonly size: number;
  readonly type: string;
}): Uint8Array {
  const block = Buffer.alloc(BLOCK);
  fields.name.copy(block, 0);
  block.write(octal(fields.mode, 7), 100);
  block.write(octal(0, 7), 108);
  block.write(octal(0, 7), 116);
  block.write(octal(fields.size, 11), 124);
  block.write(octal(0, 11), 136);
  // The checksum counts its own field as spaces.
  block.fill(0x20, 148, 156);
  block.write(fields.type, 156);
  block.write("ustar\0", 257, "latin1");
  block.write("00", 263);
  block.write(octal(0, 7), 329);
  block.write(octal(0, 7), 337);
  fields.prefix.copy(block, 345);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  return block;
}

function octal(value: number, digits: number): string {
  const text = value.toString(8).padStart(digits, "0");
  if (text.length > digits) {
    throw new SkilletError(
      "pack-refused",
      `A file of ${value} bytes is too large for a tar archive; leave it out of the skill.`,
      { data: { size: value } },
    );
  }
  return text;
}

/** `length key=value`, where the length counts its own digits. */
function paxRecord(key: string, value: Buffer): Buffer {
  const rest = Buffer.concat([Buffer.from(` ${key}=`), value, Buffer.from("\n")]);
  let length = rest.length;
  while (length !== rest.length + String(length).length) length = rest.length + String(length).length;
  return Buffer.concat([Buffer.from(String(length)), rest]);
}

function padding(size: number): number {
  return (BLOCK - (size % BLOCK)) % BLOCK;
}
