/** Text in invisible tag characters. */
export function inTags(text: string): string {
  return [...text]
    .map((character) => String.fromCodePoint(0xe0000 + (character.codePointAt(0) ?? 0)))
    .join("");
}

/** Text in variation selectors, one per byte. */
export function inSelectors(text: string): string {
  return [...Buffer.from(text)]
    .map((byte) => String.fromCodePoint(byte < 16 ? 0xfe00 + byte : 0xe0100 + byte - 16))
    .join("");
}

/** Text in two zero-width characters, one per bit. */
export function inZeroWidth(
  text: string,
  [zero, one]: readonly [string, string] = ["\u200b", "\u200c"],
): string {
  return [...Buffer.from(text)]
    .flatMap((byte) => [...byte.toString(2).padStart(8, "0")])
    .map((bit) => (bit === "1" ? one : zero))
    .join("");
}
