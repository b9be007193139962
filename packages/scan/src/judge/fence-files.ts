import { createHash } from "node:crypto";
import type { SkillFile } from "../file/file-kind.ts";
import { decodeText, looksLikeText, wideEncodingOf } from "../file/identify-file.ts";
import { printableStrings } from "../unpack/contents.ts";

export interface FencedPart {
  readonly text: string;
  readonly receipt: readonly string[];
}

export interface FenceBounds {
  readonly maxPartCharacters: number;
  readonly maxParts: number;
}

/**
 * Splits the files of a skill into parts, each file between lines that no one can write without knowing the
 * nonce. Nothing is left out: a skill that needs more than `maxParts` gives undefined. After each piece comes
 * a token derived from the nonce and its bytes; a judge that repeats it has been shown the whole piece.
 */
export function fenceFiles(
  files: readonly SkillFile[],
  nonce: string,
  { maxPartCharacters, maxParts }: FenceBounds,
): readonly FencedPart[] | undefined {
  const parts: { text: string; receipt: string[] }[] = [];
  for (const file of files) {
    for (const [index, piece] of pieces(describe(file), maxPartCharacters).entries()) {
      const { text, token } = fencePiece(nonce, file.path, piece, index);
      const last = parts.at(-1);
      if (last !== undefined && last.text.length + text.length <= maxPartCharacters * 2) {
        last.text += text;
        last.receipt.push(token);
      } else parts.push({ text, receipt: [token] });
      if (parts.length > maxParts) return undefined;
    }
  }
  return parts;
}

export function fencePiece(
  nonce: string,
  path: string,
  piece: string,
  index = 0,
): { readonly text: string; readonly token: string } {
  const hash = createHash("sha256").update(`${nonce}\0${path}\0${index}\0`).update(piece);
  const token = hash.digest("hex").slice(0, TOKEN_CHARACTERS);
  const shown = JSON.stringify(path.slice(0, MAX_PATH_CHARACTERS));
  const text = `[${nonce} begin ${shown} piece ${index + 1}]\n${piece}\n[${nonce} end token ${token}]\n`;
  return { text, token };
}

const TOKEN_CHARACTERS = 12;
const MAX_PATH_CHARACTERS = 400;
const MIN_STRING_CHARACTERS = 6;

function describe({ mode, bytes, unread }: SkillFile): string {
  if (unread !== undefined) return `(could not be read: ${unread})`;
  if (mode === "120000") return `(a link to) ${Buffer.from(bytes).toString("utf8")}`;
  // One odd byte does not make a script binary: its interpreter ignores it.
  if (looksLikeText(bytes) && wideEncodingOf(bytes) === undefined) return decodeText(bytes).text;
  const strings = printableStrings(bytes, { minimum: MIN_STRING_CHARACTERS });
  // Zero bytes in a pattern may or may not mean two bytes per character, so both readings are shown.
  if (looksLikeText(bytes)) return `${decodeText(bytes).text}\n(texts in it, byte by byte:)\n${strings}`;
  return `(binary, ${bytes.length} bytes)${strings === "" ? "" : ` with these texts in it:\n${strings}`}`;
}

function pieces(text: string, maxCharacters: number): string[] {
  const cut: string[] = [];
  for (let start = 0; start < text.length || start === 0; start += maxCharacters)
    cut.push(text.slice(start, start + maxCharacters));
  return cut;
}
