import { removeHidden } from "@skillet/kit/text";

/** A text on one line without anything that a reader would not see. */
export function cleanText(text: string): string {
  return removeHidden(text.replaceAll(/\s+/g, " ")).replaceAll(/ {2,}/g, " ").trim();
}
