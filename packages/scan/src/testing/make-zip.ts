import { crc32, deflateRawSync } from "node:zlib";

/** A member of the archive; `listedAs` differs from `name` if the two headers are to disagree. */
export interface ZipMember {
  readonly name: string;
  readonly content: string | Uint8Array;
  readonly listedAs?: string;
  readonly flags?: number;
  readonly method?: number;
  readonly attributes?: number;
}

/** Writes a zip archive, even one that no honest program would write. */
export function makeZip(members: readonly ZipMember[]): Uint8Array {
  const parts: Buffer[] = [];
  const list: Buffer[] = [];
  let offset = 0;
  for (const { name, content, listedAs = name, flags = 0, method = 8, attributes = 0 } of members) {
    const plain = Buffer.from(content);
    const data = method === 8 ? deflateRawSync(plain) : plain;
    const header = Buffer.alloc(30);
    header.writeUInt32LE(0x04034b50, 0);
    header.writeUInt16LE(20, 4);
    header.writeUInt16LE(flags, 6);
    header.writeUInt16LE(method, 8);
    header.writeUInt32LE(crc32(plain), 14);
    header.writeUInt32LE(data.length, 18);
    header.writeUInt32LE(plain.length, 22);
    header.writeUInt16LE(Buffer.byteLength(name), 26);
    parts.push(header, Buffer.from(name), data);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50, 0);
    entry.writeUInt16LE(0x0314, 4);
    entry.writeUInt16LE(20, 6);
    header.copy(entry, 8, 6, 26);
    entry.writeUInt16LE(Buffer.byteLength(listedAs), 28);
    entry.writeUInt32LE(attributes >>> 0, 38);
    entry.writeUInt32LE(offset, 42);
    list.push(entry, Buffer.from(listedAs));
    offset += header.length + Buffer.byteLength(name) + data.length;
  }
  const directory = Buffer.concat(list);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(members.length, 8);
  end.writeUInt16LE(members.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, directory, end]);
}
