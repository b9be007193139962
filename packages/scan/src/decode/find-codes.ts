import type { Blob } from "./blob.ts";
import type { BlobSigns } from "./blob-signs.ts";
import { xorKeysIn } from "./xor-keys.ts";

/** Lists of character codes: `fromCharCode(99, 117)`, `[99, 117]`, `chr(99) + chr(117)`, also shifted by a constant that the text subtracts. */
export function* findCharacterCodes(text: string, { mayHaveNumbers }: BlobSigns): Iterable<Blob> {
  const patterns: RegExp[] = mayHaveNumbers ? [NUMBER_LIST] : [];
  if (CALL_HINT.test(text)) patterns.push(CALLS);
  let shifts: readonly number[] | undefined;
  let keys: readonly number[] | undefined;
  for (const pattern of patterns)
    for (const match of text.matchAll(pattern)) {
      const codes = (match[0].match(/0x[0-9a-f]{1,2}|\d{1,4}/gi) ?? []).map(Number);
      if (codes.length < MIN_CODES) continue;
      shifts ??= shiftsIn(text);
      for (const shift of shifts) {
        const shifted = codes.map((code) => code + shift);
        if (!shifted.every((code) => code >= 9 && code < 127)) continue;
        yield {
          offset: match.index,
          end: match.index + match[0].length,
          encoding: shift === 0 ? "character codes" : "shifted character codes",
          bytes: Uint8Array.from(shifted),
        };
      }
      keys ??= xorKeysIn(text);
      // Masked codes are any bytes; with which key they become text is found out by who asked.
      if (keys.length > 0 && codes.every((code) => code < 256))
        yield {
          offset: match.index,
          end: match.index + match[0].length,
          encoding: "character codes",
          bytes: Uint8Array.from(codes),
        };
    }
}

const MIN_CODES = 6;
const NUMBER_LIST = /(?<![\w.])\d{1,4}(?:\s{0,8}[,;]\s{0,8}\d{1,4}){5,}(?![\w.])/g;
const CALL_HINT = /c(?:hr|har|odepoint)/i;
const CALLS =
  /(?:\b(?:chr|char|fromcharcode|fromcodepoint)\s{0,3}\(?\s{0,3}|\[char\]\s{0,3}\(?\s{0,3})(?:0x[0-9a-f]{2}|\d{2,4})\s{0,3}\)?(?:\s{0,8}[+.&,|]{0,3}\s{0,8}(?:(?:string\.)?(?:chr|char|fromcharcode|fromcodepoint)\s{0,3}\(?|\[char\]\s{0,3}\(?)\s{0,3}(?:0x[0-9a-f]{2}|\d{2,4})\s{0,3}\)?){3,}/gi;
const SHIFT =
  /\b(?:chr|fromCharCode|fromCodePoint|char)\s{0,3}\(\s{0,3}[\w.[\]()]{1,40}\s{0,3}([-+])\s{0,3}(\d{1,3})\b/g;
// Told in words: "subtract 7 from each number".
const SPOKEN_SHIFT =
  /\b(subtract|add|take away)\s{1,4}(\d{1,3})\s{1,4}(?:from|to)\s{1,4}(?:each|every|all|the)\b|\b(?:shift|move)(?:ed|s)?\b[^.\n]{0,40}?\b(back|down|forward|up|by)\b[^.\n]{0,20}?\b(\d{1,3})\b/gi;
const MAX_SHIFTS = 4;

function shiftsIn(text: string): readonly number[] {
  const shifts = new Set<number>([0]);
  for (const match of text.matchAll(SHIFT)) {
    shifts.add(match[1] === "-" ? -Number(match[2]) : Number(match[2]));
    if (shifts.size > MAX_SHIFTS) break;
  }
  for (const [, verb, count, direction, distance] of text.matchAll(SPOKEN_SHIFT)) {
    if (shifts.size > MAX_SHIFTS) break;
    if (verb !== undefined) shifts.add(verb.toLowerCase() === "add" ? Number(count) : -Number(count));
    else if (/^(?:forward|up)$/i.test(direction ?? "")) shifts.add(Number(distance));
    else shifts.add(-Number(distance));
  }
  return [...shifts];
}
