// Everything that a page or a terminal would not show, or would obey, but line ends, tabs and the style of an emoji.
const UNSEEN =
  /(?![\n\t]|(?<=\p{Extended_Pictographic})\ufe0f)[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** A text with everything that would act, hide or turn the direction of writing spelled out, such as `⟨U+202E⟩`. */
export function unseenAsText(text: string): string {
  return text.replace(UNSEEN, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return `⟨U+${code.toString(16).toUpperCase().padStart(4, "0")}⟩`;
  });
}

/** A JSON text of the same data, in which those characters are escapes: a document may be shown on a terminal. */
export function escapeUnseenJson(json: string): string {
  return json.replace(UNSEEN, (character) =>
    Array.from(
      { length: character.length },
      (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`,
    ).join(""),
  );
}
