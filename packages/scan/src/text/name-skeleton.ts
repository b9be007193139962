import { lookalikeOf, standInOf } from "./confusables.ts";
import { foldForms } from "./fold-text.ts";

/**
 * What a reader takes a name for: two names with the same skeleton are easily mistaken for each other.
 *
 * @example
 * nameSkeleton("Рdf_Tools"); // "pdf-tools", though its first letter is Cyrillic
 */
export function nameSkeleton(name: string): string {
  const plain = foldForms(name);
  const twinOf = /[A-Za-z]/.test(plain) ? standInOf : lookalikeOf;
  const letters = Array.from(plain, (character) => twinOf(character) ?? character).join("");
  return letters
    .toLowerCase()
    .replace(/[\s._-]+/g, "-")
    .replace(/^-+|-+$/g, "");
}
