import { parseJson } from "@skillet/kit/json";
import type { DataEntry, DataNode, DataScalar } from "./data-node.ts";
import { ValueScanner } from "./value-scanner.ts";

/**
 * Reads YAML of the plainest kind, which most headers are: maps and lists by indentation, scalars and JSON on one line.
 *
 * It gives what the library gives, in a tenth of the time, and undefined for everything of which that is not certain.
 */
export function readPlainYaml(text: string): DataNode | undefined {
  // Tabs, lone carriage returns and marks at the beginning have rules of their own.
  if (text.length > MAX_PLAIN_CHARACTERS || UNCERTAIN.test(text)) return undefined;
  const lines = linesOf(text);
  if (lines.length === 0 || lines[0]?.indent !== 0) return undefined;
  const cursor: Cursor = { text, lines, next: 0 };
  const root = readMap(cursor, 0, 0);
  return cursor.next === lines.length ? root : undefined;
}

const UNCERTAIN = /[\t\r\u0085\u2028\u2029\ufeff]/;
const MAX_PLAIN_CHARACTERS = 32 * 1024;
const MAX_DEPTH = 8;
const MAX_FLOW_CHARACTERS = 8_192;

interface Line {
  readonly indent: number;
  /** Where its first and behind its last letter. */
  readonly start: number;
  readonly end: number;
}

interface Cursor {
  readonly text: string;
  readonly lines: readonly Line[];
  next: number;
}

function linesOf(text: string): readonly Line[] {
  const lines: Line[] = [];
  for (let from = 0; from < text.length; ) {
    const feed = text.indexOf("\n", from);
    const to = feed === -1 ? text.length : feed;
    let start = from;
    while (start < to && text.charCodeAt(start) === SPACE) start++;
    let end = to;
    while (end > start && text.charCodeAt(end - 1) === SPACE) end--;
    if (end > start) lines.push({ indent: start - from, start, end });
    from = to + 1;
  }
  return lines;
}

const SPACE = 32;

function readMap(cursor: Cursor, indent: number, depth: number): DataNode | undefined {
  const entries: DataEntry[] = [];
  for (let line = cursor.lines[cursor.next]; line?.indent === indent; line = cursor.lines[cursor.next]) {
    KEY.lastIndex = line.start;
    const key = KEY.exec(cursor.text)?.[1];
    if (key === undefined) return undefined;
    const start = KEY.lastIndex;
    cursor.next++;
    const value =
      start >= line.end
        ? readNested(cursor, indent, depth)
        : readInline(cursor, { indent, start, end: line.end });
    if (value === undefined) return undefined;
    entries.push({ key, keyStart: line.start, value });
  }
  return isClosed(cursor, indent) ? { kind: "map", entries } : undefined;
}

const KEY = /([A-Za-z_][\w.-]{0,200}):(?: {1,200}|(?=\n|$))/y;

/** What is indented deeper than all before it belongs to no line that was read. */
function isClosed({ lines, next }: Cursor, indent: number): boolean {
  const line = lines[next];
  return line === undefined || line.indent < indent;
}

function readNested(cursor: Cursor, indent: number, depth: number): DataNode | undefined {
  const line = cursor.lines[cursor.next];
  if (line === undefined || depth >= MAX_DEPTH) return undefined;
  const isList = cursor.text.startsWith("- ", line.start);
  if (isList && line.indent >= indent) return readList(cursor, line.indent, indent);
  return line.indent > indent ? readMap(cursor, line.indent, depth + 1) : undefined;
}

function readList(cursor: Cursor, indent: number, outer: number): DataNode | undefined {
  const items: DataNode[] = [];
  for (let line = cursor.lines[cursor.next]; line?.indent === indent; line = cursor.lines[cursor.next]) {
    if (!cursor.text.startsWith("- ", line.start)) break;
    let start = line.start + 2;
    while (cursor.text.charCodeAt(start) === SPACE) start++;
    cursor.next++;
    const item = readInline(cursor, { indent, start, end: line.end });
    if (item === undefined) return undefined;
    items.push(item);
  }
  // A list may stand at the indentation of its key, and then the next key follows it there.
  const isDone =
    isClosed(cursor, indent) || (indent === outer && cursor.lines[cursor.next]?.indent === outer);
  return isDone ? { kind: "list", items } : undefined;
}

function readInline({ text, lines, next }: Cursor, { indent, start, end }: Line): DataNode | undefined {
  // Whatever goes on in the next line is more than one line.
  if ((lines[next]?.indent ?? 0) > indent) return undefined;
  const written = text.slice(start, end);
  const scalar: DataScalar = { kind: "scalar", text: written, isString: true, start, end, isBlock: false };
  if (QUOTED.test(written)) return { ...scalar, text: written.slice(1, -1) };
  if (PLAIN.test(written)) return { ...scalar, isString: !NO_STRING.test(written) };
  return /^[[{]/.test(written) ? readFlow(text, written, start) : undefined;
}

const QUOTED = /^(?:"[^"\\]*"|'[^']*')$/;
const PLAIN = /^[A-Za-z0-9_/\u00c0-\ud7ff](?:[^ :]|:(?! |$)| (?!#))*$/;
const NO_STRING = /^(?:true|false|null|~|[\d.+-]+)$/i;

/** Every JSON without escapes and exponents is the same as YAML. */
function readFlow(text: string, written: string, start: number): DataNode | undefined {
  if (written.length > MAX_FLOW_CHARACTERS || UNLIKE_JSON.test(written) || parseJson(written) === undefined)
    return undefined;
  const scanner = new ValueScanner(text, { singleQuotes: "escaped" });
  scanner.at = start;
  const value = scanner.readValue(0);
  const isWhole = scanner.fault === undefined && scanner.at === start + written.length;
  return isWhole ? value : undefined;
}

const UNLIKE_JSON = /\\|\d[eE]/;
