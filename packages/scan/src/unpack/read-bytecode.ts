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
  inside.add("strings.txt", isPython ? pythonConstants(bytes) : printableStrings(bytes, { minimum: 4 }));
  inside.leave(`of this ${format} only the constants were read`);
}

const HEADER_BYTES = 16;
const SHORT = new Set([0x7a, 0x5a]);
const LONG = new Set([0x61, 0x41, 0x75, 0x73, 0x74]);

/** The strings that `marshal` wrote: a type byte (with or without the reference bit), a length of one byte or four, the characters. */
function pythonConstants(bytes: Uint8Array): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const found: string[] = [];
  for (let offset = HEADER_BYTES; offset + 5 < buffer.length; ) {
    const type = (buffer[offset] ?? 0) & 0x7f;
    const start = offset + (SHORT.has(type) ? 2 : 5);
    const length = SHORT.has(type)
      ? (buffer[offset + 1] ?? 0)
      : LONG.has(type)
        ? buffer.readUInt32LE(offset + 1)
        : 0;
    const text = start + length > buffer.length ? "" : buffer.toString("utf8", start, start + length);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: a constant that is text has none of them
    const isText = text !== "" && !/[\0-\x08\x0b\x0c\x0e-\x1f\x7f]/.test(text);
    if (isText && length >= 3) found.push(text);
    offset = isText ? start + length : offset + 1;
  }
  return found.join("\n");
}
