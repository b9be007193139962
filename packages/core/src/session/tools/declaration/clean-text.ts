/** A text on one line without anything that a reader would not see: control, private and invisible characters. */
export function cleanText(text: string): string {
  return text.replaceAll(/\s+/g, " ").replaceAll(UNSEEN, "").trim();
}

// The joiners are how some scripts are written.
const UNSEEN = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Co}\p{Cs}]/gu;
