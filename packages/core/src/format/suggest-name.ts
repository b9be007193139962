import { MAX_NAME_CHARACTERS } from "./format-limits.ts";

// Of a longer text only the beginning can become a part of the name.
const MAX_READ_CHARACTERS = 1024;

/** A name that the specification allows, made from the words of a text; empty if there are none. */
export function suggestName(text: string): string {
  const words = text
    .slice(0, MAX_READ_CHARACTERS)
    .normalize("NFKC")
    .toLowerCase()
    .normalize("NFKC")
    .match(/[\p{L}\p{M}\p{N}]+/gu);
  return [...(words ?? []).join("-")].slice(0, MAX_NAME_CHARACTERS).join("").replace(/-$/, "");
}

/** Whether the specification allows a name as it is. */
export function isAllowedName(name: string): boolean {
  return name !== "" && name === suggestName(name);
}
