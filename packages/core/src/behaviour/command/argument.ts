/**
 * A word of a command, as far as it is known beforehand.
 *
 * In a pattern `*` stands for what is not known; of an unknown word not even the beginning is.
 */
export type Argument =
  | { readonly kind: "exact" | "pattern"; readonly text: string }
  | { readonly kind: "unknown" };

export const UNKNOWN: Argument = { kind: "unknown" };

export function exact(text: string): Argument {
  return { kind: "exact", text };
}

/** A word that begins with one and goes on with the other. */
export function joinArguments(start: Argument, rest: Argument): Argument {
  if (start.kind === "unknown") return start;
  if (rest.kind === "unknown") return start.text === "" ? rest : { kind: "pattern", text: `${start.text}*` };
  const text = start.text + rest.text;
  if (text.length > MAX_WORD_CHARACTERS) return UNKNOWN;
  return { kind: start.kind === "exact" ? rest.kind : "pattern", text };
}

/** Variables that hold themselves twice grow without end. */
const MAX_WORD_CHARACTERS = 16_384;

/** The text of a word that is known whole, else the empty text. */
export function exactText(argument: Argument | undefined): string {
  return argument?.kind === "exact" ? argument.text : "";
}
