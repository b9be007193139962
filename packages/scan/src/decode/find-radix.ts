import type { Blob } from "./blob.ts";
import type { BlobSigns } from "./blob-signs.ts";
import { xorKeysIn } from "./xor-keys.ts";

/** Hexadecimal in one piece, spaced or as `0x` lists, and base32. */
export function* findHexadecimal(text: string, signs: BlobSigns): Iterable<Blob> {
  if (!signs.mayHaveHexadecimal && !signs.mayHaveHexadecimalPairs) return;
  const isMasked = xorKeysIn(text).length > 0;
  if (signs.mayHaveHexadecimal)
    for (const match of text.matchAll(HEX)) {
      const body = match[0];
      if (body.length % 2 === 1 || (!isMasked && !/^(?:0x)?[2-7]/i.test(body))) continue;
      yield blob(match, "hexadecimal", Buffer.from(body, "hex"));
    }
  if (signs.mayHaveHexadecimalPairs)
    for (const pattern of [HEX_LIST, isMasked ? MASKED_SPACED : HEX_SPACED])
      for (const match of text.matchAll(pattern))
        yield blob(match, "hexadecimal", Buffer.from(match[0].replace(/0x|[^0-9a-f]/gi, ""), "hex"));
}

/** Base32 in upper case. */
export function* findBase32(text: string, { mayHaveBase32 }: BlobSigns): Iterable<Blob> {
  if (!mayHaveBase32) return;
  for (const match of text.matchAll(BASE32)) yield blob(match, "base32", decodeBase32(match[0]));
}

const HEX = /(?<![0-9A-Za-z_])[0-9A-Fa-f]{16,}(?![0-9A-Za-z_])/g;
const HEX_LIST = /0x[0-9a-f]{2}(?:[\s,;"']{1,6}0x[0-9a-f]{2}){5,}/gi;
const HEX_SPACED = /(?<![0-9A-Za-z])[2-7][0-9a-f](?:[ :,-][0-9a-f]{2}){7,}(?![0-9A-Za-z])/gi;
const MASKED_SPACED = /(?<![0-9A-Za-z])[0-9a-f]{2}(?:[ :,-][0-9a-f]{2}){7,}(?![0-9A-Za-z])/gi;
const BASE32 = /(?<![A-Za-z0-9+/=])[A-Z2-7]{24,}={0,6}(?![A-Za-z0-9+/])/g;

function blob(match: RegExpMatchArray, encoding: string, bytes: Uint8Array): Blob {
  const offset = match.index ?? 0;
  return { offset, end: offset + match[0].length, encoding, bytes };
}

function decodeBase32(text: string): Uint8Array {
  const bytes: number[] = [];
  let buffer = 0;
  let bits = 0;
  for (const character of text) {
    const value = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(character);
    if (value === -1) break;
    buffer = ((buffer << 5) | value) & 0xfff;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push((buffer >> bits) & 0xff);
  }
  return Uint8Array.from(bytes);
}
