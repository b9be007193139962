import { ASCII85, BASE85, decodeBase32, decodeBase85, rotate13 } from "@skillet/shell";
import type { Blob, BlobSigns } from "./blob.ts";
import { xorKeysIn } from "./find-base64.ts";

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
        yield blob(match, shift === 0 ? CODES : `shifted ${CODES}`, Uint8Array.from(shifted));
      }
      keys ??= xorKeysIn(text);
      // Masked codes are any bytes; with which key they become text is found out by who asked.
      if (keys.length > 0 && codes.every((code) => code < 256))
        yield blob(match, CODES, Uint8Array.from(codes));
    }
}

const CODES = "character codes";
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

export function* findBase32(text: string, { mayHaveBase32 }: BlobSigns): Iterable<Blob> {
  if (!mayHaveBase32) return;
  for (const match of text.matchAll(BASE32))
    yield blob(match, "base32", decodeBase32(match[0]) ?? new Uint8Array());
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

interface RotatedText {
  readonly offset: number;
  readonly text: string;
}

/** Reads quoted strings near the name of a ROT13 decoder; without one nothing tells a rotated word from a foreign one. */
export function* findRotated(text: string): Iterable<RotatedText> {
  if (!HINTS.some((hint) => text.includes(hint))) return;
  let done = -1;
  for (const match of text.matchAll(DECODER)) {
    const start = Math.max(0, match.index - REACH_CHARACTERS, done);
    const end = Math.min(text.length, match.index + REACH_CHARACTERS);
    done = end;
    const window = text.slice(start, end);
    for (const quoted of window.matchAll(QUOTED)) {
      const body = quoted[2] ?? "";
      if (!/[A-Za-z]{3}/.test(body) || TABLE.test(body)) continue;
      yield { offset: start + quoted.index, text: rotate13(body) };
    }
  }
}

/** Signs of each decoder, for a quick look. */
const HINTS = ["13", "-z", "-Z", "nopq", "NOPQ"];
const DECODER =
  /[rR][oO][tT][_-]?13|[nN]-[zZ][aA]-[mM]|nopqrstuvwxyzabcdefghijklm|NOPQRSTUVWXYZABCDEFGHIJKLM/g;
const TABLE = /n-za-m|nopqrstuvwxyz|^rot/i;
const QUOTED = /(["'`])([^"'`\n]{8,20000})\1/g;
const REACH_CHARACTERS = 1_000;

/**
 * Base85 in its three alphabets, in quotes, as a word of its own or between `<~` and `~>`; only where the text names a decoder,
 * since any quoted text fits the alphabet.
 */
export function* findBase85(text: string): Iterable<Blob> {
  if ((!text.includes("85") && !text.includes("<~")) || !BASE85_DECODER.test(text)) return;
  for (const match of text.matchAll(BASE85_QUOTED)) yield* decodings(match, match[2] ?? "");
  let words = 0;
  for (const match of text.matchAll(WORD)) {
    if (++words > MAX_WORDS) break;
    for (const body of new Set([match[0], match[0].replace(/^[`"']{1,3}|[`"'.,;]{1,3}$/g, "")]))
      yield* decodings(match, body);
  }
  for (const match of text.matchAll(ADOBE)) {
    const bytes = decodeBase85((match[1] ?? "").replace(/\s+/g, ""), ASCII85);
    if (bytes !== undefined) yield blob(match, "ascii85", bytes);
  }
}

const BASE85_DECODER = /[ab]85decode|base-?85|ascii-?85|z85|<~|\bbtoa\b.{0,40}85/i;
const BASE85_QUOTED = /(["'`])([^"'`\s]{15,262144})\1/g;
// Marks of Markdown are letters of this alphabet, so a blob in prose is whatever no blank interrupts.
const WORD = /\S{30,65536}/g;
const MAX_WORDS = 2_000;
const ADOBE = /<~([!-u\sz]{10,262144})~>/g;
const ALPHABETS: readonly (readonly [string, string])[] = [
  ["base85", BASE85],
  ["ascii85", ASCII85],
  ["z85", "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"],
];

function* decodings(match: RegExpExecArray, body: string): Iterable<Blob> {
  for (const [encoding, alphabet] of ALPHABETS) {
    const bytes = decodeBase85(body, alphabet);
    if (bytes !== undefined) yield blob(match, encoding, bytes);
  }
}
