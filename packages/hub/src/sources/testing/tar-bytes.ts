/** One member of a hand-made tar; every field may lie. */
export interface TarMember {
  readonly name: string | Uint8Array;
  readonly type?: string;
  readonly mode?: number;
  readonly content?: string | Uint8Array;
  /** Default: the size of the content. */
  readonly size?: number;
  readonly link?: string;
  readonly prefix?: string;
  readonly magic?: string;
  readonly badChecksum?: true;
}

/** Builds a tar byte by byte, with its end mark. */
export function tarBytes(
  members: readonly TarMember[],
  { end = new Uint8Array(1024) }: { readonly end?: Uint8Array } = {},
): Uint8Array {
  return Buffer.concat([...members.map(memberBytes), end]);
}

export function paxRecord(key: string, value: string): string {
  const rest = ` ${key}=${value}\n`;
  let length = Buffer.byteLength(rest) + 1;
  while (Buffer.byteLength(`${length}${rest}`) !== length) length = Buffer.byteLength(`${length}${rest}`);
  return `${length}${rest}`;
}

function memberBytes(member: TarMember): Uint8Array {
  const content = Buffer.from(member.content ?? "");
  const header = Buffer.alloc(512);
  Buffer.from(member.name).copy(header, 0, 0, 100);
  header.write(`${(member.mode ?? 0o644).toString(8).padStart(7, "0")}\0`, 100);
  header.write("0000000\0", 108);
  header.write("0000000\0", 116);
  header.write(`${(member.size ?? content.length).toString(8).padStart(11, "0")}\0`, 124);
  header.write("00000000000\0", 136);
  header.write(member.type ?? "0", 156, "latin1");
  header.write(member.link ?? "", 157);
  header.write(member.magic ?? "ustar\x0000", 257, "latin1");
  header.write(member.prefix ?? "", 345);
  header.fill(" ", 148, 156);
  const sum = header.reduce((total, byte) => total + byte, 0) + (member.badChecksum === undefined ? 0 : 1);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return Buffer.concat([header, content, Buffer.alloc((512 - (content.length % 512)) % 512)]);
}
