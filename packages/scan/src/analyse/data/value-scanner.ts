import { readEscapes } from "../read-escapes.ts";
import {
  type DataEntry,
  type DataMap,
  type DataNode,
  type DataReading,
  type DataScalar,
  entryAt,
  MAX_DATA_DEPTH,
  stringAt,
  TOO_DEEP,
} from "./data-node.ts";

/**
 * Reads values of JSON, of its looser kinds (comments, trailing commas, single quotes, bare keys) and of
 * TOML. It continues where strict readers stop: a file that another program accepts must not be closed to the
 * scan. Every character is read a bounded number of times.
 */
export class ValueScanner {
  readonly text: string;
  at = 0;
  fault: string | undefined;
  limit: string | undefined;

  /** Quotes that were left open once: later ones end with their line, as searching for their ends would be quadratic. */
  readonly #leftOpen = new Set<string>();

  /** Whether a backslash between single quotes is literal, as in TOML. */
  readonly #isSingleLiteral: boolean;

  constructor(text: string, options: { readonly singleQuotes: "literal" | "escaped" }) {
    this.text = text;
    this.#isSingleLiteral = options.singleQuotes === "literal";
  }

  readValue(depth: number): DataNode {
    this.skipBlanks();
    const character = this.text.charAt(this.at);
    if (character === "{" || character === "[") {
      if (depth >= MAX_DATA_DEPTH) return this.#giveUp();
      return character === "{" ? this.#readMap(depth + 1) : this.#readList(depth + 1);
    }
    if (character === '"' || character === "'" || character === "`") return this.readString();
    return this.#readBare();
  }

  skipBlanks(): void {
    BLANKS.lastIndex = this.at;
    for (;;) {
      BLANKS.test(this.text);
      const next = this.text.startsWith("/*", BLANKS.lastIndex) ? this.#behindComment(BLANKS.lastIndex) : -1;
      if (next === -1) break;
      BLANKS.lastIndex = next;
    }
    this.at = Math.max(this.at, BLANKS.lastIndex);
  }

  readString(): DataScalar {
    const { text, at: start } = this;
    const quote = text.charAt(start);
    const isTriple = text.startsWith(quote.repeat(3), start);
    const closing = isTriple ? quote.repeat(3) : quote;
    const bodyStart = start + closing.length;
    const bodyEnd = this.#findClosing(closing, bodyStart);
    const raw = text.slice(bodyStart, bodyEnd);
    this.at = Math.min(text.length, bodyEnd + (text.startsWith(closing, bodyEnd) ? closing.length : 0));
    const isLiteral = quote === "'" && this.#isSingleLiteral;
    const isBlock = isTriple && raw.startsWith("\n") && !raw.includes("\\\n");
    return { ...stringAt(isLiteral ? raw : readEscapes(raw), start, this.at), isBlock };
  }

  #findClosing(closing: string, from: number): number {
    const { text } = this;
    const isLiteral = closing.startsWith("'") && this.#isSingleLiteral;
    for (let at = from; at < text.length; at++) {
      const character = text.charCodeAt(at);
      if (character === BACKSLASH && !isLiteral) at++;
      else if (character === closing.charCodeAt(0) && text.startsWith(closing, at)) return at;
      else if (character === LINE_FEED && (this.#leftOpen.has(closing) || closing === "'")) break;
    }
    this.#leftOpen.add(closing);
    this.fault ??= "a text is not closed";
    const lineEnd = text.indexOf("\n", from);
    return lineEnd === -1 ? text.length : lineEnd;
  }

  #readMap(depth: number): DataNode {
    const entries: DataEntry[] = [];
    this.#readParts("}", () => {
      const start = this.at;
      const key = this.#readKey();
      this.skipBlanks();
      if (/[:=]/.test(this.text.charAt(this.at))) this.at++;
      else this.fault ??= "a key has no value";
      entries.push(entryAt(key, start, this.readValue(depth)));
    });
    return { kind: "map", entries };
  }

  #readList(depth: number): DataNode {
    const items: DataNode[] = [];
    this.#readParts("]", () => items.push(this.readValue(depth)));
    return { kind: "list", items };
  }

  #readParts(closing: "}" | "]", readPart: () => void): void {
    this.at++;
    for (;;) {
      this.#skipSeparators(closing);
      if (this.at >= this.text.length) this.fault ??= `a ${closing === "]" ? "list" : "map"} is not closed`;
      if (this.at >= this.text.length || this.text.charAt(this.at) === closing) break;
      const before = this.at;
      readPart();
      if (this.at === before) this.#skipUnknown();
    }
    this.at++;
  }

  #readKey(): string {
    const character = this.text.charAt(this.at);
    if (character === '"' || character === "'") return this.readString().text;
    BARE_KEY.lastIndex = this.at;
    const key = BARE_KEY.exec(this.text)?.[0] ?? "";
    this.at += key.length;
    return key;
  }

  #readBare(): DataScalar {
    BARE_VALUE.lastIndex = this.at;
    const start = this.at;
    const raw = BARE_VALUE.exec(this.text)?.[0] ?? "";
    this.at += raw.length;
    const text = raw.trimEnd();
    if (text !== "" && !KNOWN_BARE.test(text)) this.fault ??= "a value is not quoted";
    return { ...stringAt(text, start), isString: false };
  }

  #skipSeparators(closing: string): void {
    for (;;) {
      this.skipBlanks();
      const character = this.text.charAt(this.at);
      if (character === ",") this.at++;
      else if ((character === "}" || character === "]") && character !== closing) this.#skipUnknown();
      else return;
    }
  }

  #skipUnknown(): void {
    this.fault ??= "something stands where no value belongs";
    this.at++;
  }

  #behindComment(start: number): number {
    const end = this.text.indexOf("*/", start + 2);
    if (end === -1) this.fault ??= "a comment is not closed";
    return end === -1 ? this.text.length : end + 2;
  }

  #giveUp(): DataScalar {
    this.fault = TOO_DEEP;
    this.limit = TOO_DEEP;
    const start = this.at;
    this.at = this.text.length;
    return { ...stringAt(this.text.slice(start), start), isString: false };
  }
}

