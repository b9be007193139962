/** One-byte keys with which a text says it masks bytes: `b ^ 0x2a`, "XOR each byte with key 42". */
export function xorKeysIn(text: string): readonly number[] {
  const keys = new Set<number>();
  for (const sign of ["^", "-bxor"]) {
    let at = text.indexOf(sign);
    for (let count = 0; at !== -1 && count < MAX_SIGNS && keys.size < MAX_KEYS; count++) {
      const match = XOR.exec(text.slice(Math.max(0, at - 10), at + 16));
      const key = Number(match?.[1] ?? match?.[2] ?? 0);
      if (key > 0 && key < 256) keys.add(key);
      at = text.indexOf(sign, at + 1);
    }
  }
  for (const match of text.matchAll(SPOKEN)) {
    if (keys.size >= MAX_KEYS) break;
    const around = text.slice(Math.max(0, match.index - 60), match.index + 100);
    const key = Number((SPOKEN_KEY.exec(around) ?? KEY_BEHIND.exec(around))?.[1] ?? 0);
    if (key > 0 && key < 256) keys.add(key);
  }
  return [...keys];
}

/** Bytes masked with a key; twice gives them back. */
export function xorWith(bytes: Uint8Array, key: number): Uint8Array {
  return bytes.map((byte) => byte ^ key);
}

// Between two operands: `^53.0` is a range of versions.
const XOR =
  /(?:[\w)\]]\s{0,4}\^=?|-bxor)\s{0,4}(0x[0-9a-f]{1,2}|\d{1,3})\b(?!\.)|\b(0x[0-9a-f]{2}|\d{1,3})\s{0,4}\^\s{0,4}[a-z_(]/i;
// Told in words, to somebody who is to do it by hand.
const SPOKEN = /\bxor(?:e?d|ing|s)?\b|\bexclusive[ -]or\b|异或/gi;
const SPOKEN_KEY =
  /\b(?:key|mask|value|constant|byte)(?:\s{1,4}(?:is|of|byte|value)){0,2}[\s:=`"'*(]{1,6}(0x[0-9a-f]{1,2}|\d{1,3})\b(?![\w-]|\.\d)/i;
const KEY_BEHIND =
  /(?:xor(?:e?d|ing|s)?|exclusive[ -]or|异或)\b[^\n]{0,50}?(?:with|by|against|using|and|key|用|与)[\s:=`"'*(]{0,6}(0x[0-9a-f]{1,2}|\d{1,3})\b(?![\w-]|\.\d)/i;
const MAX_KEYS = 4;
const MAX_SIGNS = 2_000;
