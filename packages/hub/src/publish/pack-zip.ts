import { crc32 } from "node:zlib";
import type { TreeFile } from "@skillet/core";
import { SkilletError } from "@skillet/kit/errors";
import { deflateSync } from "fflate";
import { type PackedFile, packedFiles } from "./packed-files.ts";

// Unix made it (3), so that modes count; version 2.0 is needed for deflate.
const MADE_BY = 0x0314;
const NEEDED = 20;
const UTF8_NAMES = 0x0800;
// 1 January 1980, the first day that the format can write.
const DOS_DATE = 0x0021;
const MAX_ENTRIES = 0xffff - 1;
const MAX_BYTES = 0xffff_ffff - 1;

/** Packs a tree into a zip, as `.skill` files are: same tree, same bytes; see `packTarGz` for what may differ. */
export function packZip(files: readonly TreeFile[]): Uint8Array {
  const locals: Uint8Array[] = [];
  const centrals: Uint8Array[] = [];
  let offset = 0;
  for (const file of packedFiles(files)) {
    const { fields, data } = compress(file);
    const local = Buffer.concat([signed(0x0403_4b50, fields), file.name, data]);
    centrals.push(central(file, fields, offset));
    locals.push(local);
    offset += local.length;
  }
  const directory = Buffer.concat(centrals);
  if (centrals.length > MAX_ENTRIES || offset + directory.length > MAX_BYTES) {
    const message = `The skill cannot be packed: ${centrals.length} files of ${offset} bytes are too much for a zip; remove what it does not need.`;
    throw new SkilletError("pack-refused", message);
  }
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x0605_4b50, 0);
  end.writeUInt16LE(centrals.length, 8);
  end.writeUInt16LE(centrals.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, directory, end]);
}

/** The 26 bytes that local and central headers share, from the needed version to the extra field's length. */
function compress({ name, bytes }: PackedFile): { fields: Buffer; data: Uint8Array } {
  const deflated = deflateSync(bytes, { level: 9, mem: 4 });
  const isSmaller = deflated.length < bytes.length;
  const data = isSmaller ? deflated : bytes;
  const fields = Buffer.alloc(26);
  fields.writeUInt16LE(NEEDED, 0);
  fields.writeUInt16LE(UTF8_NAMES, 2);
  fields.writeUInt16LE(isSmaller ? 8 : 0, 4);
  fields.writeUInt16LE(DOS_DATE, 8);
  fields.writeUInt32LE(crc32(bytes), 10);
  fields.writeUInt32LE(data.length, 14);
  fields.writeUInt32LE(bytes.length, 18);
  fields.writeUInt16LE(name.length, 22);
  return { fields, data };
}

function signed(signature: number, fields: Buffer): Buffer {
  const head = Buffer.alloc(4);
  head.writeUInt32LE(signature, 0);
  return Buffer.concat([head, fields]);
}

function central({ name, mode }: PackedFile, fields: Buffer, offset: number): Buffer {
  const madeBy = Buffer.alloc(2);
  madeBy.writeUInt16LE(MADE_BY, 0);
  const rest = Buffer.alloc(14);
  // A regular file, and its mode, in the upper half.
  rest.writeUInt32LE((mode === "755" ? 0o100_755 : 0o100_644) * 0x1_0000, 6);
  rest.writeUInt32LE(offset, 10);
  return Buffer.concat([signed(0x0201_4b50, madeBy), fields, rest, name]);
}
