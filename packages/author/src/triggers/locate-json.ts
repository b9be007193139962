import type { Located, LocatedEntry } from "@skillet/core";
import type { Range } from "@skillet/kit/diagnostics";

/** What is wrong with a text as JSON, and where. */
export interface JsonFault {
  readonly problem: string;
  readonly range: Range;
}

/** Deeper than any set of queries is; parsing recurses. */
const MAX_DEPTH = 32;

/**
 * Reads JSON into values with places, or says where it stops being JSON.
 *
 * `JSON.parse` tells no places of values, and since Node 20 not always that of a fault.
 */
export function locateJson(
  text: string,
  options: { readonly firstLine?: number } = {},
): { readonly root: Located } | { readonly fault: JsonFault } {
  const reader = new JsonReader(text, options.firstLine ?? 1);
  try {
    return { root: reader.readDocument() };
  } catch (error) {
    if (!(error instanceof JsonStop)) throw error;
    return { fault: { problem: error.message, range: reader.placeAt(error.offset) } };
  }
}

class JsonStop extends Error {
  readonly offset: number;

  constructor(problem: string, offset: number) {
    super(problem);
    this.offset = offset;
  }
}

const SPACE = /[ \t\r\n]*/y;
const OTHER_SCALAR = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

class JsonReader {
  readonly #text: string;
  readonly #firstLine: number;
  #offset = 0;
  readonly #lineStarts: readonly number[];

  constructor(text: string, firstLine: number) {
    this.#text = text;
    this.#firstLine = firstLine;
    this.#lineStarts = [0, ...Array.from(text.matchAll(/\n/g), ({ index }) => index + 1)];
  }

  readDocument(): Located {
    const root = this.#readValue(0);
    this.#match(SPACE);
    if (this.#offset < this.#text.length) throw new JsonStop("something stands behind the end", this.#offset);
    return root;
  }

  // By halves: a text of one line holds as many places as one of many.
  placeAt(offset: number): Range {
    let [low, high] = [0, this.#lineStarts.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((this.#lineStarts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: this.#firstLine + low, column: offset - (this.#lineStarts[low] ?? 0) + 1 };
  }

  #readValue(depth: number): Located {
    this.#match(SPACE);
    const range = this.placeAt(this.#offset);
    const first = this.#text[this.#offset];
    if (depth > MAX_DEPTH) throw new JsonStop(`values are nested more than ${MAX_DEPTH} deep`, this.#offset);
    if (first === "[") return { kind: "list", items: this.#readItems(depth), range };
    if (first === "{") return { kind: "map", entries: this.#readEntries(depth), range };
    if (first === '"') return { kind: "scalar", value: this.#readString(), range };
    const scalar = this.#match(OTHER_SCALAR);
    if (scalar === undefined) throw new JsonStop(this.#expected("a value"), this.#offset);
    return { kind: "scalar", value: JSON.parse(scalar) as number | boolean | null, range };
  }

  #readItems(depth: number): Located[] {
    const items: Located[] = [];
    this.#offset += 1;
    if (this.#takes("]")) return items;
    for (;;) {
      items.push(this.#readValue(depth + 1));
      if (this.#takes("]")) return items;
      if (!this.#takes(",")) throw new JsonStop(this.#expected("a comma or ]"), this.#offset);
    }
  }

  #readEntries(depth: number): LocatedEntry[] {
    const entries: LocatedEntry[] = [];
    this.#offset += 1;
    if (this.#takes("}")) return entries;
    for (;;) {
      this.#match(SPACE);
      const keyRange = this.placeAt(this.#offset);
      if (this.#text[this.#offset] !== '"')
        throw new JsonStop(this.#expected("a key in double quotes"), this.#offset);
      const key = this.#readString();
      if (!this.#takes(":")) throw new JsonStop(this.#expected("a colon"), this.#offset);
      entries.push({ key, keyRange, value: this.#readValue(depth + 1) });
      if (this.#takes("}")) return entries;
      if (!this.#takes(",")) throw new JsonStop(this.#expected("a comma or }"), this.#offset);
    }
  }

  #readString(): string {
    const start = this.#offset;
    let end = start + 1;
    while (end < this.#text.length && this.#text[end] !== '"') end += this.#text[end] === "\\" ? 2 : 1;
    try {
      const value = JSON.parse(this.#text.slice(start, end + 1)) as string;
      this.#offset = end + 1;
      return value;
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      throw new JsonStop("a text in quotes does not end on its line, or has a wrong escape", start);
    }
  }

  #takes(character: string): boolean {
    this.#match(SPACE);
    if (this.#text[this.#offset] !== character) return false;
    this.#offset += 1;
    return true;
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#offset;
    const [found] = pattern.exec(this.#text) ?? [];
    if (found !== undefined) this.#offset += found.length;
    return found;
  }

  #expected(what: string): string {
    return this.#offset >= this.#text.length
      ? `it ends where ${what} is expected`
      : `${what} is expected here`;
  }
}
