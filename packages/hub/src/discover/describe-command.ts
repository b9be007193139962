import { digestBytes } from "@skillet/kit/digest";
import type { JsonObject } from "@skillet/kit/json";

// What is longer is no command that a person reads.
const MAX_COMMAND_CHARACTERS = 1_000;

/**
 * What would run, with everything that is said about it: words that hold spaces in quotes, then all other keys as JSON.
 *
 * `NODE_OPTIONS` or a helper for headers runs as much as a command does, so no key is left out as harmless but those named.
 */
export function describeCommand(
  words: readonly unknown[],
  object: JsonObject,
  { shown }: { readonly shown: readonly string[] },
): string {
  const rest = Object.entries(object).filter(([key, value]) => !shown.includes(key) && !isPlain(key, value));
  const command = words.map((word, index) => (index === 0 ? String(word) : quoted(word))).join(" ");
  // JSON.parse made `__proto__` a key of its own, and fromEntries keeps it one.
  const more = rest.length === 0 ? [] : [JSON.stringify(Object.fromEntries(rest))];
  return boundedText(
    [...(words.length > 0 ? [command] : []), ...more].join(" with "),
    MAX_COMMAND_CHARACTERS,
  );
}

const PLAIN_TYPES: ReadonlySet<unknown> = new Set(["command", "stdio", "http", "sse"]);

function isPlain(key: string, value: unknown): boolean {
  return key === "type" && PLAIN_TYPES.has(value);
}

function quoted(word: unknown): string {
  return typeof word === "string" && /^[^\s"'\\]+$/.test(word) ? word : JSON.stringify(word);
}

/**
 * A text that fits on a screen: of a longer one the beginning, its length and its digest, so that two that differ never
 * read alike.
 */
export function boundedText(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  return `${text.slice(0, maxCharacters)}… (${text.length} characters, ${digestBytes(Buffer.from(text))})`;
}
