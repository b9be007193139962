import { isPlainText } from "../ui/plain-text.ts";
import type { Terminal } from "../ui/terminal.ts";
import { CONTROL, INVISIBLE } from "../ui/unseen-characters.ts";

/** Raised only when a document changes in a way that is not an extension. */
export const SCHEMA_VERSION = 1;

/** Prints the one JSON document of a command. */
export function printJson(terminal: Terminal, document: Readonly<Record<string, unknown>>): void {
  terminal.printRaw(`${toJson({ schemaVersion: SCHEMA_VERSION, ...document })}\n`);
}

/** A document, or a part of one, that a terminal can be shown. */
export function toJson(value: unknown): string {
  return JSON.stringify(value, undefined, 2)
    .split("\n")
    .map((line) => (isPlainText(line) ? line : escapeUnseen(line)))
    .join("\n");
}

// JSON leaves these as they are, but a terminal would obey them or hide them; escaped, the data stays the same.
function escapeUnseen(line: string): string {
  unseen ??= new RegExp(`[${CONTROL}${INVISIBLE}]`, "gu");
  return line.replace(unseen, (character) =>
    Array.from({ length: character.length }, (_, index) => escapeUnit(character.charCodeAt(index))).join(""),
  );
}

let unseen: RegExp | undefined;

function escapeUnit(codeUnit: number): string {
  return `\\u${codeUnit.toString(16).padStart(4, "0")}`;
}
