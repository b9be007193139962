import {
  type DataEntry,
  type DataMap,
  type DataNode,
  type DataReading,
  entryAt,
  MAX_DATA_DEPTH,
} from "./data-node.ts";
import { ValueScanner } from "./value-scanner.ts";

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

// From the end and not far: tables stand together, and a search through all of them would be quadratic.
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
