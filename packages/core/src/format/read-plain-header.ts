import { HeaderCursor, readBlockScalar, readQuoted } from "./header-cursor.ts";
import {
  createRawMap,
  type HeaderNote,
  type RawHeader,
  type RawValue,
  resolvePlainScalar,
} from "./raw-header.ts";
import { readFlowCollection } from "./read-flow-collection.ts";

const COLON = 0x3a;
const DASH = 0x2d;
const HASH = 0x23;
const SPACE = 0x20;
const NO_NOTES: readonly HeaderNote[] = Object.freeze([]);

// A header with more keys is hardly one, and every value may need a repair, of which the library's path takes few.
const MAX_PLAIN_KEYS = 64;

// Far below the limit for all headers, so that blocks and flows together stay below it too.
const MAX_PLAIN_DEPTH = 8;

// The library refuses longer implicit keys.
const MAX_PLAIN_KEY_CHARACTERS = 256;

/**
 * Reads a header in the part of YAML that nearly all skills keep to, and gives undefined for any other.
 *
 * It gives what the library and the repair of unquoted colons give; where that is not certain, it gives up.
 */
export function readPlainHeader(text: string): RawHeader | undefined {
  // Tabs, lone carriage returns and byte order marks each have rules of their own.
  if (text.indexOf("\t") !== -1 || text.indexOf("\r") !== -1 || text.indexOf("\uFEFF") !== -1)
    return undefined;
  const cursor = new HeaderCursor(text);
  const values = new Map<string, RawValue>();
  cursor.advance();
  while (cursor.indent === 0) {
    const key = readKey(cursor);
    if (cursor.unsure || values.size === MAX_PLAIN_KEYS || values.has(key)) return undefined;
    values.set(key, readMapValue(cursor, 0, 1));
    if (cursor.unsure) return undefined;
  }
  if (cursor.indent !== -1 || values.size === 0) return undefined;
  return { values, notes: cursor.notes ?? NO_NOTES };
}

function readKey(cursor: HeaderCursor): string {
  const { text, start, stop } = cursor;
  const end = findKeyEnd(cursor, start);
  if (end === -1) {
    cursor.unsure = true;
    return "";
  }
  cursor.at = end + 1;
  if (end + 1 < stop && text.charCodeAt(end + 1) !== SPACE) cursor.unsure = true;
  return text.slice(start, end);
}

/** The offset of the colon after a plain key, or -1. */
function findKeyEnd(cursor: HeaderCursor, from: number): number {
  const { text, stop } = cursor;
  let at = from;
  while (at < stop && isKeyCharacter(text.charCodeAt(at))) at += 1;
  const isKey =
    at > from && at < stop && at - from <= MAX_PLAIN_KEY_CHARACTERS && text.charCodeAt(at) === COLON;
  return isKey && text.charCodeAt(from) !== DASH ? at : -1;
}

function isKeyCharacter(code: number): boolean {
  return (
    (code >= 0x61 && code <= 0x7a) || // a-z
    (code >= 0x41 && code <= 0x5a) || // A-Z
    (code >= 0x30 && code <= 0x39) ||
    code === DASH ||
    code === 0x5f // _
  );
}

/** Reads what follows a key of a map that is indented by `indent`, and moves to the first line behind it. */
function readMapValue(cursor: HeaderCursor, indent: number, depth: number): RawValue {
  const at = cursor.skipSpaces(cursor.at);
  if (at < cursor.stop && cursor.text.charCodeAt(at) !== HASH)
    return readInlineValue(cursor, at, indent, "map");
  cursor.advance();
  if (cursor.indent > indent) return readNested(cursor, indent, depth + 1);
  // A list may stand at the indentation of its key.
  return cursor.indent === indent && isListItem(cursor) ? readList(cursor, indent, depth + 1) : null;
}

function readNested(cursor: HeaderCursor, parentIndent: number, depth: number): RawValue {
  const first = cursor.text[cursor.start];
  if (first === "{" || first === "[") return readFlowValue(cursor, cursor.start, parentIndent);
  if (depth > MAX_PLAIN_DEPTH) {
    cursor.unsure = true;
    return null;
  }
  return isListItem(cursor) ? readList(cursor, cursor.indent, depth) : readMap(cursor, cursor.indent, depth);
}

