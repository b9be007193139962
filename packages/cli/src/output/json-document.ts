import type { Terminal } from "../ui/terminal.ts";

/** Raised only when a document changes in a way that is not an extension. */
const SCHEMA_VERSION = 1;

// JSON leaves these as they are, but a terminal would obey them; escaped, the data stays the same.
const TERMINAL_CONTROL = /[\x7F-\x9F\u200B-\u200F\u2028-\u202E\u2060-\u2069\uFEFF]/g;

/** Prints the one JSON document of a command. */
export function printJson(terminal: Terminal, document: Readonly<Record<string, unknown>>): void {
  terminal.printRaw(`${toJson({ schemaVersion: SCHEMA_VERSION, ...document })}\n`);
}

function toJson(value: unknown): string {
  return JSON.stringify(value, undefined, 2).replace(
    TERMINAL_CONTROL,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
