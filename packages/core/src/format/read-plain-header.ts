import {
  createRawMap,
  type HeaderNote,
  type HeaderNoteCode,
  type RawHeader,
  type RawValue,
  resolvePlainScalar,
} from "./raw-header.ts";

// A header with more keys is hardly one, and every value may need a repair, of which the library's path takes few.
const MAX_PLAIN_KEYS = 64;

// Far below the limit for all headers, so that blocks and flows together stay below it too.
const MAX_PLAIN_DEPTH = 8;

// The library refuses longer implicit keys.
const MAX_KEY_CHARACTERS = 256;
const DOUBLE_QUOTED = /"([^"\\]*(?:\\.[^"\\]*)*)"/y;
const SINGLE_QUOTED = /'([^']*(?:''[^']*)*)'(?!')/y;
// Every other character always begins an unquoted scalar.
const NOT_PLAIN_START = "-?:,[]{}#&*!|>'\"%@` ";
const FLOW_PLAIN = /[^-?:,[\]{}#&*!|>'"%@` ](?:[^:,[\]{}#]|:(?![ ,[\]{}]|$))*/y;

const NO_NOTES: readonly HeaderNote[] = Object.freeze([]);

/** Thrown where only the library can tell what is meant; made once, since a stack trace would cost more than the header. */
const UNSURE = new Error("left to the YAML library");

/**
 * Reads a header in the part of YAML that nearly all skills keep to, and gives undefined for any other.
 *
 * It gives what the library and the repair of unquoted colons give; where that is not certain, it gives up.
 */
export function readPlainHeader(text: string): RawHeader | undefined {
  // Tabs, lone carriage returns and byte order marks each have rules of their own.
  if (text.indexOf("\t") !== -1 || text.indexOf("\r") !== -1 || text.indexOf("\uFEFF") !== -1)
    return undefined;
  try {
    return new PlainReader(text).read();
  } catch (error) {
    if (error === UNSURE) return undefined;
    throw error;
  }
}

/** Reads line by line. Columns and offsets are those of the line. */
class PlainReader {
  readonly #lines: readonly string[];
  #index = -1;
  #line = "";
  /** Spaces before the line's content; -1 after the last line. */
  #indent = -1;
  /** Inside a value, the next character to read. */
  #at = 0;
  #notes: HeaderNote[] | undefined = undefined;

  constructor(text: string) {
    this.#lines = (text.endsWith("\n") ? text.slice(0, -1) : text).split("\n");
  }

  read(): RawHeader {
    const values = new Map<string, RawValue>();
    this.#advance();
    while (this.#indent === 0) {
      const key = this.#readKey(0);
      if (values.size === MAX_PLAIN_KEYS || values.has(key)) throw UNSURE;
      values.set(key, this.#readMapValue(0, 1));
    }
    if (this.#indent !== -1 || values.size === 0) throw UNSURE;
    return { values, notes: this.#notes ?? NO_NOTES };
  }

  /** Moves to the next line that is neither blank nor a comment. */
  #advance(): void {
    do this.#startLine();
    while (this.#indent !== -1 && (this.#isBlank || this.#line[this.#indent] === "#"));
  }

  #startLine(): void {
    this.#index += 1;
    const line = this.#lines[this.#index];
    this.#line = line ?? "";
    this.#indent = line === undefined ? -1 : skipSpaces(line, 0);
  }

  get #isBlank(): boolean {
    return this.#indent === this.#line.length;
  }

  get #isListItem(): boolean {
    return this.#line.startsWith("- ", this.#indent);
  }

  #match(pattern: RegExp, at: number): RegExpExecArray | null {
    pattern.lastIndex = at;
    const found = pattern.exec(this.#line);
    if (found !== null) this.#at = pattern.lastIndex;
    return found;
  }

  #readKey(at: number): string {
    const end = findKeyEnd(this.#line, at);
    if (end === -1) throw UNSURE;
    this.#at = end + 1;
    return this.#line.slice(at, end);
  }

  /** Reads what follows a key of a map that is indented by `indent`, and moves to the first line after it. */
  #readMapValue(indent: number, depth: number): RawValue {
    const at = skipSpaces(this.#line, this.#at);
    if (at < this.#line.length && this.#line[at] !== "#") return this.#readInline(at, indent, "map");
    this.#advance();
    if (this.#indent > indent) return this.#readNested(indent, depth + 1);
    // A list may stand at the indentation of its key.
    return this.#indent === indent && this.#isListItem ? this.#readList(indent, depth + 1) : null;
  }

  #readNested(parentIndent: number, depth: number): RawValue {
    const first = this.#line[this.#indent];
    if (first === "{" || first === "[") return this.#readFlow(this.#indent, parentIndent);
    if (depth > MAX_PLAIN_DEPTH) throw UNSURE;
    return this.#isListItem ? this.#readList(this.#indent, depth) : this.#readMap(this.#indent, depth);
  }

  #readMap(indent: number, depth: number): RawValue {
    const map = createRawMap();
    while (this.#indent === indent) {
      const key = this.#readKey(indent);
      if (map[key] !== undefined) throw UNSURE;
      map[key] = this.#readMapValue(indent, depth);
    }
    if (this.#indent > indent) throw UNSURE;
    return map;
  }

  #readList(indent: number, depth: number): RawValue {
    const list: RawValue[] = [];
    while (this.#indent === indent && this.#isListItem) list.push(this.#readListItem(indent, depth));
    if (this.#indent > indent) throw UNSURE;
    return list;
  }

  #readListItem(indent: number, depth: number): RawValue {
    const at = skipSpaces(this.#line, indent + 1);
    if (findKeyEnd(this.#line, at) === -1) return this.#readInline(at, indent, "list");
    if (depth >= MAX_PLAIN_DEPTH) throw UNSURE;
    // A map that begins on the line of its dash is indented as far as its first key.
    this.#indent = at;
    return this.#readMap(at, depth + 1);
  }

  #readInline(at: number, indent: number, parent: "map" | "list"): RawValue {
    switch (this.#line[at]) {
      case '"':
      case "'": {
        const value = this.#readQuoted(at);
        this.#finishLine(indent);
        return value;
      }
      case "{":
      case "[":
        return this.#readFlow(at, indent);
      case "|":
      case ">":
        return this.#readBlock(at, indent);
      default:
        return this.#readPlain(at, indent, parent);
    }
  }

  #readPlain(at: number, indent: number, parent: "map" | "list"): RawValue {
    const line = this.#line;
    if (NOT_PLAIN_START.includes(line[at] ?? " ")) throw UNSURE;
    const comment = line.indexOf(" #", at);
    const value = trimSpaces(line.slice(at, comment === -1 ? line.length : comment));
    const needsQuotes = value.includes(": ") || value.endsWith(":");
    if (needsQuotes) {
      if (parent === "list") throw UNSURE;
      this.#note("unquoted-colon", at);
    }
    this.#at = line.length;
    this.#finishLine(indent);
    return needsQuotes ? value : resolvePlainScalar(value);
  }

  #readQuoted(at: number): string {
    if (this.#line[at] === "'") {
      const single = this.#match(SINGLE_QUOTED, at)?.[1];
      if (single === undefined) throw UNSURE;
      return single.includes("'") ? single.replaceAll("''", "'") : single;
    }
    const double = this.#match(DOUBLE_QUOTED, at)?.[1];
    if (double === undefined) throw UNSURE;
    return double.includes("\\") ? double.replace(/\\(.)/gsu, readEscape) : double;
  }

  /** Moves on; text after the value, or a deeper line that would be more of it, is left to the library. */
  #finishLine(indent: number): void {
    const at = skipSpaces(this.#line, this.#at);
    if (at < this.#line.length && (at === this.#at || this.#line[at] !== "#")) throw UNSURE;
    this.#advance();
    if (this.#indent > indent) throw UNSURE;
  }

  #note(code: HeaderNoteCode, at: number): void {
    this.#notes ??= [];
    this.#notes.push({ code, line: this.#index + 1, column: at + 1 });
  }

  /**
   * Reads a `|` or `>` scalar and moves to the first line after it.
   *
   * Explicit indentation, `+`, leading blank lines and, when folded, deeper lines are left to the library.
   */
  #readBlock(at: number, parentIndent: number): string {
    const isFolded = this.#line[at] === ">";
    const isStripped = this.#line[at + 1] === "-";
    if (skipSpaces(this.#line, isStripped ? at + 2 : at + 1) !== this.#line.length) throw UNSURE;
    this.#startLine();
    const indent = this.#indent;
    if (indent <= parentIndent || this.#isBlank) throw UNSURE;
    let value = "";
    let separator = "";
    while (this.#indent >= indent || (this.#indent !== -1 && this.#isBlank)) {
      if (this.#indent > indent && (isFolded || this.#isBlank)) throw UNSURE;
      if (this.#isBlank) separator = separator === " " ? "\n" : `${separator}\n`;
      else {
        value += separator + this.#line.slice(indent);
        separator = isFolded ? " " : "\n";
      }
      this.#startLine();
    }
    if (this.#indent > parentIndent) throw UNSURE;
    if (this.#line[this.#indent] === "#") this.#advance();
    if (this.#indent > parentIndent) throw UNSURE;
    return isStripped ? value : `${value}\n`;
  }

  /** Reads a `{…}` or `[…]` that hangs on a line indented by `indent`. */
  #readFlow(at: number, indent: number): RawValue {
    this.#note("flow-style", at);
    this.#at = at;
    const value = this.#readFlowValue(indent, 1);
    this.#finishLine(indent);
    return value;
  }

  #readFlowValue(indent: number, depth: number): RawValue {
    switch (this.#line[this.#at]) {
      case "{":
        return this.#readFlowMap(indent, depth);
      case "[":
        return this.#readFlowList(indent, depth);
      case '"':
      case "'":
        return this.#readQuoted(this.#at);
      default:
        return resolvePlainScalar(this.#readFlowPlain());
    }
  }

  #readFlowMap(indent: number, depth: number): RawValue {
    const map = createRawMap();
    this.#enter(depth);
    while (this.#nextInFlow(indent, depth) !== "}") {
      const start = this.#line[this.#at];
      const isQuoted = start === '"' || start === "'";
      const key = isQuoted ? this.#readQuoted(this.#at) : this.#readFlowPlain();
      // Without quotes the colon ends the key only before a space; other places are left to the library.
      if (!this.#line.startsWith(isQuoted ? ":" : ": ", this.#at)) throw UNSURE;
      this.#at += 1;
      this.#nextInFlow(indent, depth);
      if (map[key] !== undefined) throw UNSURE;
      map[key] = this.#readFlowValue(indent, depth + 1);
      this.#readSeparator(indent, depth, "}");
    }
    this.#at += 1;
    return map;
  }

  #readFlowList(indent: number, depth: number): RawValue {
    const list: RawValue[] = [];
    this.#enter(depth);
    while (this.#nextInFlow(indent, depth) !== "]") {
      list.push(this.#readFlowValue(indent, depth + 1));
      this.#readSeparator(indent, depth, "]");
    }
    this.#at += 1;
    return list;
  }

  #enter(depth: number): void {
    if (depth > MAX_PLAIN_DEPTH) throw UNSURE;
    this.#at += 1;
  }

  #readSeparator(indent: number, depth: number, close: string): void {
    const next = this.#nextInFlow(indent, depth);
    if (next === ",") this.#at += 1;
    else if (next !== close) throw UNSURE;
  }

  #readFlowPlain(): string {
    const plain = this.#match(FLOW_PLAIN, this.#at)?.[0];
    if (plain === undefined || this.#line[this.#at] === "#") throw UNSURE;
    return trimSpaces(plain);
  }

  /** The next character that is not white space, on this line or a later one. */
  #nextInFlow(indent: number, depth: number): string {
    for (;;) {
      this.#at = skipSpaces(this.#line, this.#at);
      const next = this.#line[this.#at];
      if (next !== undefined) return next;
      this.#startLine();
      this.#at = this.#indent;
      if (this.#indent === -1) throw UNSURE;
      if (this.#isBlank || this.#indent > indent) continue;
      // Lines inside must be deeper than their key; only the last bracket may stand at its indentation.
      const first = this.#line[this.#indent];
      const isLastBracket = depth === 1 && (first === "]" || first === "}");
      if (!isLastBracket || this.#indent < indent) throw UNSURE;
    }
  }
}

function readEscape(_: string, character: string): string {
  if (character === "n") return "\n";
  if (character === "t") return "\t";
  if (!'"\\/'.includes(character)) throw UNSURE;
  return character;
}

/** The colon after a key, before a space or the end of the line; by hand, because every line of every header is tried. */
function findKeyEnd(line: string, start: number): number {
  let end = start;
  while (isKeyCharacter(line.charCodeAt(end))) end += 1;
  const isKey = end > start && end - start <= MAX_KEY_CHARACTERS && line.charCodeAt(start) !== 0x2d;
  const isEnded =
    line.charCodeAt(end) === 0x3a && (end + 1 === line.length || line.charCodeAt(end + 1) === 0x20);
  return isKey && isEnded ? end : -1;
}

/** Letters, digits, `_` and `-`. */
function isKeyCharacter(code: number): boolean {
  const letter = code | 0x20;
  return (
    (letter >= 0x61 && letter <= 0x7a && code >= 0x41) ||
    (code >= 0x30 && code <= 0x39) ||
    code === 0x5f ||
    code === 0x2d
  );
}

function skipSpaces(text: string, from: number): number {
  let at = from;
  while (text.charCodeAt(at) === 0x20) at += 1;
  return at;
}

function trimSpaces(text: string): string {
  let end = text.length;
  while (text.charCodeAt(end - 1) === 0x20) end -= 1;
  return text.slice(0, end);
}
