import type { Homoglyph } from "./find-homoglyphs.ts";
import { FOREIGN, foldForms, foldLetters } from "./fold-text.ts";
import { IGNORABLES } from "./ignorable.ts";

/** A text with its disguises off, where that changes a word; undefined where it would only tidy typography. Lines keep their numbers. */
export function foldView(
  text: string,
  homoglyphs: readonly Homoglyph[],
): { readonly text: string; readonly offset: number } | undefined {
  const offset = MAY_DISGUISE.test(text) ? text.search(DISGUISE) : -1;
  if (offset !== -1) return { text: foldLetters(foldForms(text)), offset };
  const first = homoglyphs[0];
  return first === undefined
    ? undefined
    : { text: foldLetters(text.replace(IGNORABLES, "")), offset: first.offset };
}

/** Whether a text has any character that shows as nothing, turns the order round or stands for a letter of ASCII. */
export function mayDisguise(text: string): boolean {
  return MAY_DISGUISE.test(text) || FOREIGN.test(text);
}

/** One of the characters that the pattern below needs, which is quicker to look for; everything invisible is among them. */
const MAY_DISGUISE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a shell drops zero bytes, so they hide a word as well
  /[\u0000-\u0008\u00ad\u061c\u115f\u1160\u1d43-\u1d6a\u200b-\u200f\u202a-\u202e\u2060-\u209c\u2100-\u214f\u24b6-\u24e9\u2800\u3164\ud834-\ud83c\udb40-\udb43\ufeff\uff21-\uff5a\uffa0\ufff0-\ufff8]|[\u0300-\u036f]|[\ufe00-\ufe0f]|[\u17b4\u17b5]|[\u180b-\u180f]/;

/** Something invisible beside an ASCII letter, a letter in a compatibility form before another, or a mark on an ASCII letter that composes with none. */
const DISGUISE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a shell drops zero bytes, so they hide a word as well
  /[A-Za-z0-9/.:$-][\p{Default_Ignorable_Code_Point}\u2800\u0000-\u0008]+(?=[A-Za-z0-9/.:$-])|[\uff41-\uff5a]{3}|[\uff21-\uff3a]{7}|[\u{1d400}-\u{1d7ff}\u24b6-\u24e9\u{1f130}-\u{1f189}\u2100-\u214f\u1d43-\u1d6a\u2070-\u209c]{3}|[A-Za-z][\u0334-\u0338\u0300-\u036f]{1,64}(?=[A-Za-z])/u;
