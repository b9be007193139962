import { ASCII85, BASE85, decodeBase32, decodeBase85 } from "@skillet/shell";
import { type Blob, findBase64, xorKeysIn } from "./find-base64.ts";

/** Everything in a text that may be encoded bytes; most of it is noise, which shows once it is decoded. */
export function* findBlobs(text: string): Iterable<Blob> {
  const hasLongRun = LONG_RUN.test(text);
  if (hasLongRun) yield* findBase64(text);
  yield* findHexadecimal(text, hasLongRun ? HEXADECIMAL : HEXADECIMAL.slice(1));
  if (hasLongRun)
    for (const match of text.matchAll(BASE32)) yield blob(match, "base32", decodeBase32(match[0]));
  yield* findBase85(text);
  yield* findCharacterCodes(text);
}

const LONG_RUN = /[A-Za-z0-9+/_-]{16}/;

function blob(match: RegExpMatchArray, encoding: string, bytes: Uint8Array = new Uint8Array()): Blob {
  const offset = match.index ?? 0;
  return { offset, end: offset + match[0].length, encoding, bytes };
}

function* findHexadecimal(text: string, patterns: typeof HEXADECIMAL): Iterable<Blob> {
  let isMasked: boolean | undefined;
  for (const [plain, masked] of patterns) {
    if (!masked.test(text)) continue;
    masked.lastIndex = 0;
    isMasked ??= xorKeysIn(text).length > 0;
    for (const match of text.matchAll(isMasked ? masked : plain)) {
      const digits = match[0].replace(/0x|[^0-9a-f]/gi, "");
      if (digits.length % 2 === 0) yield blob(match, "hexadecimal", Buffer.from(digits, "hex"));
    }
  }
}

