import { type HeaderCursor, readQuoted } from "./header-cursor.ts";
import { createRawMap, type RawValue, resolvePlainScalar } from "./raw-header.ts";

const SPACE = 0x20;
const QUOTE = 0x22;
const APOSTROPHE = 0x27;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_MAP = 0x7b;
const CLOSE_MAP = 0x7d;

// Far below the limit for all headers, so that blocks and flows together stay below it too.
const MAX_FLOW_DEPTH = 8;

/** Reads a `{…}` or `[…]` that hangs on a line indented by `indent`, and leaves the cursor behind it. */
export function readFlowCollection(cursor: HeaderCursor, at: number, indent: number): RawValue {
  cursor.at = at;
  return readValue(cursor, indent, 1);
}

function readValue(cursor: HeaderCursor, indent: number, depth: number): RawValue {
  switch (cursor.text.charCodeAt(cursor.at)) {
    case OPEN_MAP:
      return depth <= MAX_FLOW_DEPTH ? readMap(cursor, indent, depth) : giveUp(cursor);
    case OPEN_LIST:
      return depth <= MAX_FLOW_DEPTH ? readList(cursor, indent, depth) : giveUp(cursor);
    case QUOTE:
    case APOSTROPHE:
      return readQuoted(cursor, cursor.at);
    default:
      return resolvePlainScalar(readPlain(cursor));
  }
}

function readMap(cursor: HeaderCursor, indent: number, depth: number): RawValue {
  const map = createRawMap();
  cursor.at += 1;
  while (skipBlank(cursor, indent, depth) !== CLOSE_MAP) {
    const key = readKey(cursor);
    skipBlank(cursor, indent, depth);
    if (cursor.unsure || map[key] !== undefined) return giveUp(cursor);
    map[key] = readValue(cursor, indent, depth + 1);
    if (cursor.unsure || !readSeparator(cursor, indent, depth, CLOSE_MAP)) return giveUp(cursor);
  }
  cursor.at += 1;
  return map;
}

function readList(cursor: HeaderCursor, indent: number, depth: number): RawValue {
  const list: RawValue[] = [];
  cursor.at += 1;
  while (skipBlank(cursor, indent, depth) !== CLOSE_LIST) {
    list.push(readValue(cursor, indent, depth + 1));
    if (cursor.unsure || !readSeparator(cursor, indent, depth, CLOSE_LIST)) return giveUp(cursor);
  }
  cursor.at += 1;
  return list;
}

function readKey(cursor: HeaderCursor): string {
  const { text } = cursor;
  const first = text.charCodeAt(cursor.at);
  const quoted = first === QUOTE || first === APOSTROPHE;
  const key = quoted ? readQuoted(cursor, cursor.at) : readPlain(cursor);
  const { at } = cursor;
  // Without quotes the colon ends the key only before a space; other places are left to the library.
  if (text.charCodeAt(at) === COLON && (quoted || text.charCodeAt(at + 1) === SPACE)) cursor.at = at + 1;
  else cursor.unsure = true;
  return key;
}

function readSeparator(cursor: HeaderCursor, indent: number, depth: number, close: number): boolean {
  const code = skipBlank(cursor, indent, depth);
  if (code === COMMA) cursor.at += 1;
  return code === COMMA || code === close;
}

const ENDS_PLAIN: Uint8Array = new Uint8Array(128);
for (const character of "\n,[]{}#") ENDS_PLAIN[character.charCodeAt(0)] = 1;
const PLAIN_START: Uint8Array = new Uint8Array(128).fill(1);
for (const character of "\n-?:,[]{}#&*!|>'\"%@` ") PLAIN_START[character.charCodeAt(0)] = 0;

function readPlain(cursor: HeaderCursor): string {
  const { text, at: from } = cursor;
  const first = text.charCodeAt(from);
  if (Number.isNaN(first) || (first <= 127 && PLAIN_START[first] === 0)) {
    cursor.unsure = true;
    return "";
  }
  let at = from + 1;
  for (; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === COLON ? endsAtColon(text.charCodeAt(at + 1)) : code <= 127 && ENDS_PLAIN[code] === 1) break;
  }
  if (text.charCodeAt(at) === 0x23) cursor.unsure = true;
  cursor.at = at;
  let end = at;
  while (text.charCodeAt(end - 1) === SPACE) end -= 1;
  return text.slice(from, end);
}

function endsAtColon(next: number): boolean {
  return Number.isNaN(next) || next === SPACE || (next <= 127 && ENDS_PLAIN[next] === 1 && next !== 0x23);
}

function skipBlank(cursor: HeaderCursor, indent: number, depth: number): number {
  const { text } = cursor;
  for (;;) {
    const code = text.charCodeAt(cursor.at);
    if (code === SPACE) cursor.at += 1;
    else if (code !== 0x0a) return Number.isNaN(code) ? giveUpAt(cursor) : code;
    else if (cursor.next >= text.length) return giveUpAt(cursor);
    else enterLine(cursor, indent, depth);
    if (cursor.unsure) return 0;
  }
}

/** Lines inside must be deeper than their key; only the last bracket may stand at its indentation. */
function enterLine(cursor: HeaderCursor, indent: number, depth: number): void {
  cursor.startLine(cursor.next);
  cursor.at = cursor.start;
  if (cursor.start === cursor.stop || cursor.indent > indent) return;
  const code = cursor.text.charCodeAt(cursor.start);
  const isLastBracket = depth === 1 && (code === CLOSE_MAP || code === CLOSE_LIST);
  if (!isLastBracket || cursor.indent < indent) cursor.unsure = true;
}

function giveUpAt(cursor: HeaderCursor): number {
  cursor.unsure = true;
  return 0;
}

function giveUp(cursor: HeaderCursor): null {
  cursor.unsure = true;
  return null;
}
