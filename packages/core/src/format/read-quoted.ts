import type { HeaderCursor } from "./header-cursor.ts";

const SIMPLE_ESCAPES: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ["\\", "\\"],
  ["/", "/"],
  ["n", "\n"],
  ["t", "\t"],
]);

/** Reads a quoted scalar that ends on its line, and leaves the cursor behind it. */
export function readQuoted(cursor: HeaderCursor, at: number): string {
  return cursor.text.charCodeAt(at) === 0x22 ? readDoubleQuoted(cursor, at) : readSingleQuoted(cursor, at);
}

function readDoubleQuoted(cursor: HeaderCursor, at: number): string {
  const { text, stop } = cursor;
  const close = text.indexOf('"', at + 1);
  if (close === -1 || close >= stop) return giveUp(cursor);
  if (cursor.nextBackslash(at) < close) return readEscaped(cursor, at + 1);
  cursor.at = close + 1;
  return text.slice(at + 1, close);
}

function readEscaped(cursor: HeaderCursor, from: number): string {
  const { text, stop } = cursor;
  let value = "";
  let copied = from;
  for (let at = from; at < stop; at += 1) {
    const character = text[at];
    if (character === '"') {
      cursor.at = at + 1;
      return value + text.slice(copied, at);
    }
    if (character !== "\\") continue;
    const escaped = SIMPLE_ESCAPES.get(text[at + 1] ?? "");
    if (escaped === undefined) return giveUp(cursor);
    value += text.slice(copied, at) + escaped;
    at += 1;
    copied = at + 1;
  }
  return giveUp(cursor);
}

function readSingleQuoted(cursor: HeaderCursor, at: number): string {
  const { text, stop } = cursor;
  let value = "";
  let copied = at + 1;
  for (;;) {
    const close = text.indexOf("'", copied);
    if (close === -1 || close >= stop) return giveUp(cursor);
    if (text.charCodeAt(close + 1) !== 0x27) {
      cursor.at = close + 1;
      return value + text.slice(copied, close);
    }
    value += text.slice(copied, close + 1);
    copied = close + 2;
  }
}

function giveUp(cursor: HeaderCursor): string {
  cursor.unsure = true;
  return "";
}
