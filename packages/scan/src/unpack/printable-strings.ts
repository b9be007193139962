/**
 * The strings in bytes that are no text: runs of printable ASCII, one character to a byte or to two, each on a line of its own.
 * Where they are longer than `MAX_STRINGS_CHARACTERS`, some may be left out.
 */
export function printableStrings(bytes: Uint8Array, { minimum }: { readonly minimum: number }): string {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
  const found: string[] = [];
  let size = 0;
  for (const [run] of text.matchAll(RUNS)) {
    const plain = run.includes("\0") ? run.replaceAll("\0", "") : run;
    if (plain.length < minimum) continue;
    found.push(plain);
    size += plain.length + 1;
    if (size > MAX_STRINGS_CHARACTERS) break;
  }
  return found.join("\n");
}

// ASCII in one byte each, or in two with a zero after each.
const RUNS = /(?:[\t -~]\0){4,}|[\t -~]{4,}/g;
/** Strings that are as long as this were cut off. */
export const MAX_STRINGS_CHARACTERS: number = 4 * 1024 * 1024;