function isListItem(cursor: HeaderCursor): boolean {
  const { text, start, stop } = cursor;
  return text.charCodeAt(start) === DASH && start + 1 < stop && text.charCodeAt(start + 1) === SPACE;
}

function readMap(cursor: HeaderCursor, indent: number, depth: number): RawValue {
  const map = createRawMap();
  while (cursor.indent === indent) {
    const key = readKey(cursor);
    if (cursor.unsure || map[key] !== undefined) {
      cursor.unsure = true;
      return null;
    }
    map[key] = readMapValue(cursor, indent, depth);
    if (cursor.unsure) return null;
  }
  if (cursor.indent > indent) cursor.unsure = true;
  return map;
}

function readList(cursor: HeaderCursor, indent: number, depth: number): RawValue {
  const list: RawValue[] = [];
  while (cursor.indent === indent && isListItem(cursor)) {
    list.push(readListItem(cursor, indent, depth));
    if (cursor.unsure) return null;
  }
  if (cursor.indent > indent) cursor.unsure = true;
  return list;
}

function readListItem(cursor: HeaderCursor, indent: number, depth: number): RawValue {
  const at = cursor.skipSpaces(cursor.start + 1);
  const colon = findKeyEnd(cursor, at);
  if (colon !== -1 && (colon + 1 === cursor.stop || cursor.text.charCodeAt(colon + 1) === SPACE)) {
    // A map that begins on the line of its dash is indented as far as its first key.
    cursor.indent += at - cursor.start;
    cursor.start = at;
    if (depth < MAX_PLAIN_DEPTH) return readMap(cursor, cursor.indent, depth + 1);
    cursor.unsure = true;
    return null;
  }
  return readInlineValue(cursor, at, indent, "list");
}

function readInlineValue(cursor: HeaderCursor, at: number, indent: number, parent: "map" | "list"): RawValue {
  switch (cursor.text.charCodeAt(at)) {
    case 0x22: // "
    case 0x27: // '
      return readQuotedValue(cursor, at, indent);
    case 0x7b: // {
    case 0x5b: // [
      return readFlowValue(cursor, at, indent);
    case 0x7c: // |
    case 0x3e: // >
      return readBlockScalar(cursor, at, indent);
    default:
      return readPlainValue(cursor, at, indent, parent);
  }
}

function readQuotedValue(cursor: HeaderCursor, at: number, indent: number): RawValue {
  const value = readQuoted(cursor, at);
  if (!cursor.endsAt(cursor.at)) cursor.unsure = true;
  finishLine(cursor, indent);
  return value;
}

function readFlowValue(cursor: HeaderCursor, at: number, indent: number): RawValue {
  cursor.note("flow-style", at);
  const value = readFlowCollection(cursor, at, indent);
  if (!cursor.unsure && !cursor.endsAt(cursor.at)) cursor.unsure = true;
  finishLine(cursor, indent);
  return value;
}

function readPlainValue(cursor: HeaderCursor, at: number, indent: number, parent: "map" | "list"): RawValue {
  const { text } = cursor;
  const end = cursor.contentEnd(at);
  if (end === at || !isPlainStart(text.charCodeAt(at))) {
    cursor.unsure = true;
    return null;
  }
  const value = text.slice(at, end);
  const needsQuotes = cursor.nextColon(at) < end || text.charCodeAt(end - 1) === COLON;
  if (needsQuotes) {
    if (parent === "list") cursor.unsure = true;
    cursor.note("unquoted-colon", at);
  }
  finishLine(cursor, indent);
  return needsQuotes ? value : resolvePlainScalar(value);
}

/** Moves on; a deeper line would be more of the value, which is left to the library. */
function finishLine(cursor: HeaderCursor, indent: number): void {
  cursor.advance();
  if (cursor.indent > indent) cursor.unsure = true;
}

const PLAIN_START: Uint8Array = new Uint8Array(128).fill(1);
for (const character of "-?:,[]{}#&*!|>'\"%@` ") PLAIN_START[character.charCodeAt(0)] = 0;

/** Whether a character always begins an unquoted scalar; those that only sometimes do are left to the library. */
function isPlainStart(code: number): boolean {
  return code > 127 || PLAIN_START[code] === 1;
}
