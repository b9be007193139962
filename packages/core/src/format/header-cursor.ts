import type { HeaderNote, HeaderNoteCode } from "./raw-header.ts";

const SPACE = 0x20;
const HASH = 0x23;

// Behind every header, and small enough for the engine to keep it out of the heap.
const NOWHERE = 0x3fff_ffff;

/** A place in a header that is read line by line; `unsure` says that the YAML library must read it instead. */
export class HeaderCursor {
  readonly text: string;
  unsure = false;
  /** The line's number, counted from 1. */
  line = 0;
  /** Spaces before the line's content; -1 after the last line. */
  indent = -1;
  start = 0;
  stop = 0;
  /** Inside a value, the next character to read. */
  at = 0;
  notes: HeaderNote[] | undefined = undefined;
  next = 0;
  private colon = -1;
  private hash = -1;
  private backslash = -1;

  constructor(text: string) {
    this.text = text;
  }

  /** Moves to the next line that is neither blank nor a comment. */
  advance(): void {
    const { text } = this;
    while (this.next < text.length) {
      this.startLine(this.next);
      if (this.start < this.stop && text.charCodeAt(this.start) !== HASH) return;
    }
    this.indent = -1;
  }

  /** Moves to the line that begins at `from`, whatever is on it. */
  startLine(from: number): void {
    const { text } = this;
    const newline = text.indexOf("\n", from);
    const stop = newline === -1 ? text.length : newline;
    let start = from;
    while (start < stop && text.charCodeAt(start) === SPACE) start += 1;
    this.line += 1;
    this.indent = start - from;
    this.start = start;
    this.stop = stop;
    this.next = stop + 1;
  }

  /** The first offset from `from` on that is not a space; at most the line's end. */
  skipSpaces(from: number): number {
    const { text, stop } = this;
    let at = from;
    while (at < stop && text.charCodeAt(at) === SPACE) at += 1;
    return at;
  }

  endsAt(from: number): boolean {
    const at = this.skipSpaces(from);
    return at === this.stop || (at > from && this.text.charCodeAt(at) === HASH);
  }

  /** Where the content of the line from `from` on ends, without a comment and the spaces before it. */
  contentEnd(from: number): number {
    const { text } = this;
    let end = this.stop;
    let hash = this.nextHash(from);
    while (hash < end) {
      if (text.charCodeAt(hash - 1) === SPACE) end = hash;
      else hash = this.nextHash(hash + 1);
    }
    while (end > from && text.charCodeAt(end - 1) === SPACE) end -= 1;
    return end;
  }

  // Each search remembers what it found, so that all of them together pass over the header once.

  nextColon(from: number): number {
    if (this.colon < from) this.colon = search(this.text, ": ", from);
    return this.colon;
  }

  nextBackslash(from: number): number {
    if (this.backslash < from) this.backslash = search(this.text, "\\", from);
    return this.backslash;
  }

  private nextHash(from: number): number {
    if (this.hash < from) this.hash = search(this.text, "#", from);
    return this.hash;
  }

  note(code: HeaderNoteCode, offset: number): void {
    this.notes ??= [];
    this.notes.push({ code, line: this.line, column: offset - (this.start - this.indent) + 1 });
  }
}

function search(text: string, sought: string, from: number): number {
  const found = text.indexOf(sought, from);
  return found === -1 ? NOWHERE : found;
}

const SIMPLE_ESCAPES: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ["\\", "\\"],
  ["/", "/"],
  ["n", "\n"],
  ["t", "\t"],
]);

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

const DASH = 0x2d;
const GREATER = 0x3e;

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

function finish(cursor: HeaderCursor, value: string): string {
  cursor.indent = -1;
  return value;
}

function leave(cursor: HeaderCursor, parentIndent: number): void {
  if (cursor.indent > parentIndent) cursor.unsure = true;
  else if (cursor.indent !== -1 && cursor.text.charCodeAt(cursor.start) === HASH) cursor.advance();
  if (cursor.indent > parentIndent) cursor.unsure = true;
}
