import { magicOf } from "../file/magic.ts";
import type { SkillFile } from "../file/skill-file.ts";
import { printableStrings } from "./printable-strings.ts";
import { anomalyOf, memberOf, type Unpacked } from "./unpacked.ts";

/** Reads the constants of compiled code; what the code does with them stays unread, source beside it or not, since nothing says that they agree. */
export function readBytecode(file: SkillFile): Unpacked {
  const format = magicOf(file.bytes)?.format ?? "compiled code";
  const text = format === "pyc" ? pythonConstants(file.bytes) : printableStrings(file.bytes, { minimum: 4 });
  return {
    files: text === "" ? [] : [memberOf(file, "strings.txt", Buffer.from(text))],
    facts: [anomalyOf(file, "bytecode-without-source", bytecodeDetail(file, format))],
    unread: `of this ${format} only the constants were read`,
  };
}

// Flag 1 without flag 2: Python runs it without ever comparing it to the source.
function bytecodeDetail({ bytes }: SkillFile, format: string): string {
  const isUnchecked =
    format === "pyc" && bytes[4] === 1 && bytes[5] === 0 && bytes[6] === 0 && bytes[7] === 0;
  return isUnchecked ? "compiled Python that is never compared with its source" : `compiled code (${format})`;
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
    const start = SHORT.has(type) ? offset + 2 : LONG.has(type) ? offset + 5 : undefined;
    const length =
      start === undefined || start > buffer.length
        ? 0
        : start === offset + 2
          ? (buffer[offset + 1] ?? 0)
          : buffer.readUInt32LE(offset + 1);
    if (
      start === undefined ||
      length === 0 ||
      start + length > buffer.length ||
      !isText(buffer, start, length)
    ) {
      offset++;
      continue;
    }
    if (length >= 3) found.push(buffer.toString("utf8", start, start + length));
    offset = start + length;
  }
  return found.join("\n");
}

function isText(buffer: Buffer, start: number, length: number): boolean {
  for (let index = start; index < start + length; index++) {
    const byte = buffer[index] ?? 0;
    if (byte < 32 && byte !== 9 && byte !== 10 && byte !== 13) return false;
    if (byte === 127) return false;
  }
  return true;
}
