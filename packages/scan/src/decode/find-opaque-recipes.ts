import type { SourceText } from "../text/source-text.ts";
import type { Blob } from "./find-blobs.ts";

/** A place where a document makes its reader decode an unreadable blob by hand. */
export interface OpaqueRecipe {
  readonly offset: number;
  /** Ends with `OBEYED` if the reader is told to do what it says. */
  readonly detail: string;
}

export const OBEYED = "and do what it says";

/**
 * Finds instructions in prose to decode a blob that follows and did not decode to readable text; `known`
 * lists the blobs that did. A model can do by hand what no script in the skill does.
 */
export function findOpaqueRecipes(
  { text, language }: SourceText,
  known: readonly Pick<Blob, "offset" | "end">[],
): OpaqueRecipe[] {
  if (language !== "markdown" && language !== "text") return [];
  const found: OpaqueRecipe[] = [];
  let done = 0;
  for (const match of text.matchAll(DECODE)) {
    if (match.index < done) continue;
    // Only nearby text: searching for the start of a long line at every match would be quadratic.
    const before = text.slice(Math.max(0, match.index - 120), match.index);
    const start = match.index - before.length + before.lastIndexOf("\n") + 1;
    if (REFUSING.test(text.slice(start, match.index))) continue;
    const reach = text.slice(match.index, match.index + REACH_CHARACTERS);
    if (!SCHEME.test(reach.slice(0, 300))) continue;
    const blob = opaqueBlob(reach, match.index, known);
    if (blob === undefined) continue;
    const end = blob.offset + blob.length;
    const around = text.slice(start, blob.offset) + text.slice(end, end + 400);
    const detail = `the reader is to decode ${blob.length} characters that nobody can read`;
    found.push({ offset: blob.offset, detail: OBEYING.test(around) ? `${detail}, ${OBEYED}` : detail });
    if (found.length >= MAX_RECIPES) break;
    done = end;
  }
  return found;
}

const REACH_CHARACTERS = 1_500;
const MAX_RECIPES = 10;
const DECODE =
  /\b(?:decode|decrypt|decipher|unscramble|de-?obfuscate|unmask|xor|base(?:64|85|32)[ -]decode)\b|解码|解密|расшифру|декодиру/gi;
const SCHEME =
  /\bbase-?\d\d\b|\b(?:ascii-?85|z85|hex(?:adecimal)?|xor(?:ed)?|rot-?\d{1,2}|caesar|vigen[eè]re|cipher(?:text)?|aes|encoded|encrypted|obfuscated|scrambled|payload|blob)\b|异或|编码|加密|шифр|кодир/i;
const REFUSING = /\b(?:never|do not|don't|must not|should not|cannot|can't|refuse to|avoid)\b[^.;:]{0,60}$/i;
const OBEYING =
  /\b(?:run|execute|follow|obey|carry out|act (?:on|upon)|perform|do)\b[^.\n]{0,60}\b(?:results?|output|decoded|decrypted|plaintext|instructions?|commands?|steps|what (?:it|you)|whatever|text|it|them)\b|(?:执行|运行|遵循|按照)|(?:выполни|следуй|запусти)/i;

const MIN_BLOB_CHARACTERS = 48;
const WORD = /\S{48,65536}/g;

function opaqueBlob(
  reach: string,
  start: number,
  known: readonly Pick<Blob, "offset" | "end">[],
): { readonly offset: number; readonly length: number } | undefined {
  for (const match of reach.matchAll(WORD)) {
    const word = match[0].replace(/^[`"']{1,3}|[`"']{1,3}$/g, "");
    if (word.length < MIN_BLOB_CHARACTERS || !isOpaque(word)) continue;
    const offset = start + match.index;
    const end = offset + match[0].length;
    if (known.some((blob) => blob.offset < end && blob.end > offset)) return undefined;
    return { offset, length: word.length };
  }
  return undefined;
}

// Addresses, paths, names and code contain words; digests have known lengths.
function isOpaque(word: string): boolean {
  if (/:\/\/|[a-z]{9}|[^!-~]|\(\)|\{\{|data:/.test(word)) return false;
  if (/^(?:0x|sha\d{1,3}[-:])?(?:[0-9a-f]{64}|[0-9a-f]{96}|[0-9a-f]{128})$/i.test(word)) return false;
  if (/^[0-9a-f]+$/i.test(word)) return /\d/.test(word) && /[a-f]/i.test(word);
  return /\d/.test(word) && /[A-Z]/.test(word) && /[a-z]/.test(word) && new Set(word).size >= 20;
}
