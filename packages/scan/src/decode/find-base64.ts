import { xorKeysIn } from "./xor-keys.ts";

/** Something in a text that may be encoded; `end` is that of the written form. */
export interface Blob {
  readonly offset: number;
  readonly end: number;
  readonly encoding: string;
  readonly bytes: Uint8Array;
}

/** Base64 in both alphabets: in one piece, over lines, in quoted pieces, or backwards where the text speaks of reversing. */
export function* findBase64(text: string): Iterable<Blob> {
  // Asked of the whole text, and only where a piece hangs on it.
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
/** Words of a text that compresses: then noise may be raw deflate, which has no mark of its own. */
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
    // A blob may be padded, at its end or, written backwards, at its beginning.
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
  // Neighbours in quotes may be blobs of their own; the lines of one blob, such as a certificate, are not.
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

/** Whether the first characters of base64 decode to what text, a packing or a program begins with. Identifiers and hashes fail here, before anything is decoded. */
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
