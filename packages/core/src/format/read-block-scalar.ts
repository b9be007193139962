import type { HeaderCursor } from "./header-cursor.ts";

const DASH = 0x2d;
const GREATER = 0x3e;
const HASH = 0x23;

/**
 * Reads a `|` or `>` scalar and moves to the first line behind it.
 *
 * Explicit indentation, `+`, leading blank lines and, when folded, deeper lines are left to the library.
 */
export function readBlockScalar(cursor: HeaderCursor, at: number, parentIndent: number): string {
  const { text } = cursor;
  const folded = text.charCodeAt(at) === GREATER;
  const strip = text.charCodeAt(at + 1) === DASH;
  if (cursor.skipSpaces(strip ? at + 2 : at + 1) !== cursor.stop || cursor.next >= text.length)
    return giveUp(cursor);
  cursor.startLine(cursor.next);
  const indent = cursor.indent;
  if (indent <= parentIndent || cursor.start === cursor.stop) return giveUp(cursor);
  const value = folded ? readFolded(cursor, indent) : readLiteral(cursor, indent);
  leave(cursor, parentIndent);
  return strip ? value : `${value}\n`;
}

function readLiteral(cursor: HeaderCursor, indent: number): string {
  const { text } = cursor;
  let value = "";
  let separator = "";
  while (cursor.indent >= indent || cursor.start === cursor.stop) {
    if (cursor.start === cursor.stop) {
      if (cursor.indent > indent) return giveUp(cursor);
      separator += "\n";
    } else {
      value += separator + text.slice(cursor.start - cursor.indent + indent, cursor.stop);
      separator = "\n";
    }
    if (cursor.next >= text.length) return finish(cursor, value);
    cursor.startLine(cursor.next);
  }
  return value;
}

function readFolded(cursor: HeaderCursor, indent: number): string {
  const { text } = cursor;
  let value = "";
  let separator = "";
  while (cursor.indent >= indent || cursor.start === cursor.stop) {
    if (cursor.indent > indent) return giveUp(cursor);
    if (cursor.start === cursor.stop) {
      separator = separator === " " ? "\n" : `${separator}\n`;
    } else {
      value += separator + text.slice(cursor.start, cursor.stop);
      separator = " ";
    }
    if (cursor.next >= text.length) return finish(cursor, value);
    cursor.startLine(cursor.next);
  }
  return value;
}

/** The scalar ran to the header's end. */
function finish(cursor: HeaderCursor, value: string): string {
  cursor.indent = -1;
  return value;
}

function leave(cursor: HeaderCursor, parentIndent: number): void {
  if (cursor.indent > parentIndent) cursor.unsure = true;
  else if (cursor.indent !== -1 && cursor.text.charCodeAt(cursor.start) === HASH) cursor.advance();
  if (cursor.indent > parentIndent) cursor.unsure = true;
}

function giveUp(cursor: HeaderCursor): string {
  cursor.unsure = true;
  return "";
}
