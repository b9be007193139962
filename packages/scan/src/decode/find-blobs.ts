import { ASCII85, BASE85, decodeBase32, decodeBase85 } from "@skillet/shell";

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

/** In one piece, as a list, or separated by spaces; unmasked text begins with a printable character. */
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

// Base85 in its three alphabets: quoted, as a word, or between `<~` and `~>`. Only if the text names a
// decoder, since any quoted text fits the alphabet.
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
// Markdown's marks are letters of this alphabet, so a blob in prose is any run without spaces.
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
      // Masked codes may be any bytes; the caller finds the key that turns them into text.
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

export interface Blob {
  readonly offset: number;
  readonly end: number;
  readonly encoding: string;
  readonly bytes: Uint8Array;
}

/** Base64 in both alphabets: in one piece, over lines, in quoted pieces, or backwards if the text mentions reversing. */
function* findBase64(text: string): Iterable<Blob> {
  // Needs the whole text, so it is evaluated only if a piece depends on it.
  let mayBeReversed: boolean | undefined;
  let isMasked: boolean | undefined;
  for (const piece of joinPieces(text)) {
    const { offset, end, body } = piece;
    if (!isPlausible(body)) continue;
    const isReadable = beginsReadable(body);
    if (!isReadable) isMasked ??= INFLATING.test(text) || xorKeysIn(text).length > 0;
    if (isReadable || isMasked === true)
      yield { offset, end, encoding: "base64", bytes: Buffer.from(body, "base64") };
    mayBeReversed ??= REVERSING.test(text);
    if (mayBeReversed || body.startsWith("=")) {
      const reversed = [...body].reverse().join("");
      yield { offset, end, encoding: "reversed base64", bytes: Buffer.from(reversed, "base64") };
    }
  }
}

interface Piece extends Pick<Blob, "offset" | "end"> {
  readonly body: string;
}

const RUN = /[A-Za-z0-9+/_-]{12,}={0,2}/g;
/** Words of a text that compresses: then noise may be raw deflate, which has no signature. */
export const INFLATING: RegExp = /inflate|deflate|decompress|zlib/i;
const REVERSING = /\[::-1\]|\brev\b|reverse|strrev/i;
// Between pieces of one blob: line breaks, quotes, concatenation, continuation, comment signs.
const GLUE = /^[\s"'`+.,\\()&#*>|-]{1,40}$/;
const MIN_CHARACTERS = 16;
const MIN_JOINED_PIECE = 20;

function* joinPieces(text: string): Iterable<Piece> {
  let current: Joined | undefined;
  for (const { 0: run, index } of text.matchAll(RUN)) {
    const end = index + run.length;
    // A blob may be padded at its end or, written backwards, at its beginning.
    const before = text.slice(Math.max(index - 2, current?.end ?? 0), index);
    const offset = index - (before === "==" ? 2 : before.endsWith("=") ? 1 : 0);
    const piece = text.slice(offset, end);
    if (current !== undefined && continues(text, current, offset, piece)) {
      current.isQuoted ||= /["'`,]/.test(text.slice(current.end, offset));
      current.parts.push(piece);
      current.end = end;
      continue;
    }
    if (current !== undefined) yield* piecesOf(current);
    current = { offset, end, parts: [piece], isQuoted: false };
  }
  if (current !== undefined) yield* piecesOf(current);
}

interface Joined {
  readonly offset: number;
  end: number;
  readonly parts: string[];
  isQuoted: boolean;
}

function continues(text: string, { end, parts }: Joined, next: number, piece: string): boolean {
  const last = parts.at(-1) ?? "";
  if (last.endsWith("=") || last.length < MIN_JOINED_PIECE || next - end > 40) return false;
  return !piece.startsWith("=") && GLUE.test(text.slice(end, next));
}

function* piecesOf({ offset, end, parts, isQuoted }: Joined): Iterable<Piece> {
  yield { offset, end, body: parts.join("") };
  // Adjacent quoted pieces may be separate blobs; the lines of one blob, such as a certificate, are not.
  if (isQuoted && parts.length <= MAX_SINGLE_PIECES)
    for (const part of parts) yield { offset, end, body: part };
}

const MAX_SINGLE_PIECES = 64;

// Words, paths, hashes and identifiers look encoded too: base64 of text mixes cases, and is neither hexadecimal nor one repeated letter.
function isPlausible(body: string): boolean {
  if (body.length < MIN_CHARACTERS) return false;
  const head = body.slice(0, 64);
  if (/^[0-9a-f]+$/i.test(head) || !/[A-Z]/.test(head) || !/[a-z]/.test(head)) return false;
  return !/^(.)\1{15}/.test(head);
}

/** Whether the start of the base64 decodes to the start of a text, an archive or a program. Identifiers and hashes fail here, before anything is decoded. */
function beginsReadable(body: string): boolean {
  if (PACKED_OR_BINARY.test(body)) return true;
  let continuations = 0;
  for (const byte of Buffer.from(body.slice(0, HEAD_CHARACTERS), "base64")) {
    if (byte < 32 && byte !== 0 && byte !== 9 && byte !== 10 && byte !== 13 && byte !== 27) return false;
    if (byte === 127) return false;
    const isContinuation = byte >= 0x80 && byte < 0xc0;
    if (isContinuation !== continuations > 0) return false;
    if (isContinuation) continuations--;
    else if (byte >= 0xc2) continuations = byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3;
  }
  return true;
}

const HEAD_CHARACTERS = 20;
// gzip, zlib, ELF, PE, zip, PDF, Mach-O, WebAssembly, pyc, UTF-16 with its mark.
const PACKED_OR_BINARY =
  /^(?:H4sI|eJ|eN|eA|eF|f0VM|T[VW][opqr]|UEsD|JVBERi|z\/rt|yv66|AGFzb|[A-Za-z0-9+/]{2}0NCg|\/\/4|\/v8)/;

/** One-byte keys that a text says it masks bytes with: `b ^ 0x2a`, "XOR each byte with key 42". */
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
// Instructions in words, for a reader who decodes by hand.
const SPOKEN = /\bxor(?:e?d|ing|s)?\b|\bexclusive[ -]or\b|异或/gi;
const SPOKEN_KEY =
  /\b(?:key|mask|value|constant|byte)(?:\s{1,4}(?:is|of|byte|value)){0,2}[\s:=`"'*(]{1,6}(0x[0-9a-f]{1,2}|\d{1,3})\b(?![\w-]|\.\d)/i;
const KEY_BEHIND =
  /(?:xor(?:e?d|ing|s)?|exclusive[ -]or|异或)\b[^\n]{0,50}?(?:with|by|against|using|and|key|用|与)[\s:=`"'*(]{0,6}(0x[0-9a-f]{1,2}|\d{1,3})\b(?![\w-]|\.\d)/i;
const MAX_KEYS = 4;
const MAX_SIGNS = 2_000;
