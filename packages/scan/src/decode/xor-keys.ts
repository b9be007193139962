/** One-byte keys with which a text says it masks bytes: `b ^ 0x2a`, "XOR each byte with key 42". */
export function xorKeysIn(text: string): readonly number[] {
  const keys = new Set<number>();
  const note = (match: RegExpExecArray | null): void => {
    const key = Number(match?.[1] ?? match?.[2] ?? 0);
    if (key > 0 && key < 256 && keys.size < MAX_KEYS) keys.add(key);
  };
  let signs = 0;
  for (const { index } of text.matchAll(SIGN)) {
    if (++signs > MAX_SIGNS) break;
    note(XOR.exec(text.slice(Math.max(0, index - 10), index + 16)));
  }
  for (const { index } of text.matchAll(SPOKEN)) {
    if (keys.size >= MAX_KEYS) break;
    const around = text.slice(Math.max(0, index - 60), index + 100);
    note(SPOKEN_KEY.exec(around) ?? KEY_BEHIND.exec(around));
  }
  return [...keys];
}

const SIGN = /\^|-bxor/g;
// Between two operands: `^53.0` is a range of versions.
const XOR =
  /(?:[\w)\]]\s{0,4}\^=?|-bxor)\s{0,4}(0x[0-9a-f]{1,2}|\d{1,3})\b(?!\.)|\b(0x[0-9a-f]{2}|\d{1,3})\s{0,4}\^\s{0,4}[a-z_(]/i;
// Told in words, to someone who is to do it by hand.
const SPOKEN = /\bxor(?:e?d|ing|s)?\b|\bexclusive[ -]or\b|异或/gi;
const SPOKEN_KEY =
  /\b(?:key|mask|value|constant|byte)(?:\s{1,4}(?:is|of|byte|value)){0,2}[\s:=`"'*(]{1,6}(0x[0-9a-f]{1,2}|\d{1,3})\b(?![\w-]|\.\d)/i;
const KEY_BEHIND =
  /(?:xor(?:e?d|ing|s)?|exclusive[ -]or|异或)\b[^\n]{0,50}?(?:with|by|against|using|and|key|用|与)[\s:=`"'*(]{0,6}(0x[0-9a-f]{1,2}|\d{1,3})\b(?![\w-]|\.\d)/i;
const MAX_KEYS = 4;
const MAX_SIGNS = 2_000;
