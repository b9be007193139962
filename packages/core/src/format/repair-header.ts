import { fieldOf } from "./dialects.ts";
import { MAX_HEADER_DEPTH } from "./format-limits.ts";
import { isTooDeep, parseYaml } from "./parse-yaml.ts";
import type { HeaderNote, RawHeader } from "./raw-header.ts";
import { isHeaderFault, readYamlHeader } from "./read-yaml-header.ts";

export interface ReadableHeader extends RepairedHeader {
  readonly header: RawHeader;
}

/** Repairs invalid YAML with as few changes as possible; undefined if that does not help. */
export function repairHeader(text: string): ReadableHeader | undefined {
  const spaced = repairTabs(text);
  const read = spaced && withHeader(spaced);
  if (read !== undefined) return read;
  const quoted = repairLines(spaced?.text ?? text);
  return quoted && withHeader({ ...quoted, notes: [...(spaced?.notes ?? []), ...quoted.notes] });
}

function withHeader(repaired: RepairedHeader): ReadableHeader | undefined {
  const header = readYamlHeader(repaired.text);
  return isHeaderFault(header) ? undefined : { ...repaired, header };
}

function repairTabs(text: string): RepairedHeader | undefined {
  const lines = text.split("\n");
  const first = lines.findIndex((line) => /^ *\t/.test(line));
  if (first === -1) return undefined;
  let isOpen = true;
  const spaced = lines.map((line) => {
    // After a key that has its value, a line of a known key is not a part of that value.
    const key = isOpen ? undefined : TABBED_KEY.exec(line)?.[1];
    const own = key !== undefined && fieldOf(key) ? line.trimStart() : line;
    if (/^[^\s#]/.test(own)) isOpen = !CLOSED_KEY.test(own);
    return own.replace(/^[ \t]+/, (indentation) => indentation.replaceAll("\t", "  "));
  });
  return { text: spaced.join("\n"), notes: [{ code: "tab-indentation", line: first + 1, column: 1 }] };
}

const TABBED_KEY = /^ *\t[ \t]*([\w-]+):(?:[ \t\r]|$)/;
const CLOSED_KEY = /^[\w-]+:[ \t]+(?:[^\s|>[{&!#"']|"(?:[^"\\]|\\.)*"|'[^']*')/;

/** A header with some lines rewritten but the same number of lines, and a note for each repair. */
interface RepairedHeader {
  readonly text: string;
  readonly notes: readonly HeaderNote[];
  /** Whether a line was taken for text that may have been meant as a key, such as one that restricts tools. */
  readonly hidesKey?: boolean;
}

/**
 * Undefined if there is nothing to quote, or too much. Goes line by line on purpose, so that YAML with other
 * faults still fails. The repair of one value follows Codex:
 * https://github.com/openai/codex/blob/main/codex-rs/skills/src/parser.rs
 */
export function repairLines(text: string): RepairedHeader | undefined {
  const repair = new LineRepair(text.split("\n"));
  repair.run();
  const { lines, notes, hidesKey } = repair;
  const isRepaired = notes.length > 0 && notes.length <= MAX_REPAIRS;
  return isRepaired ? { text: lines.join("\n"), notes, hidesKey } : undefined;
}

// A header has few lines; one with more faults is not a header, and every repair takes a look at its value.
const MAX_REPAIRS = 256;

// Lines of an unclosed flow collection are scanned again, so their number is limited.
const MAX_FLOW_LINES = 256;

/** The current value: its first line, and where in it the key and the value begin. */
interface Place {
  readonly line: string;
  readonly indent: number;
  readonly at: number;
}

class LineRepair {
  readonly lines: string[];
  readonly notes: HeaderNote[] = [];
  hidesKey = false;
  private index = 0;
  /** The indentation of the last key without a value on its own line. */
  private openKeyIndent = -1;

  constructor(lines: string[]) {
    this.lines = lines;
  }

  run(): void {
    while (this.index < this.lines.length && this.notes.length <= MAX_REPAIRS) {
      const line = this.line(this.index);
      const indent = /^ *(?:- +)*/.exec(line)?.[0].length ?? 0;
      const first = line[indent] ?? "#";
      if (isFlowStart(first)) this.skipFlow(line, indent);
      else if (first === "#") this.index += 1;
      else this.repairKey(line, indent);
    }
  }

  /** Skips a flow collection on its own line or in a list item; its parent, or the dash, is indented less. */
  private skipFlow(line: string, at: number): void {
    const parentIndent = at === indentOf(line) ? Math.min(this.openKeyIndent, at - 1) : indentOf(line);
    this.index = this.flowEnd(this.index, at, parentIndent) ?? this.index + 1;
  }

  private repairKey(line: string, indent: number): void {
    const at = findValue(line, indent);
    if (at === line.length) this.openKeyIndent = indent;
    if (at === -1 || at === line.length) this.index += 1;
    else this.repairValue({ line, indent, at });
  }

  private line(index: number): string {
    return this.lines[index] ?? "";
  }

  private repairValue(place: Place): void {
    const value = place.line.slice(place.at);
    const first = value[0] ?? "";
    if (/^[|>][-+0-9]*(?:[ \t]+#.*)?$/.test(trimEnd(value))) this.index = this.nestedEnd(place.indent);
    else if (first === '"' || first === "'") this.repairQuoted(place, first);
    else if (isFlowStart(first)) this.repairFlow(place);
    else if (first === "#" || first === "&" || first === "!") this.index += 1;
    else this.repairPlain(place);
  }

  /** The first line after the value of a key indented by `indent`. */
  private nestedEnd(indent: number): number {
    let end = this.index + 1;
    while (end < this.lines.length && (isBlank(this.line(end)) || indentOf(this.line(end)) > indent))
      end += 1;
    return end;
  }

  private repairQuoted(place: Place, quote: string): void {
    const close = findClosingQuote(place.line, place.at + 1, quote);
    const end = close === -1 ? this.findQuoteLine(place, quote) : this.index;
    const hasMore = close !== -1 && withoutComment(place.line.slice(close + 1)) !== "";
    // A quote that nothing closes is not a part of the text.
    const line = end === -1 ? place.line.slice(0, place.at) + place.line.slice(place.at + 1) : place.line;
    if (end === -1 || hasMore) this.quote(this.index, { ...place, line }, "unquoted-value");
    this.index = Math.max(end, this.index) + 1;
  }

  private findQuoteLine(place: Place, quote: string): number {
    const end = this.nestedEnd(place.indent);
    for (let index = this.index + 1; index < end; index += 1) {
      if (findClosingQuote(this.line(index), 0, quote) !== -1) return index;
    }
    return -1;
  }

  private repairFlow(place: Place): void {
    const end = this.flowEnd(this.index, place.at, place.indent);
    if (end !== undefined && end > this.index + 1) {
      this.index = end;
      return;
    }
    const value = place.line.slice(place.at);
    const close = new BracketScan().feed(value, 0);
    const hasMore = close === -1 || withoutComment(value.slice(close)) !== "";
    if (hasMore || !parsesAlone(value.slice(0, close))) this.repairBrackets(place);
    this.index += 1;
  }

  /** The line after a flow collection; undefined if it does not end on a line that may belong to it. */
  private flowEnd(start: number, at: number, indent: number): number | undefined {
    const scan = new BracketScan();
    const limit = Math.min(this.lines.length, start + MAX_FLOW_LINES);
    for (let index = start; index < limit; index += 1) {
      const line = this.line(index);
      const isInside = index === start || isBlank(line) || indentOf(line) > indent || /^ *[}\]]/.test(line);
      if (!isInside || scan.broken) return undefined;
      if (scan.feed(line, index === start ? at : 0) !== -1) return index + 1;
    }
    return undefined;
  }

  private repairBrackets(place: Place): void {
    const value = place.line.slice(place.at);
    const content = withoutComment(value);
    const closed = closeBrackets(content);
    if (closed === undefined || !parsesAlone(closed)) {
      this.quote(this.index, place, "unquoted-value");
      return;
    }
    this.lines[this.index] = place.line.slice(0, place.at) + closed + value.slice(content.length);
    this.notes.push({ code: "unclosed-bracket", line: this.index + 1, column: place.at + 1 });
  }

  private repairPlain(place: Place): void {
    const end = this.scalarEnd(place.indent);
    const isSingle = end === this.index + 1;
    let code: "unquoted-colon" | "unquoted-value" | undefined;
    if (startsUnquotable(place.line.slice(place.at))) code = "unquoted-value";
    for (let index = this.index; index < end; index += 1) {
      const text = index === this.index ? place.line.slice(place.at) : this.line(index);
      if (findColon(isSingle ? withoutComment(text) : trimEnd(text), 0) !== -1) code = "unquoted-colon";
    }
    if (code !== undefined) this.quote(end - 1, place, code);
    this.index = end;
  }

  /** Like `nestedEnd`, but without trailing comments and blank lines. */
  private scalarEnd(indent: number): number {
    const nestedEnd = this.nestedEnd(indent);
    let end = this.index + 1;
    for (let index = end; index < nestedEnd; index += 1) {
      if (/^[ \t\r]*#/.test(this.line(index))) break;
      if (!isBlank(this.line(index))) end = index + 1;
    }
    return end;
  }

  /** Puts a value up to line `last` in single quotes, which may span lines: the line count stays the same. */
  private quote(last: number, place: Place, code: "unquoted-colon" | "unquoted-value"): void {
    const value = place.line.slice(place.at);
    const more = this.lines.slice(this.index + 1, last + 1);
    const content = more.length === 0 ? withoutComment(value) : trimEnd([value, ...more].join("\n"));
    const comment = more.length === 0 ? value.slice(content.length) : "";
    const quoted = `${place.line.slice(0, place.at)}'${content.replaceAll("'", "''")}'${comment}`;
    this.lines.splice(this.index, more.length + 1, ...quoted.split("\n"));
    this.notes.push({ code, line: this.index + 1, column: place.at + 1 });
    this.hidesKey ||= more.some((line) => KEY_ON_OWN_LINE.test(line));
  }
}

const KEY_ON_OWN_LINE = /^[ \t]+[\w-]+[ \t]*:(?:[ \t\r]|$)/;

function isFlowStart(character: string): boolean {
  return character === "[" || character === "{";
}

function startsUnquotable(value: string): boolean {
  return /^(?:[@`%,*\]}|>]|[-?:](?:[ \t]|$))/.test(value);
}

// White space as YAML defines it; String.trim would also remove characters that belong to a value.

function indentOf(line: string): number {
  return /^ */.exec(line)?.[0].length ?? 0;
}

/** Where the value of a key at `from` begins, or -1 if there is no key. */
function findValue(line: string, from: number): number {
  const quote = line[from] ?? "";
  const isQuoted = quote === '"' || quote === "'";
  const close = isQuoted ? findClosingQuote(line, from + 1, quote) : from - 1;
  if (isQuoted && close === -1) return -1;
  const colon = findColon(line, close + 1);
  if (colon === -1 || (isQuoted ? !isBlank(line.slice(close + 1, colon)) : isBlank(line.slice(from, colon))))
    return -1;
  const rest = /^[ \t\r]*/.exec(line.slice(colon + 1));
  return colon + 1 + (rest?.[0].length ?? 0);
}

function findColon(line: string, from: number): number {
  for (let colon = line.indexOf(":", from); colon !== -1; colon = line.indexOf(":", colon + 1)) {
    if (isWhite(line[colon + 1] ?? " ")) return colon;
  }
  return -1;
}

function findClosingQuote(line: string, from: number, quote: string): number {
  for (let at = from; at < line.length; at += 1) {
    if (line[at] === "\\" && quote === '"') at += 1;
    else if (line[at] !== quote) continue;
    else if (quote === "'" && line[at + 1] === "'") at += 1;
    else return at;
  }
  return -1;
}

function withoutComment(text: string): string {
  const hash = text.search(/(?<![^ \t\r])#/);
  return trimEnd(hash === -1 ? text : text.slice(0, hash));
}

function trimEnd(text: string): string {
  let end = text.length;
  while (end > 0 && isWhite(text[end - 1] ?? "")) end -= 1;
  return text.slice(0, end);
}

function isBlank(text: string): boolean {
  return /^[ \t\r]*$/.test(text);
}

function isWhite(character: string): boolean {
  return character === " " || character === "\t" || character === "\r";
}

class BracketScan {
  /** The missing closing brackets, outermost first. */
  readonly open: string[] = [];
  broken = false;
  private quote = "";
  // A quote inside a plain scalar, as in `what's`, is an ordinary letter.
  private atScalarStart = true;
  private afterQuoted = false;

  feed(text: string, from: number): number {
    for (let at = from; at < text.length && !this.broken; at += 1) {
      const character = text[at] ?? "";
      if (this.quote === "") this.readOutside(character, text[at + 1] ?? " ");
      else if (character === "\\" && this.quote === '"') at += 1;
      else if (character === this.quote) this.leaveQuotes();
      if (this.open.length === 0) return at + 1;
    }
    return -1;
  }

  get lacksOnlyBrackets(): boolean {
    return !this.broken && this.quote === "" && this.open.length > 0;
  }

  private leaveQuotes(): void {
    this.quote = "";
    this.afterQuoted = true;
  }

  private readOutside(character: string, next: string): void {
    if ((character === '"' || character === "'") && this.atScalarStart) this.quote = character;
    else if (character === "{") this.open.push("}");
    else if (character === "[") this.open.push("]");
    else if (character === "}" || character === "]") this.broken = this.open.pop() !== character;
    const isValueColon = character === ":" && (next === " " || this.afterQuoted);
    this.afterQuoted = false;
    if (isValueColon || "{[,".includes(character)) this.atScalarStart = true;
    else if (character !== " " && character !== "\t") this.atScalarStart = false;
  }
}

/** The text with its missing closing brackets; undefined if it lacks anything else. */
function closeBrackets(text: string): string | undefined {
  const scan = new BracketScan();
  scan.feed(text, 0);
  return scan.lacksOnlyBrackets ? text + scan.open.toReversed().join("") : undefined;
}

function parsesAlone(text: string): boolean {
  const parsed = parseYaml(text, { maxDepth: MAX_HEADER_DEPTH });
  return !isTooDeep(parsed) && parsed.document.errors.length === 0 && parsed.secondStart === undefined;
}
