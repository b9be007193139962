import { crc32 } from "node:zlib";

/** Whether the last six characters of a GitHub or npm token are the checksum of those between the prefix and them. */
export function hasTokenChecksum(token: string): boolean {
  const body = token.slice(token.indexOf("_") + 1);
  if (body.length !== 36) return false;
  return body.endsWith(base62(crc32(body.slice(0, 30))));
}

function base62(number: number): string {
  let digits = "";
  for (let rest = number; digits.length < 6; rest = Math.floor(rest / 62)) {
    digits = `${ALPHABET.charAt(rest % 62)}${digits}`;
  }
  return digits;
}

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