/** In one piece, as a list, apart by blanks; unmasked text begins with a printable character. */
const HEXADECIMAL: readonly (readonly [plain: RegExp, masked: RegExp])[] = [
  [
    /(?<![0-9A-Za-z_])[2-7][0-9A-Fa-f]{15,}(?![0-9A-Za-z_])/g,
    /(?<![0-9A-Za-z_])[0-9A-Fa-f]{16,}(?![0-9A-Za-z_])/g,
  ],
  [/0x[0-9a-f]{2}(?:[\s,;"']{1,6}0x[0-9a-f]{2}){5,}/gi, /0x[0-9a-f]{2}(?:[\s,;"']{1,6}0x[0-9a-f]{2}){5,}/gi],
  [
    /(?<![0-9A-Za-z])[2-7][0-9a-f](?:[ :,-][0-9a-f]{2}){7,}(?![0-9A-Za-z])/gi,
    /(?<![0-9A-Za-z])[0-9a-f]{2}(?:[ :,-][0-9a-f]{2}){7,}(?![0-9A-Za-z])/gi,
  ],
];
const BASE32 = /(?<![A-Za-z0-9+/=])[A-Z2-7]{24,}={0,6}(?![A-Za-z0-9+/])/g;

/**
 * Base85 in its three alphabets, in quotes, as a word of its own or between `<~` and `~>`; only where the text names a decoder,
 * since any quoted text fits the alphabet.
 */
function* findBase85(text: string): Iterable<Blob> {
  if ((!text.includes("85") && !text.includes("<~")) || !BASE85_DECODER.test(text)) return;
  for (const match of text.matchAll(QUOTED)) yield* base85(match, match[2] ?? "");
  let words = 0;
  for (const match of text.matchAll(WORD)) {
    if (++words > MAX_WORDS) break;
    for (const body of new Set([match[0], match[0].replace(/^[`"']{1,3}|[`"'.,;]{1,3}$/g, "")]))
      yield* base85(match, body);
  }
  for (const match of text.matchAll(ADOBE)) {
    const bytes = decodeBase85((match[1] ?? "").replace(/\s+/g, ""), ASCII85);
    if (bytes !== undefined) yield blob(match, "ascii85", bytes);
  }
}

function* base85(match: RegExpExecArray, body: string): Iterable<Blob> {
  for (const [encoding, alphabet] of ALPHABETS) {
    const bytes = decodeBase85(body, alphabet);
    if (bytes !== undefined) yield blob(match, encoding, bytes);
  }
}

const BASE85_DECODER = /[ab]85decode|base-?85|ascii-?85|z85|<~|\bbtoa\b.{0,40}85/i;
const QUOTED = /(["'`])([^"'`\s]{15,262144})\1/g;
// Marks of Markdown are letters of this alphabet, so a blob in prose is whatever no blank interrupts.
const WORD = /\S{30,65536}/g;
const MAX_WORDS = 2_000;
const ADOBE = /<~([!-u\sz]{10,262144})~>/g;
const ALPHABETS: readonly (readonly [string, string])[] = [
  ["base85", BASE85],
  ["ascii85", ASCII85],
  ["z85", "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"],
];

function* findCharacterCodes(text: string): Iterable<Blob> {
  let shifts: readonly number[] | undefined;
  let isMasked: boolean | undefined;
  for (const pattern of CALL_HINT.test(text) ? [NUMBER_LIST, CALLS] : [NUMBER_LIST])
    for (const match of text.matchAll(pattern)) {
      const codes = (match[0].match(/0x[0-9a-f]{1,2}|\d{1,4}/gi) ?? []).map(Number);
      if (codes.length < MIN_CODES) continue;
      shifts ??= shiftsIn(text);
      for (const shift of shifts) {
        const shifted = codes.map((code) => code + shift);
        if (!shifted.every((code) => code >= 9 && code < 127)) continue;
        yield blob(match, shift === 0 ? CODES : `shifted ${CODES}`, Uint8Array.from(shifted));
      }
      isMasked ??= xorKeysIn(text).length > 0;
      // Masked codes are any bytes; with which key they become text is found out by who asked.
      if (isMasked && codes.every((code) => code < 256)) yield blob(match, CODES, Uint8Array.from(codes));
    }
}

const CODES = "character codes";
const MIN_CODES = 6;
const NUMBER_LIST = /(?<![\w.])\d{1,4}(?:\s{0,8}[,;]\s{0,8}\d{1,4}){5,}(?![\w.])/g;
const CALL_HINT = /c(?:hr|har|odepoint)/i;
const CALLS =
  /(?:\b(?:chr|char|fromcharcode|fromcodepoint)\s{0,3}\(?\s{0,3}|\[char\]\s{0,3}\(?\s{0,3})(?:0x[0-9a-f]{2}|\d{2,4})\s{0,3}\)?(?:\s{0,8}[+.&,|]{0,3}\s{0,8}(?:(?:string\.)?(?:chr|char|fromcharcode|fromcodepoint)\s{0,3}\(?|\[char\]\s{0,3}\(?)\s{0,3}(?:0x[0-9a-f]{2}|\d{2,4})\s{0,3}\)?){3,}/gi;

/** What a text says to add to each code, in code or in words: "subtract 7 from each number". */
function shiftsIn(text: string): readonly number[] {
  const shifts = new Set<number>([0]);
  for (const { groups: { sign = "", verb = "", way = "", first, second, third } = {} } of text.matchAll(
    SHIFT,
  )) {
    if (shifts.size > MAX_SHIFTS) break;
    const isUp = sign === "+" || /^(?:add|forward|up)$/i.test(verb || way);
    shifts.add(Number(first ?? second ?? third) * (isUp ? 1 : -1));
  }
  return [...shifts];
}

const SHIFT =
  /\b(?:chr|fromCharCode|fromCodePoint|char)\s{0,3}\(\s{0,3}[\w.[\]()]{1,40}\s{0,3}(?<sign>[-+])\s{0,3}(?<first>\d{1,3})\b|\b(?<verb>subtract|add|take away)\s{1,4}(?<second>\d{1,3})\s{1,4}(?:from|to)\s{1,4}(?:each|every|all|the)\b|\b(?:shift|move)(?:ed|s)?\b[^.\n]{0,40}?\b(?<way>back|down|forward|up|by)\b[^.\n]{0,20}?\b(?<third>\d{1,3})\b/gi;
const MAX_SHIFTS = 4;
