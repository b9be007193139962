import type { InlineLink, InlineSpan, Inlines } from "./read-inlines.ts";
import { TextMap } from "./text-map.ts";

/**
 * Reads a paragraph whose marks leave no choice: code, escapes, emphasis that closes as it opened, links with plain labels.
 * Undefined where anything else occurs, and the parser has to say what it is. Nearly all prose is of this kind.
 */
export function simpleInlines(text: string, from: number): Inlines | undefined {
  if (BLANK_LINE.test(text)) return undefined;
  const reader = new SimpleReader(text, from);
  return reader.read() ? reader.result() : undefined;
}

// It ends the paragraph, and emphasis with it.
const BLANK_LINE = /\n[ \t]{0,400}(?:\n|$)|\r/;

const BACKSLASH = 92;
const BACKTICK = 96;
const ASTERISK = 42;
const UNDERSCORE = 95;
const TILDE = 126;
const OPENING_BRACKET = 91;
const LESS_THAN = 60;
const AMPERSAND = 38;
const EXCLAMATION_MARK = 33;

const MARKS: Uint8Array = new Uint8Array(128);
for (const code of [BACKSLASH, BACKTICK, ASTERISK, UNDERSCORE, TILDE, OPENING_BRACKET, LESS_THAN, AMPERSAND])
  MARKS[code] = 1;

interface OpenEmphasis {
  readonly code: number;
  readonly size: number;
}

class SimpleReader {
  readonly #text: string;
  readonly #from: number;
  readonly #visible = new TextMap();
  readonly #code: InlineSpan[] = [];
  readonly #links: InlineLink[] = [];
  readonly #open: OpenEmphasis[] = [];
  /** What stands before it is in the visible text. */
  #copied = 0;

  constructor(text: string, from: number) {
    this.#text = text;
    this.#from = from;
  }

  read(): boolean {
    const text = this.#text;
    for (let at = 0; at < text.length; ) {
      const code = text.charCodeAt(at);
      if (code >= 128 || MARKS[code] === 0) {
        at++;
        continue;
      }
      const end = this.#readMark(code, at);
      if (end === -1) return false;
      at = end;
    }
    if (this.#open.length > 0) return false;
    this.#copyTo(text.length);
    return true;
  }

  result(): Inlines {
    const visible = this.#visible;
    return {
      text: visible.toString(),
      code: this.#code,
      links: this.#links,
      markup: NO_MARKUP,
      sourceOffset: (offset) => visible.sourceOffset(offset),
    };
  }

  /** Says where to go on, or -1 where it is not simple. */
  #readMark(code: number, at: number): number {
    const text = this.#text;
    switch (code) {
      case BACKTICK:
        return this.#readCode(at);
      case ASTERISK:
      case UNDERSCORE:
        return this.#readEmphasis(code, at);
      case OPENING_BRACKET:
        return this.#readLink(at);
      case BACKSLASH:
        // Whether the rest of a run that begins with an escaped one counts as a mark is the parser's to say.
        if (text.charCodeAt(at + 1) === BACKTICK) return -1;
        if (!ESCAPABLE.test(text.charAt(at + 1))) return at + 1;
        this.#copyTo(at);
        this.#visible.add(text.charAt(at + 1), this.#from + at);
        this.#copied = at + 2;
        return at + 2;
      case TILDE:
        return text.charCodeAt(at + 1) === TILDE ? -1 : at + 1;
      case LESS_THAN:
        return BEGINS_TAG.test(text.charAt(at + 1)) ? -1 : at + 1;
      default:
        return BEGINS_ENTITY.test(text.charAt(at + 1)) ? -1 : at + 1;
    }
  }