const BACKSLASH = 92;
const LINE_FEED = 10;
const BLANKS = /(?:[\s\uFEFF]|\/\/[^\n]*|#[^\n]*)*/y;
const BARE_KEY = /[^\s:=,{}[\]"'#]{1,500}/y;
const BARE_VALUE = /[^\n,}\]#{["]{0,2000}/y;
const KNOWN_BARE = /^(?:true|false|null|undefined|NaN|[+-]?(?:inf|nan|Infinity)|[+-]?[\d.][\w.:+-]*)$/;

/** Reads JSON and similar; several consecutive values (JSON lines) become a list. */
export function readJson(text: string): DataReading {
  const scanner = new ValueScanner(text, { singleQuotes: "escaped" });
  const roots = [];
  for (;;) {
    scanner.skipBlanks();
    const before = scanner.at;
    if (before >= text.length) break;
    roots.push(scanner.readValue(0));
    if (scanner.at !== before) continue;
    scanner.fault ??= "something stands where no value belongs";
    scanner.at++;
  }
  const [first] = roots;
  const root = roots.length === 1 && first !== undefined ? first : { kind: "list" as const, items: roots };
  return { root, fault: scanner.fault, limit: scanner.limit };
}

export function readToml(text: string): DataReading {
  const scanner = new ValueScanner(text, { singleQuotes: "literal" });
  const root: OpenMap = { kind: "map", entries: [] };
  let table = root;
  for (;;) {
    scanner.skipBlanks();
    if (scanner.at >= text.length) break;
    const before = scanner.at;
    const header = matchAt(HEADER, text, before);
    if (header !== undefined) {
      scanner.at += header.length;
      table = openTable(
        root,
        readPath(header.replace(/^\[\[?|\]\]?$/g, "")),
        before,
        header.startsWith("[["),
      );
    } else if (!readPair(scanner, table)) {
      scanner.fault ??= `line with "${text.slice(before, before + 40).split("\n", 1)[0]}" is no TOML`;
      const lineEnd = text.indexOf("\n", before);
      scanner.at = lineEnd === -1 ? text.length : lineEnd + 1;
    }
  }
  return { root, fault: scanner.fault, limit: scanner.limit };
}

interface OpenMap extends DataMap {
  readonly entries: DataEntry[];
}

const HEADER = /\[\[?[^\n\]]{1,500}\]\]?/y;
const KEY_PATH =
  /(?:"[^"\n]{0,200}"|'[^'\n]{0,200}'|[\w-]{1,200})(?:[ \t]{0,20}\.[ \t]{0,20}(?:"[^"\n]{0,200}"|'[^'\n]{0,200}'|[\w-]{1,200})){0,20}[ \t]{0,50}=/y;

function readPair(scanner: ValueScanner, table: OpenMap): boolean {
  const keyStart = scanner.at;
  const left = matchAt(KEY_PATH, scanner.text, keyStart);
  if (left === undefined) return false;
  scanner.at += left.length;
  const path = readPath(left.slice(0, -1));
  const key = path.pop() ?? "";
  const value = scanner.readValue(0);
  openTable(table, path, keyStart, false).entries.push(entryAt(key, keyStart, value));
  return true;
}

function openTable(from: OpenMap, path: readonly string[], keyStart: number, inList: boolean): OpenMap {
  let current = from;
  for (const [index, key] of path.slice(0, MAX_DATA_DEPTH).entries()) {
    const known = inList && index === path.length - 1 ? undefined : lastMap(current, key);
    if (known !== undefined) {
      current = known;
      continue;
    }
    const opened: OpenMap = { kind: "map", entries: [] };
    current.entries.push(entryAt(key, keyStart, opened));
    current = opened;
  }
  return current;
}

// A short search from the end: related tables are close together, and a full search would be quadratic.
function lastMap(map: OpenMap, key: string): OpenMap | undefined {
  for (let index = map.entries.length - 1; index >= 0 && index >= map.entries.length - 200; index--) {
    const entry = map.entries[index];
    if (entry?.key === key && isOpenMap(entry.value)) return entry.value;
  }
  return undefined;
}

function isOpenMap(node: DataNode): node is OpenMap {
  return node.kind === "map";
}

function readPath(text: string): string[] {
  return (text.match(/"[^"]*"|'[^']*'|[^\s."']+/g) ?? []).map((part) => part.replace(/^["']|["']$/g, ""));
}

function matchAt(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}
