import { digestBytes } from "@skillet/kit/digest";

/**
 * A text that fits on a screen: of a longer one the beginning, its length and its digest, so that two that differ never
 * read alike.
 */
export function boundedText(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  return `${text.slice(0, maxCharacters)}… (${text.length} characters, ${digestBytes(Buffer.from(text))})`;
}
