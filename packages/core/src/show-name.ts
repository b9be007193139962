import { cutText } from "./cut-text.ts";
import { HIDDEN } from "./hidden-characters.ts";

/** Longer names are cut where a model or a person reads them. */
const MAX_SHOWN_CHARACTERS = 256;

/**
 * A name in a sentence for a model or a person: as it is when it is plain, otherwise quoted on one line.
 *
 * Names come from skills and callers: none may add lines, tags or invisible text to a message.
 */
export function showName(name: string): string {
  plain ??= new RegExp(`^(?:(?![${HIDDEN}])[\\p{L}\\p{M}\\p{N}_.:/-])+$`, "u");
  return name.length <= MAX_SHOWN_CHARACTERS && plain.test(name) ? name : quoteName(name);
}

/** A name in quotes, on one line. */
export function quoteName(name: string): string {
  // JSON leaves these as they are.
  unsafe ??= new RegExp(`[<>\`]|(?! )[${HIDDEN}\\p{Z}]`, "gu");
  const shown = name.length > MAX_SHOWN_CHARACTERS ? `${cutText(name, MAX_SHOWN_CHARACTERS)}…` : name;
  return JSON.stringify(shown).replace(unsafe, escapeUnits);
}

/** A sentence for a model on one line, whatever it is made of: what would end the line, hide or open a tag is escaped. */
export function showLine(sentence: string): string {
  unfit ??= new RegExp(`[<>]|(?! )[${HIDDEN}\\p{Z}]`, "gu");
  return sentence.replace(unfit, escapeUnits);
}

// Made when first needed: Unicode properties are slow to build.
let plain: RegExp | undefined;
let unsafe: RegExp | undefined;
let unfit: RegExp | undefined;

function escapeUnits(character: string): string {
  return character
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");
}
