// The one definition of what is not seen, or acts, when it is shown. Parts of character classes: which of them apply
// differs by place, because emoji and some scripts need invisible joiners on the screen, but not in a document.

/** Codes that a terminal obeys, and separators that end a line. */
export const CONTROL: string = String.raw`\0-\x1F\x7F-\x9F\u2028\u2029`;

/** Marks, embeddings, overrides and isolates that turn the direction of writing. */
export const DIRECTION: string = String.raw`\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069`;

/**
 * Characters without a shape of their own, those for the direction among them; needs the flag `u`.
 *
 * Unicode's Default_Ignorable_Code_Point and the marks of interlinear notes, written out: a pattern with a property
 * takes longer to make than finding 50 skills.
 */
export const INVISIBLE: string = [
  String.raw`\xAD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B-\u200F\u202A-\u202E\u2060-\u206F\u3164`,
  String.raw`\uFE00-\uFE0F\uFEFF\uFFA0\uFFF0-\uFFFB\u{1BCA0}-\u{1BCA3}\u{1D173}-\u{1D17A}\u{E0000}-\u{E0FFF}`,
].join("");
