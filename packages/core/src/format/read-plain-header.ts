import {
  createRawMap,
  type HeaderNote,
  type HeaderNoteCode,
  type RawHeader,
  type RawValue,
  resolvePlainScalar,
} from "./raw-header.ts";

// More keys are unlikely; if all their values need repair, the library's path, with few repairs, must decide.
const MAX_PLAIN_KEYS = 64;

// Far below the limit for all headers, so that blocks and flow collections together stay below it too.
const MAX_PLAIN_DEPTH = 8;

// The library refuses longer implicit keys.
const MAX_KEY_CHARACTERS = 256;
const DOUBLE_QUOTED = /"[^"\\\n]*(?:\\.[^"\\\n]*)*"/y;
const SINGLE_QUOTED = /'[^'\n]*(?:''[^'\n]*)*'(?!')/y;
// Any other character always begins an unquoted scalar.
const NOT_PLAIN_START = "-?:,[]{}#&*!|>'\"%@` ";
const FLOW_PLAIN = /[^-?:,[\]{}#&*!|>'"%@` ](?:[^:,[\]{}#\n]|:(?![ ,[\]{}]|$))*/my;

const NO_NOTES: readonly HeaderNote[] = Object.freeze([]);

/** Thrown if only the library can tell; made once, since a stack trace costs more than the header. */
const UNSURE = new Error("left to the YAML library");

/** Gives the same as the library with repaired colons, or undefined if that is not certain. */
export function readPlainHeader(text: string): RawHeader | undefined {
  // Tabs, lone carriage returns and byte order marks have rules of their own.
  if (text.indexOf("\t") !== -1 || text.indexOf("\r") !== -1 || text.indexOf("\uFEFF") !== -1)
    return undefined;
  try {
    return new PlainReader(text).read();
  } catch (error) {
    if (error === UNSURE) return undefined;
    throw error;
  }
}

/** Reads line by line. Positions are offsets in the text, so that only keys and values are sliced. */
class PlainReader {
  readonly #text: string;
  #lineNumber = 0;
  /** Of the current line: its start, the start of its content, and its end. */
  #begin = 0;
  #first = 0;
  #stop = -1;
  /** Spaces before the line's content; -1 after the last line. */
  #indent = -1;
  /** Inside a value, the next character to read. */
  #at = 0;
  #notes: HeaderNote[] | undefined = undefined;

  constructor(text: string) {
    this.#text = text.endsWith("\n") ? text.slice(0, -1) : text;
  }

  read(): RawHeader {
    const values = new Map<string, RawValue>();
    this.#advance();
    while (this.#indent === 0) {
      const key = this.#readKey();
      if (values.size === MAX_PLAIN_KEYS || values.has(key)) throw UNSURE;
      values.set(key, this.#readMapValue(0, 1));
    }
    if (this.#indent !== -1 || values.size === 0) throw UNSURE;
    return { values, notes: this.#notes ?? NO_NOTES };
  }

  /** Moves to the next line that is neither blank nor a comment. */
  #advance(): void {
    do this.#startLine();
    while (this.#indent !== -1 && (this.#isBlank || this.#text[this.#first] === "#"));
  }

  #startLine(): void {
    const text = this.#text;
    this.#lineNumber += 1;
    this.#begin = this.#stop + 1;
    const newline = text.indexOf("\n", this.#begin);
    this.#stop = newline === -1 ? text.length : newline;
    this.#first = skipSpaces(text, this.#begin);
    this.#indent = this.#begin > text.length ? -1 : this.#first - this.#begin;
  }

  get #isBlank(): boolean {
    return this.#first === this.#stop;
  }

  get #isListItem(): boolean {
    return this.#text.startsWith("- ", this.#first);
  }

  /** Moves past the match. Uses `test`, because the array that `exec` returns costs more than the match. */
  #pass(pattern: RegExp, at: number): void {
    pattern.lastIndex = at;
    if (!pattern.test(this.#text)) throw UNSURE;
    this.#at = pattern.lastIndex;
  }

  #readKey(): string {
    const end = findKeyEnd(this.#text, this.#first);
    if (end === -1) throw UNSURE;
    this.#at = end + 1;
    return this.#text.slice(this.#first, end);
  }

  /** Reads the value of a key in a map indented by `indent`, and moves to the first line after it. */
  #readMapValue(indent: number, depth: number): RawValue {
    const at = skipSpaces(this.#text, this.#at);
    if (at < this.#stop && this.#text[at] !== "#") return this.#readInline(at, indent, "map");
    this.#advance();
    if (this.#indent > indent) return this.#readNested(indent, depth + 1);
    // A list may be at the indentation of its key.
    return this.#indent === indent && this.#isListItem ? this.#readList(indent, depth + 1) : null;
  }

  #readNested(parentIndent: number, depth: number): RawValue {
    const first = this.#text[this.#first];
    if (first === "{" || first === "[") return this.#readFlow(this.#first, parentIndent);
    if (depth > MAX_PLAIN_DEPTH) throw UNSURE;
    return this.#isListItem ? this.#readList(this.#indent, depth) : this.#readMap(this.#indent, depth);
  }

  #readMap(indent: number, depth: number): RawValue {
    const map = createRawMap();
    while (this.#indent === indent) {
      const key = this.#readKey();
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
    const at = skipSpaces(this.#text, this.#first + 1);
    if (findKeyEnd(this.#text, at) === -1) return this.#readInline(at, indent, "list");
    if (depth >= MAX_PLAIN_DEPTH) throw UNSURE;
    // A map that begins on its dash's line is indented as far as its first key.
    this.#first = at;
    this.#indent = at - this.#begin;
    return this.#readMap(this.#indent, depth + 1);
  }

  #readInline(at: number, indent: number, parent: "map" | "list"): RawValue {
    switch (this.#text[at]) {
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
    if (NOT_PLAIN_START.includes(this.#text[at] ?? " ")) throw UNSURE;
    const line = this.#text.slice(at, this.#stop);
    const comment = line.indexOf(" #");
    const value = trimSpaces(comment === -1 ? line : line.slice(0, comment));
    const needsQuotes = value.includes(": ") || value.endsWith(":");
    if (needsQuotes) {
      if (parent === "list") throw UNSURE;
      this.#note("unquoted-colon", at);
    }
    this.#at = this.#stop;
    this.#finishLine(indent);
    return needsQuotes ? value : resolvePlainScalar(value);
  }

  #readQuoted(at: number): string {
    const isSingle = this.#text[at] === "'";
    this.#pass(isSingle ? SINGLE_QUOTED : DOUBLE_QUOTED, at);
    const quoted = this.#text.slice(at + 1, this.#at - 1);
    if (isSingle) return quoted.includes("'") ? quoted.replaceAll("''", "'") : quoted;
    return quoted.includes("\\") ? quoted.replace(/\\(.)/gsu, readEscape) : quoted;
  }

  /** Moves on; text after the value, or a deeper continuation line, is left to the library. */
  #finishLine(indent: number): void {
    const at = skipSpaces(this.#text, this.#at);
    if (at < this.#stop && (at === this.#at || this.#text[at] !== "#")) throw UNSURE;
    this.#advance();
    if (this.#indent > indent) throw UNSURE;
  }

  #note(code: HeaderNoteCode, at: number): void {
    this.#notes ??= [];
    this.#notes.push({ code, line: this.#lineNumber, column: at - this.#begin + 1 });
  }

  /** Explicit indentation, `+`, leading blank lines and deeper folded lines are left to the library. */
  #readBlock(at: number, parentIndent: number): string {
    const isFolded = this.#text[at] === ">";
    const isStripped = this.#text[at + 1] === "-";
    if (skipSpaces(this.#text, isStripped ? at + 2 : at + 1) !== this.#stop) throw UNSURE;
    this.#startLine();
    const indent = this.#indent;
    if (indent <= parentIndent || this.#isBlank) throw UNSURE;
    let value = "";
    let separator = "";
    while (this.#indent >= indent || (this.#indent !== -1 && this.#isBlank)) {
      if (this.#indent > indent && (isFolded || this.#isBlank)) throw UNSURE;
      if (this.#isBlank) separator = separator === " " ? "\n" : `${separator}\n`;
      else {
        value += separator + this.#text.slice(this.#begin + indent, this.#stop);
        separator = isFolded ? " " : "\n";
      }
      this.#startLine();
    }
    if (this.#indent > parentIndent) throw UNSURE;
    if (this.#text[this.#first] === "#") this.#advance();
    if (this.#indent > parentIndent) throw UNSURE;
    return isStripped ? value : `${value}\n`;
  }

  /** Reads a `{…}` or `[…]` whose line or key is indented by `indent`. */
  #readFlow(at: number, indent: number): RawValue {
    this.#note("flow-style", at);
    this.#at = at;
    const value = this.#readFlowValue(indent, 1);
    this.#finishLine(indent);
    return value;
  }

  #readFlowValue(indent: number, depth: number): RawValue {
    switch (this.#text[this.#at]) {
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
      const start = this.#text[this.#at];
      const isQuoted = start === '"' || start === "'";
      const key = isQuoted ? this.#readQuoted(this.#at) : this.#readFlowPlain();
      // After an unquoted key, only a colon and a space are handled; other cases are left to the library.
      if (!this.#text.startsWith(isQuoted ? ":" : ": ", this.#at)) throw UNSURE;
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
    const start = this.#at;
    this.#pass(FLOW_PLAIN, start);
    if (this.#text[this.#at] === "#") throw UNSURE;
    return trimSpaces(this.#text.slice(start, this.#at));
  }

  /** The next character that is not white space, on this line or a later one. */
  #nextInFlow(indent: number, depth: number): string {
    for (;;) {
      this.#at = skipSpaces(this.#text, this.#at);
      if (this.#at < this.#stop) return this.#text[this.#at] ?? "";
      this.#startLine();
      this.#at = this.#first;
      if (this.#indent === -1) throw UNSURE;
      if (this.#isBlank || this.#indent > indent) continue;
      // Lines inside must be deeper than their key; only the last bracket may be at its indentation.
      const first = this.#text[this.#first];
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

/** The colon after a key, before a space or the line end; no regular expression, as every line is tried. */
function findKeyEnd(text: string, start: number): number {
  let end = start;
  while (isKeyCharacter(text.charCodeAt(end))) end += 1;
  const isKey = end > start && end - start <= MAX_KEY_CHARACTERS && text[start] !== "-";
  const next = text[end + 1] ?? "\n";
  return isKey && text[end] === ":" && (next === " " || next === "\n") ? end : -1;
}

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
