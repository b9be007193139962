const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#x27;",
  // Readers turn a bare carriage return into a line feed.
  "\r": "&#xD;",
};

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not get through
const SPECIAL = /[&<>"'\0-\x08\x0b-\x1f\ufffe\uffff]|\p{Surrogate}/gu;

/**
 * Escapes text so that no name, description or path can forge markup, or make it unreadable.
 *
 * A reader gets the same text back, with U+FFFD for each character that XML cannot carry.
 */
export function escapeXml(text: string): string {
  // Not even an entity may stand for the others: https://www.w3.org/TR/xml/#charsets
  return text.replace(SPECIAL, (character) => ENTITIES[character] ?? "\ufffd");
}
