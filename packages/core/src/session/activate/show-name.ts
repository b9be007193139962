import { cutText } from "../dynamic-context/cut-text.ts";

/** Longer names are cut where a model or a person reads them. */
const MAX_SHOWN_CHARACTERS = 256;

/**
 * A name in a sentence for a model or a person: as it is when it is plain, otherwise quoted on one line.
 *
 * Names come from skills and callers: none may add lines, tags or invisible text to a message.
 */
export function showName(name: string): string {
  return PLAIN.test(name) && name.length <= MAX_SHOWN_CHARACTERS ? name : quoteName(name);
}

/** A name in quotes, on one line. */
export function quoteName(name: string): string {
  const shown = name.length > MAX_SHOWN_CHARACTERS ? `${cutText(name, MAX_SHOWN_CHARACTERS)}…` : name;
  return JSON.stringify(shown).replace(UNSAFE, escapeUnits);
}

const PLAIN = /^[\p{L}\p{M}\p{N}_.:/-]+$/u;
// JSON leaves these as they are.
const UNSAFE = /[<>`]|(?! )[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Z}\p{Default_Ignorable_Code_Point}]/gu;

function escapeUnits(character: string): string {
  return character
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");
}