  #readCode(at: number): number {
    const text = this.#text;
    const start = endOfRun(text, at, BACKTICK);
    const size = start - at;
    for (let close = text.indexOf("`", start); close !== -1; ) {
      const end = endOfRun(text, close, BACKTICK);
      if (end - close === size) {
        this.#copyTo(at);
        const from = this.#visible.length;
        this.#visible.add(text.slice(start, close), this.#from + start);
        this.#code.push({ from, to: this.#visible.length });
        this.#copied = end;
        return end;
      }
      close = text.indexOf("`", end);
    }
    // Marks that close nothing are text, but looking for their like again and again would be quadratic.
    return -1;
  }

  #readEmphasis(code: number, at: number): number {
    const text = this.#text;
    const end = endOfRun(text, at, code);
    const size = end - at;
    const before = at === 0 ? " " : text.charAt(at - 1);
    const after = end === text.length ? " " : text.charAt(end);
    const role = emphasisRole(code, before, after);
    if (role === undefined) return -1;
    const { canOpen, canClose } = role;
    if (!canOpen && !canClose) return end;
    if (size > 3) return -1;
    const open = this.#open.at(-1);
    if (canClose && open !== undefined) {
      if (open.code !== code || open.size !== size) return -1;
      this.#open.pop();
    } else if (canOpen) {
      if (this.#open.length >= MAX_OPEN) return -1;
      this.#open.push({ code, size });
    } else return end;
    this.#copyTo(at);
    this.#copied = end;
    return end;
  }

  #readLink(at: number): number {
    LINK.lastIndex = at;
    const match = LINK.exec(this.#text);
    if (match === null) return -1;
    const label = match[1] ?? "";
    const isImage = at > 0 && this.#text.charCodeAt(at - 1) === EXCLAMATION_MARK;
    // "\!" is a mark of exclamation before a link.
    if (isImage && this.#text.charCodeAt(at - 2) === BACKSLASH) return -1;
    this.#copyTo(isImage ? at - 1 : at);
    const from = this.#visible.length;
    this.#visible.add(label, this.#from + at + 1);
    this.#links.push({
      from,
      to: this.#visible.length,
      role: isImage ? "image" : "link",
      url: match[2],
      reference: undefined,
      title: "",
    });
    this.#copied = at + match[0].length;
    return this.#copied;
  }

  #copyTo(end: number): void {
    if (end > this.#copied) this.#visible.add(this.#text.slice(this.#copied, end), this.#from + this.#copied);
    this.#copied = end;
  }
}

const NO_MARKUP: Inlines["markup"] = [];
const MAX_OPEN = 4;
const WORD = /[A-Za-z0-9]/;
const BLANK = /\s/;
const ESCAPABLE = /[!-/:-@[-`{-~]/;
const BEGINS_TAG = /[A-Za-z/!?]/;
const BEGINS_ENTITY = /[#\w]/;
const LINK = /\[([^[\]`*_~<&\\!\n]{1,300})\]\(([^\s()<>\\&]{1,2000})\)/y;

interface EmphasisRole {
  readonly canOpen: boolean;
  readonly canClose: boolean;
}

const PLAIN_MARK: EmphasisRole = { canOpen: false, canClose: false };

/** What a run of marks may do between two characters; undefined where letters and marks of other scripts are the parser's to tell apart. */
function emphasisRole(code: number, before: string, after: string): EmphasisRole | undefined {
  const isWordBefore = WORD.test(before);
  const isWordAfter = WORD.test(after);
  if (code === UNDERSCORE && isWordBefore && isWordAfter) return PLAIN_MARK;
  const isBlankBefore = BLANK.test(before);
  const isBlankAfter = BLANK.test(after);
  if (isBlankBefore && isBlankAfter) return PLAIN_MARK;
  const isMarkBefore = !isWordBefore && !isBlankBefore;
  const isMarkAfter = !isWordAfter && !isBlankAfter;
  if ((isMarkBefore && before > "~") || (isMarkAfter && after > "~")) return undefined;
  const isLeft = !isBlankAfter && (!isMarkAfter || !isWordBefore);
  const isRight = !isBlankBefore && (!isMarkBefore || !isWordAfter);
  return {
    canOpen: isLeft && (code === ASTERISK || !isRight || isMarkBefore),
    canClose: isRight && (code === ASTERISK || !isLeft || isMarkAfter),
  };
}

function endOfRun(text: string, at: number, code: number): number {
  let end = at + 1;
  while (text.charCodeAt(end) === code) end++;
  return end;
}
