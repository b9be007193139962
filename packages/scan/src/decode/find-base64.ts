import { beginsReadable } from "./begins-readable.ts";
import type { Blob } from "./blob.ts";
import type { BlobSigns } from "./blob-signs.ts";
import { xorKeysIn } from "./xor-keys.ts";

/** Base64 in both alphabets: in one piece, over lines, in quoted pieces, or backwards where the text speaks of reversing. */
export function* findBase64(text: string, { runs, hasLongRun }: BlobSigns): Iterable<Blob> {
  if (!hasLongRun) return;
  // Asked of the whole text, and only where a piece hangs on it.
  let mayBeReversed: boolean | undefined;
  let isMasked: boolean | undefined;
  for (const piece of joinPieces(text, runs)) {
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

interface Piece {
  readonly offset: number;
  readonly end: number;
  readonly body: string;
}

/** Words of a text that compresses: then noise may be raw deflate, which has no mark of its own. */
export const INFLATING: RegExp = /inflate|deflate|decompress|zlib/i;
const REVERSING = /\[::-1\]|\brev\b|reverse|strrev/i;
// Between pieces of one blob: line breaks, quotes, concatenation, continuation, comment signs.
const GLUE = /^[\s"'`+.,\\()&#*>|-]{1,40}$/;
const MIN_CHARACTERS = 16;
const MIN_JOINED_PIECE = 20;

function* joinPieces(text: string, runs: readonly number[]): Iterable<Piece> {
  let current: Joined | undefined;
  let last = 0;
  for (let at = 0; at < runs.length; at += 2) {
    let offset = runs[at] ?? 0;
    let end = runs[at + 1] ?? 0;
    // A blob may be padded, at its end or, written backwards, at its beginning.
    for (let count = 0; count < 2 && offset > last && text[offset - 1] === "="; count++) offset--;
    for (let count = 0; count < 2 && text[end] === "="; count++) end++;
    last = end;
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
