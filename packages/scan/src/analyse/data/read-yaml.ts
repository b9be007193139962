import * as yaml from "yaml";
import { linesOf } from "../../text/source-text.ts";
import {
  type DataEntry,
  type DataNode,
  type DataReading,
  entryAt,
  MAX_DATA_DEPTH,
  stringAt,
  TOO_DEEP,
} from "./data-node.ts";

/** The library composes recursively, so depth is measured on its tokens first and nothing deep is ever built. */
export function readYaml(text: string): DataReading {
  const flat = readFlat(text);
  if (flat !== undefined) return flat;
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
    if (parser.stack.length > MAX_DATA_DEPTH) return { ...readPairs(text), fault: TOO_DEEP, limit: TOO_DEEP };
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
  return { root, fault };
}

const FLAT_LINE = /^([A-Za-z][\w-]{0,60}): ([A-Za-z(][^\n\r\t]*)$/;

// Fast path: most headers are plain `key: text` lines, for which the library is slow.
function readFlat(text: string): DataReading | undefined {
  const entries: DataEntry[] = [];
  let keyStart = 0;
  for (const line of text.split("\n")) {
    const [, key, written] = FLAT_LINE.exec(line) ?? [];
    if (key !== undefined && written !== undefined) {
      const value = written.trimEnd();
      if (value.includes(": ") || value.includes(" #") || value.endsWith(":")) return undefined;
      const start = keyStart + key.length + 2;
      entries.push(entryAt(key, keyStart, { ...stringAt(value, start), isString: isPlainString(value) }));
    } else if (!/^ *$/.test(line)) return undefined;
    keyStart += line.length + 1;
  }
  return entries.length === 0 ? undefined : { root: { kind: "map", entries } };
}

function isPlainString(text: string): boolean {
  return !/^(?:true|false|null|~|[\d.+-]+)$/i.test(text);
}

const OPTIONS = {
  strict: false,
  uniqueKeys: false,
  logLevel: "silent",
  prettyErrors: false,
  schema: "failsafe",
} as const;
// The library reads about a megabyte per second; longer texts are only read as lines of pairs.
const MAX_YAML_CHARACTERS = 256 * 1024;
const MAX_REJECTED_TOKENS = 100;
const MAX_ALIASES = 1000;

class Converter {
  aliases = 0;
  readonly #anchors = new Map<string, DataNode>();

  convert(node: unknown, depth: number): DataNode | undefined {
    if (yaml.isAlias(node)) {
      // The same node, not a copy: its commands were read where it is defined.
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
        const name = keyNode === undefined ? "" : String(keyNode.value);
        entries.push(entryAt(name, keyNode?.range?.[0] ?? 0, converted));
      }
      return { kind: "map", entries };
    }
    if (yaml.isSeq(node)) {
      const items = node.items.map((item) => this.convert(item, depth + 1));
      return { kind: "list", items: items.filter((item) => item !== undefined) };
    }
    if (!yaml.isScalar(node) || node.value === null) return undefined;
    const [from = 0, to = 0] = node.range ?? [];
    const text = String(node.value);
    const isString = node.type !== "PLAIN" || isPlainString(text);
    return { kind: "scalar", text, isString, from, to, isBlock: node.type === "BLOCK_LITERAL" };
  }
}

/** Reads lines of `name = value` or `name: value` below `[sections]`: INI, `.env`, `.npmrc`, unit files, and other broken data. */
export function readPairs(text: string): DataReading {
  const entries: DataEntry[] = [];
  let target = entries;
  for (const { line, start } of linesOf(text, MAX_LINE_CHARACTERS)) {
    const section = /^\s{0,40}\[([^\]\n]{1,200})\]\s*$/.exec(line)?.[1];
    if (section !== undefined) {
      target = [];
      entries.push(entryAt(section, start, { kind: "map", entries: target }));
    } else addPair(line, start, target);
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
  const keyStart = start + (line.length - line.trimStart().length);
  entries.push(entryAt(key, keyStart, stringAt(text, valueStart, valueStart + raw.length)));
}
