import { isAscii } from "node:buffer";
import { MAX_HEADER_CHARACTERS } from "./format-limits.ts";

const OPENING_BYTES = 4;
const CLOSING: Uint8Array = Buffer.from("\n---");

/** The offsets of a file's parts; undefined if a fence is missing or not plain, or the header is too long. */
export function findPlainFences(
  bytes: Buffer,
): { readonly headerStart: number; readonly headerEnd: number; readonly bodyStart: number } | undefined {
  if (bytes[0] !== 0x2d || bytes[1] !== 0x2d || bytes[2] !== 0x2d || bytes[3] !== 0x0a) return undefined;
  const end = findClosing(bytes);
  if (end === -1 || end > MAX_HEADER_CHARACTERS) return undefined;
  const bodyStart = Math.min(end + CLOSING.length + 1, bytes.length);
  return { headerStart: OPENING_BYTES, headerEnd: end + 1, bodyStart };
}

function findClosing(bytes: Buffer): number {
  for (let at = bytes.indexOf(CLOSING, OPENING_BYTES - 1); at !== -1; at = bytes.indexOf(CLOSING, at + 1)) {
    const next = bytes[at + CLOSING.length];
    if (next === undefined || next === 0x0a) return at;
    // White space after the dashes needs a repair; with any other text it is not a fence.
    if (next <= 0x20 || next > 0x7f) return -1;
  }
  return -1;
}

/** The length of the decoded text in UTF-16 units. */
export function countCharacters(bytes: Uint8Array, start: number, end: number): number {
  const length = end - start;
  if (length === 0 || isAscii(bytes.subarray(start, end))) return length;
  let count = length;
  let at = start;
  for (; at < end && (bytes.byteOffset + at) % 4 !== 0; at += 1) count += unitsOf(bytes[at] ?? 0) - 1;
  if (at === end) return count;
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset + at, Math.floor((end - at) / 4));
  count += countWords(words);
  for (at += words.length * 4; at < end; at += 1) count += unitsOf(bytes[at] ?? 0) - 1;
  return count;
}

/** A continuation byte adds no unit; a byte that begins a four-byte sequence adds two. */
function unitsOf(byte: number): number {
  if ((byte & 0xc0) === 0x80) return 0;
  return byte >= 0xf0 ? 2 : 1;
}

// Sixteen bytes at a time, as most are ASCII even here; decoding just to count takes ten times as long.
function countWords(words: Uint32Array): number {
  let difference = 0;
  const blocks = words.length - (words.length % 4);
  for (let index = 0; index < blocks; index += 4) {
    const first = words[index] ?? 0;
    const second = words[index + 1] ?? 0;
    const third = words[index + 2] ?? 0;
    const fourth = words[index + 3] ?? 0;
    if (((first | second | third | fourth) & 0x80808080) === 0) continue;
    difference += countWord(first) + countWord(second) + countWord(third) + countWord(fourth);
  }
  for (let index = blocks; index < words.length; index += 1) difference += countWord(words[index] ?? 0);
  return difference;
}

function countWord(word: number): number {
  const high = word >>> 7;
  const continuations = high & ~(word >>> 6) & 0x01010101;
  const fours = high & (word >>> 6) & (word >>> 5) & (word >>> 4) & 0x01010101;
  return sumBytes(fours) - sumBytes(continuations);
}

function sumBytes(word: number): number {
  return Math.imul(word, 0x01010101) >>> 24;
}

const REPLACEMENT = Buffer.from("\ufffd");

export function findInvalidUtf8(bytes: Uint8Array): { readonly line: number; readonly column: number } {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const text = buffer.toString("utf8");
  let at = text.indexOf("\ufffd");
  let offset = Buffer.byteLength(text.slice(0, at));
  // A replacement character in the file itself is not a fault.
  while (buffer.subarray(offset, offset + REPLACEMENT.length).equals(REPLACEMENT)) {
    const next = text.indexOf("\ufffd", at + 1);
    offset += Buffer.byteLength(text.slice(at, next));
    at = next;
  }
  const before = text.slice(0, at).split("\n");
  return { line: before.length, column: (before.at(-1) ?? "").length + 1 };
}
