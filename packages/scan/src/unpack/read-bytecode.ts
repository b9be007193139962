import type { Contents } from "./contents.ts";
import { printableStrings } from "./printable-strings.ts";

/** Reads the constants of compiled code; what the code does with them stays unread, source beside it or not, since nothing says that they agree. */
export function readBytecode(inside: Contents, format: string): void {
  const { bytes } = inside.file;
  const isPython = format === "pyc";
  // Flag 1 without flag 2: Python runs it without ever comparing it to the source.
  const isUnchecked = isPython && bytes[4] === 1 && bytes[5] === 0 && bytes[6] === 0 && bytes[7] === 0;
  inside.note(
    "bytecode-without-source",
    isUnchecked ? "compiled Python that is never compared with its source" : `compiled code (${format})`,
  );
  inside.add(
    "strings.txt",
    isPython ? pythonConstants(bytes) : printableStrings(bytes, { minimum: 4, left: inside }),
  );
  inside.leave(`of this ${format} only the constants were read`);
}

const HEADER_BYTES = 16;
const SHORT = new Set([0x7a, 0x5a]);
const LONG = new Set([0x61, 0x41, 0x75, 0x73, 0x74]);

/** The strings that `marshal` wrote: a type byte (with or without the reference bit), a length of one byte or four, the characters. */
function pythonConstants(bytes: Uint8Array): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const found: string[] = [];
  for (let offset = HEADER_BYTES; offset + 2 < buffer.length; ) {
    const type = (buffer[offset] ?? 0) & 0x7f;
    const isShort = SHORT.has(type);
    const start = offset + (isShort ? 2 : 5);
    let end = start;
    if (isShort) end += buffer[offset + 1] ?? 0;
    else if (LONG.has(type) && start < buffer.length) end += buffer.readUInt32LE(offset + 1);
    const isConstant = end > start && end <= buffer.length && isText(buffer, start, end);
    if (isConstant && end - start >= 3) found.push(buffer.toString("utf8", start, end));
    offset = isConstant ? end : offset + 1;
  }
  return found.join("\n");
}

/** Stops at the first byte that is none: any length may be claimed, at every offset. */
function isText(buffer: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const byte = buffer[at] ?? 0;
    if (byte === 127 || (byte < 32 && byte !== 9 && byte !== 10 && byte !== 13)) return false;
  }
  return true;
}
