import { isAscii } from "node:buffer";

/** The number of UTF-16 units that a range of valid UTF-8 decodes to. */
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

/** A continuation byte adds no unit, and a byte that begins a four-byte sequence adds two. */
function unitsOf(byte: number): number {
  if ((byte & 0xc0) === 0x80) return 0;
  return byte >= 0xf0 ? 2 : 1;
}

// Sixteen bytes at a time, since most are ASCII even here; decoding only to count takes ten times as long.
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

/** How many more units than bytes four bytes stand for. */
function countWord(word: number): number {
  const high = word >>> 7;
  const continuations = high & ~(word >>> 6) & 0x01010101;
  const fours = high & (word >>> 6) & (word >>> 5) & (word >>> 4) & 0x01010101;
  return sumBytes(fours) - sumBytes(continuations);
}

function sumBytes(word: number): number {
  return Math.imul(word, 0x01010101) >>> 24;
}
