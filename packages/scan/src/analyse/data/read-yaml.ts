import { parseJson } from "@skillet/kit/json";
import * as yaml from "yaml";
import {
  type DataEntry,
  type DataMap,
  type DataNode,
  type DataReading,
  type DataScalar,
  MAX_DATA_DEPTH,
  TOO_DEEP,
} from "./data-node.ts";
import { ValueScanner } from "./value-scanner.ts";

export function readYaml(text: string): DataReading {
  const root = readPlainYaml(text);
  return root === undefined ? readYamlWithLibrary(text) : { root };
}

/**
 * The same without the fast path, which tests hold against this.
 *
 * The library composes by recursion, so depth is measured on its token stack first and nothing deep is ever built.
 */
export function readYamlWithLibrary(text: string): DataReading {
  const tokens: yaml.CST.Token[] = [];
  const parser = new yaml.Parser();
  if (text.length > MAX_YAML_CHARACTERS)
    return { ...readPairs(text), fault: "it is too long to be parsed as YAML" };
  let rejected = 0;
  for (const lexeme of new yaml.Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) {
      tokens.push(token);
      if (token.type === "error") rejected++;
    }
    if (rejected > MAX_REJECTED_TOKENS) return { ...readPairs(text), fault: "it is no YAML" };
    if (parser.stack.length > MAX_DATA_DEPTH) {
      return { ...readPairs(text), fault: TOO_DEEP, limit: TOO_DEEP };
    }
  }
  for (const token of parser.end()) tokens.push(token);
  const composer = new yaml.Composer({ ...OPTIONS });
  const items: DataNode[] = [];
  let fault: string | undefined;
  for (const document of composer.compose(tokens, true, text.length)) {
    fault ??= document.errors[0]?.message.split("\n", 1)[0];
    const converter = new Converter();
    const node = converter.convert(document.contents, 0);
    if (node !== undefined) items.push(node);
    if (converter.aliases > MAX_ALIASES) fault ??= `it has more than ${MAX_ALIASES} aliases`;
  }
  const [first] = items;
  const root = items.length === 1 && first !== undefined ? first : { kind: "list" as const, items };
  return fault === undefined ? { root } : { root, fault };
}

const OPTIONS = {
  strict: false,
  uniqueKeys: false,
  logLevel: "silent",
  prettyErrors: false,
  schema: "failsafe",
} as const;
// The library reads about a megabyte in a second; lines of pairs are all that longer ones are.
const MAX_YAML_CHARACTERS = 256 * 1024;
const MAX_REJECTED_TOKENS = 100;
const MAX_ALIASES = 1000;

class Converter {
  aliases = 0;
  readonly #anchors = new Map<string, DataNode>();

  convert(node: unknown, depth: number): DataNode | undefined {
    if (yaml.isAlias(node)) {
      // The same node again, not a copy: its commands were seen where it is written out.
      this.aliases++;
      const target = this.#anchors.get(node.source);
      return target?.kind === "scalar" ? target : undefined;
    }
    if (depth > MAX_DATA_DEPTH) return undefined;
    const converted = this.#convertPlain(node, depth);
    const anchor = yaml.isNode(node) && "anchor" in node ? node.anchor : undefined;
    if (typeof anchor === "string" && converted !== undefined) this.#anchors.set(anchor, converted);
    return converted;
  }

  #convertPlain(node: unknown, depth: number): DataNode | undefined {
    if (yaml.isMap(node)) {
      const entries: DataEntry[] = [];
      for (const { key, value } of node.items) {
        const keyNode = yaml.isScalar(key) ? key : undefined;
        const converted = this.convert(value, depth + 1);
        if (converted === undefined) continue;
        entries.push({
          key: keyNode === undefined ? "" : String(keyNode.value),
          keyStart: keyNode?.range?.[0] ?? 0,
          value: converted,
        });
      }
      return { kind: "map", entries };
    }
    if (yaml.isSeq(node)) {
      const items = node.items.map((item) => this.convert(item, depth + 1));
      return { kind: "list", items: items.filter((item) => item !== undefined) };
    }
    if (!yaml.isScalar(node) || node.value === null) return undefined;
    const [start = 0, end = 0] = node.range ?? [];
    return {
      kind: "scalar",
      text: String(node.value),
      isString: node.type !== "PLAIN" || !/^(?:true|false|null|~|[\d.+-]+)$/i.test(String(node.value)),
      start,
      end,
      isBlock: node.type === "BLOCK_LITERAL",
    };
  }
}

/** Reads lines of `name = value` or `name: value` below `[sections]`: INI, `.env`, `.npmrc`, unit files, and what is left of broken data. */
export function readPairs(text: string): DataReading {
  const entries: DataEntry[] = [];
  let target = entries;
  for (let start = 0; start < text.length; ) {
    const found = text.indexOf("\n", start);
    const end = found === -1 ? text.length : found;
    const line = text.slice(start, Math.min(end, start + MAX_LINE_CHARACTERS));
    const section = /^\s{0,40}\[([^\]\n]{1,200})\]\s*$/.exec(line)?.[1];
    if (section !== undefined) {
      target = [];
      const map: DataMap = { kind: "map", entries: target };
      entries.push({ key: section, keyStart: start, value: map });
    } else addPair(line, start, target);
    start = end + 1;
  }
  return { root: { kind: "map", entries } };
}

const MAX_LINE_CHARACTERS = 20_000;
const PAIR =
  /^\s{0,80}(?:- )?(?:export[ \t]{1,8}|set[ \t]{1,8}|\$env:)?["']?(@?[A-Za-z_][\w.:@/-]{0,120}?)["']?[ \t]{0,20}[=:][ \t]{0,20}/;

function addPair(line: string, start: number, entries: DataEntry[]): void {
  if (/^\s*[#;]/.test(line)) return;
  const match = PAIR.exec(line);
  const key = match?.[1];
  if (match === null || key === undefined) return;
  const raw = line.slice(match[0].length).trimEnd().replace(/,$/, "");
  const quoted = /^(["'`])(.*)\1$/.exec(raw)?.[2];
  const text = quoted ?? raw.replace(/\s[#;].*$/, "");
  const valueStart = start + match[0].length;
  entries.push({
    key,
    keyStart: start + (line.length - line.trimStart().length),
    value: {
      kind: "scalar",
      text,
      isString: true,
      start: valueStart,
      end: valueStart + raw.length,
      isBlock: false,
    },
  });
}

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
