import { stemWord } from "@skillet/kit/words";

/** How many weights words share: small enough to store as a short text, and no phrases can be read from it. */
export const WORD_SLOTS = 16_384;

/** Adds the slots of a clause's words and of pairs of neighbouring words. */
export function addWordSlots(tokens: readonly string[], slots: Set<number>): void {
  let before: number | undefined;
  for (const token of tokens.slice(0, MAX_WORDS)) {
    const code = codeOf(token);
    slots.add(slotOf(code));
    if (before !== undefined) slots.add(slotOf(Math.imul(before, 31) + code));
    before = code;
  }
}

// A clause is a sentence or less; anything longer is a table of data.
const MAX_WORDS = 60;

function codeOf(token: string): number {
  let code = KNOWN.get(token);
  if (code === undefined) {
    code = hash(plainWord(token));
    if (KNOWN.size >= MAX_KEPT_WORDS) KNOWN.clear();
    if (token.length <= MAX_KEPT_CHARACTERS) KNOWN.set(token, code);
  }
  return code;
}

const KNOWN = new Map<string, number>();
const MAX_KEPT_WORDS = 50_000;
const MAX_KEPT_CHARACTERS = 40;

/** Addresses and numbers are specific to one skill. */
function plainWord(token: string): string {
  if (token.includes("://")) return "<url>";
  if (token.length > 1 && token.includes("@")) return "<mail>";
  return /^[\d_.]+$/.test(token) ? "<number>" : stemWord(token);
}

/** FNV-1a over UTF-16 units. */
function hash(text: string): number {
  let code = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) code = Math.imul(code ^ text.charCodeAt(at), 0x01000193);
  return code;
}

/** The low bits of a product depend on few bits of its factors, so the high ones are mixed in. */
function slotOf(code: number): number {
  const mixed = Math.imul(code ^ (code >>> 15), 0x2c1b3c6d);
  return (mixed ^ (mixed >>> 13)) & (WORD_SLOTS - 1);
}
