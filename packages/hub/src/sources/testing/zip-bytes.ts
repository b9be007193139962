import { crc32, deflateRawSync } from "node:zlib";

/** One member of a hand-made zip; the list and the member's own header may each lie. */
export interface ZipFields {
  readonly name: string | Uint8Array;
  readonly content?: string | Uint8Array;
  /** The packed data, if it differs from the packed content. */
  readonly data?: Uint8Array;
  readonly method?: number;
  readonly flags?: number;
  readonly mode?: number;
  readonly crc?: number;
  readonly size?: number;
  readonly packedSize?: number;
  readonly extra?: Uint8Array;
  readonly offset?: number;
  /** Values for the member's own header that differ from the list. */
  readonly local?: Partial<Omit<ZipFields, "local" | "content" | "data">>;
  /** Bytes between this data and whatever follows. */
  readonly gap?: Uint8Array;
}

export interface ZipShape {
  readonly before?: Uint8Array;
  readonly after?: Uint8Array;
  readonly comment?: string | Uint8Array;
  readonly entryCount?: number;
  readonly listSize?: number;
  readonly listOffset?: number;
  readonly disk?: number;
  /** Bytes between the list and its end record. */
  readonly beforeEnd?: Uint8Array;
}

/** Builds a zip byte by byte. */
export function zipBytes(members: readonly ZipFields[], shape: ZipShape = {}): Uint8Array {
  const parts: Uint8Array[] = [shape.before ?? new Uint8Array()];
  const list: Uint8Array[] = [];
  const position = (): number => parts.reduce((total, part) => total + part.length, 0);
  for (const member of members) {
    const { facts, local, data } = readFields(member);
    list.push(listRecord(facts, { mode: member.mode ?? 0o100644, offset: member.offset ?? position() }));
    parts.push(localRecord(local), data, member.gap ?? new Uint8Array());
  }
  const listOffset = position();
  const comment = Buffer.from(shape.comment ?? "");
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(shape.disk ?? 0, 4);
  end.writeUInt16LE(shape.entryCount ?? members.length, 8);
  end.writeUInt16LE(shape.entryCount ?? members.length, 10);
  end.writeUInt32LE(shape.listSize ?? Buffer.concat(list).length, 12);
  end.writeUInt32LE(shape.listOffset ?? listOffset, 16);
  end.writeUInt16LE(comment.length, 20);
  return Buffer.concat(
    [...parts, ...list, shape.beforeEnd ?? "", end, comment, shape.after ?? ""].map((part) =>
      Buffer.from(part),
    ),
  );
}

/** The descriptor after the data of a streamed entry. */
export function zipDescriptor(
  content: string | Uint8Array,
  { packedSize }: { readonly packedSize?: number } = {},
): Uint8Array {
  const bytes = Buffer.from(content);
  const descriptor = Buffer.alloc(16);
  descriptor.writeUInt32LE(0x08074b50, 0);
  descriptor.writeUInt32LE(crc32(bytes), 4);
  descriptor.writeUInt32LE(packedSize ?? bytes.length, 8);
  descriptor.writeUInt32LE(bytes.length, 12);
  return descriptor;
}

interface Facts {
  readonly name: Buffer;
  readonly flags: number;
  readonly method: number;
  readonly crc: number;
  readonly packedSize: number;
  readonly size: number;
  readonly extra: Buffer;
}

function readFields(member: ZipFields): {
  readonly facts: Facts;
  readonly local: Facts;
  readonly data: Uint8Array;
} {
  const content = Buffer.from(member.content ?? "");
  const method = member.method ?? 8;
  const data = member.data ?? (method === 8 ? deflateRawSync(content) : content);
  const facts: Facts = {
    name: Buffer.from(member.name),
    flags: member.flags ?? 0x800,
    method,
    crc: member.crc ?? crc32(content),
    packedSize: member.packedSize ?? data.length,
    size: member.size ?? content.length,
    extra: Buffer.from(member.extra ?? ""),
  };
  const { name, extra, ...more } = member.local ?? {};
  const local: Facts = {
    ...facts,
    ...more,
    ...(name === undefined ? {} : { name: Buffer.from(name) }),
    ...(extra === undefined ? {} : { extra: Buffer.from(extra) }),
  };
  return { facts, local, data };
}

function localRecord(facts: Facts): Buffer {
  const header = Buffer.alloc(30);
  header.writeUInt32LE(0x04034b50, 0);
  header.writeUInt16LE(20, 4);
  writeFacts(header, facts, 6);
  return Buffer.concat([header, facts.name, facts.extra]);
}

function listRecord(
  facts: Facts,
  { mode, offset }: { readonly mode: number; readonly offset: number },
): Buffer {
  const header = Buffer.alloc(46);
  header.writeUInt32LE(0x02014b50, 0);
  header.writeUInt16LE((3 << 8) | 20, 4);
  header.writeUInt16LE(20, 6);
  writeFacts(header, facts, 8);
  header.writeUInt32LE((mode << 16) >>> 0, 38);
  header.writeUInt32LE(offset, 42);
  return Buffer.concat([header, facts.name, facts.extra]);
}

// Both headers have the same fields in the same order, at different offsets.
function writeFacts(header: Buffer, facts: Facts, start: number): void {
  header.writeUInt16LE(facts.flags, start);
  header.writeUInt16LE(facts.method, start + 2);
  header.writeUInt32LE(facts.crc, start + 8);
  header.writeUInt32LE(facts.packedSize, start + 12);
  header.writeUInt32LE(facts.size, start + 16);
  header.writeUInt16LE(facts.name.length, start + 20);
  header.writeUInt16LE(facts.extra.length, start + 22);
}
