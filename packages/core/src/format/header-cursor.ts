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
  /** Where the line's content begins. */
  start = 0;
  /** Where the line ends. */
  stop = 0;
  /** Inside a value, the next character to read. */
  at = 0;
  notes: HeaderNote[] | undefined = undefined;
  /** Where the next line begins. */
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

  /** Whether nothing but spaces and a comment is left on the line. */
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

  /** The next `: ` from `from` on. */
  nextColon(from: number): number {
    if (this.colon < from) this.colon = search(this.text, ": ", from);
    return this.colon;
  }

  /** The next backslash from `from` on. */
  nextBackslash(from: number): number {
    if (this.backslash < from) this.backslash = search(this.text, "\\", from);
    return this.backslash;
  }

  private nextHash(from: number): number {
    if (this.hash < from) this.hash = search(this.text, "#", from);
    return this.hash;
  }

  /** Notes something about the character at an offset of the line. */
  note(code: HeaderNoteCode, offset: number): void {
    this.notes ??= [];
    this.notes.push({ code, line: this.line, column: offset - (this.start - this.indent) + 1 });
  }
}

function search(text: string, sought: string, from: number): number {
  const found = text.indexOf(sought, from);
  return found === -1 ? NOWHERE : found;
}
