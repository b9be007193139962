export type Container = { readonly kind: "quote" } | ListItem;

interface ListItem {
  readonly kind: "item";
  readonly indent: number;
  /** Nothing stands behind its mark; a blank line then ends it. */
  isEmpty: boolean;
}

// Every line is held against every list and quote around it; nobody nests deeper.
const MAX_CONTAINERS = 32;

/** Takes the marks of a container from the beginning of a line; whether the line belongs to it. */
export function continueContainer(container: Container, cursor: LineCursor): boolean {
  if (container.kind === "quote") return skipQuote(cursor);
  if (cursor.isBlank()) return !container.isEmpty;
  if (!cursor.hasIndent(container.indent)) return false;
  cursor.skipBlanks(container.indent);
  container.isEmpty = false;
  return true;
}

/** The container that begins here, or undefined. */
export function openContainer(
  cursor: LineCursor,
  place: { readonly depth: number; readonly isInParagraph: boolean },
): Container | undefined {
  if (place.depth >= MAX_CONTAINERS) return undefined;
  return skipQuote(cursor) ? { kind: "quote" } : openItem(cursor, place.isInParagraph);
}

function skipQuote(cursor: LineCursor): boolean {
  if (cursor.hasIndent(MAX_MARK_INDENT + 1) || !/^[ \t]*>/.test(cursor.rest())) return false;
  cursor.skipBlanks(MAX_MARK_INDENT);
  cursor.skipCharacters(1);
  cursor.skipBlanks(1);
  return true;
}

function openItem(cursor: LineCursor, isInParagraph: boolean): ListItem | undefined {
  const rest = cursor.rest().trimStart();
  const mark = MARK.exec(rest)?.[0];
  if (mark === undefined || RULE.test(rest)) return undefined;
  const isEmpty = rest.slice(mark.length).trim() === "";
  // "in 1999\n2000. That" is no list.
  if (isInParagraph && (isEmpty || (mark.length > 1 && !/^1[.)]$/.test(mark)))) return undefined;
  const before = cursor.skipBlanks(MAX_MARK_INDENT);
  cursor.skipCharacters(mark.length);
  // More blanks than these are the indentation of code.
  const isCode = isEmpty || cursor.hasIndent(MAX_MARK_INDENT + 2);
  const after = cursor.skipBlanks(isCode ? 1 : MAX_MARK_INDENT + 1);
  return { kind: "item", indent: before + mark.length + (isEmpty ? 1 : after), isEmpty };
}

const MAX_MARK_INDENT = 3;
const MARK = /^(?:[-+*]|\d{1,9}[.)])(?=[ \t]|$)/;
const RULE = /^(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,})$/;

/** Reads the beginning of a line column by column: a tab reaches to the next of every four. */
export class LineCursor {
  readonly #text: string;
  readonly #end: number;
  #at: number;
  #column = 0;
  /** Columns of a tab that was taken in part. */
  #spare = 0;
  /** The first character that is no blank. */
  #ink: number;

  constructor(text: string, start: number, end: number) {
    this.#text = text;
    this.#at = start;
    this.#end = end;
    this.#ink = start;
    while (this.#ink < end && isBlank(text, this.#ink)) this.#ink++;
  }

  get at(): number {
    return this.#at;
  }

  isBlank(): boolean {
    return this.#ink === this.#end;
  }

  rest(): string {
    return this.#text.slice(this.#at, this.#end);
  }

  /** Whether so many columns of blanks come next. */
  hasIndent(columns: number): boolean {
    let found = this.#spare;
    for (let at = this.#at; found < columns && at < this.#ink; at++)
      found += this.#widthAt(at, this.#column + found);
    return found >= columns;
  }

  /** Takes up to so many columns of blanks, and tells how many. */
  skipBlanks(columns: number): number {
    let taken = Math.min(this.#spare, columns);
    this.#spare -= taken;
    this.#column += taken;
    while (taken < columns && this.#at < this.#ink) {
      const width = this.#widthAt(this.#at, this.#column);
      const part = Math.min(width, columns - taken);
      this.#at += 1;
      this.#column += part;
      this.#spare = width - part;
      taken += part;
    }
    return taken;
  }

  /** Takes so many characters that are no blanks. */
  skipCharacters(count: number): void {
    this.#at += count;
    this.#column += count;
    if (this.#at > this.#ink) this.#ink = this.#at;
    while (this.#ink < this.#end && isBlank(this.#text, this.#ink)) this.#ink++;
  }

  #widthAt(at: number, column: number): number {
    return this.#text.charAt(at) === "\t" ? TAB - (column % TAB) : 1;
  }
}

const TAB = 4;

function isBlank(text: string, at: number): boolean {
  const character = text.charAt(at);
  return character === " " || character === "\t";
}
