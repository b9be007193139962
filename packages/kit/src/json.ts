import type { Range } from "./diagnostics.ts";
import type { Located, LocatedEntry } from "./located.ts";

/** An object from a JSON document; read its keys with `fieldOf`, because `JSON.parse` leaves it a prototype. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Parses text or UTF-8 bytes; undefined, which is no JSON value, if they are not JSON. */
export function parseJson(input: string | Uint8Array | undefined): unknown {
  if (input === undefined) return undefined;
  try {
    const text = typeof input === "string" ? input : new TextDecoder("utf-8", { fatal: true }).decode(input);
    return JSON.parse(text);
  } catch (error) {
    // The decoder throws a TypeError for bytes that are not UTF-8.
    if (error instanceof SyntaxError || error instanceof TypeError) return undefined;
    throw error;
  }
}

export function parseJsonObject(input: string | Uint8Array | undefined): JsonObject | undefined {
  return asObject(parseJson(input));
}

export function isJsonObject(value: unknown): value is JsonObject {
  return (
    typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber)
  );
}

export function asObject(value: unknown): JsonObject | undefined {
  return isJsonObject(value) ? value : undefined;
}

/** The value of an own key, so that `constructor` or `__proto__` finds only what the document contains. */
export function fieldOf(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, key)
    ? (value as JsonObject)[key]
    : undefined;
}

/** Whether a value is nested so deeply that recursive code (`JSON.stringify`) could overflow the stack. */
export function isTooDeep(value: unknown, left: number = MAX_JSON_DEPTH): boolean {
  if (typeof value !== "object" || value === null) return false;
  return left === 0 || Object.values(value).some((one) => isTooDeep(one, left - 1));
}

/** Makes a value pass `isTooDeep`, by replacing deeper parts with a text that says so. */
export function cutDepth(value: unknown, left: number = MAX_JSON_DEPTH): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (left === 0) return `(left out: nested more than ${MAX_JSON_DEPTH} deep)`;
  if (Array.isArray(value)) return value.map((one) => cutDepth(one, left - 1));
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, cutDepth(one, left - 1)]));
}

export function textOf(value: unknown, key: string): string | undefined {
  const text = fieldOf(value, key);
  return typeof text === "string" && text !== "" ? text : undefined;
}

export function textsOf(value: unknown, key: string): readonly string[] {
  const texts = fieldOf(value, key);
  if (typeof texts === "string") return [texts];
  return Array.isArray(texts) ? texts.filter((item) => typeof item === "string") : [];
}

type Optional<Fields> = { readonly [Key in keyof Fields]: Fields[Key] | undefined };

/** Drops the fields that are undefined. */
export function present<Fields extends object>(fields: Optional<Fields>): Fields {
  const kept: Partial<Fields> = {};
  for (const key in fields) if (fields[key] !== undefined) kept[key] = fields[key];
  return kept as Fields;
}

export interface JsonFault {
  readonly problem: string;
  readonly range: Range;
}

/** Reads JSON into values with positions; keeps both entries of a repeated key. */
export function locateJson(
  text: string,
  { firstLine = 1 }: { readonly firstLine?: number } = {},
): { readonly root: Located } | { readonly fault: JsonFault } {
  return readDocument(new JsonReader<Located>(text, firstLine, LOCATED));
}

const LOCATED: Shape<Located> = {
  scalar: (value, _token, range) => ({ kind: "scalar", value, range }),
  list: (items, range) => ({ kind: "list", items, range }),
  map: (entries, range) => ({ kind: "map", entries, range }),
};

/** A number that would change if it were written back: too long, too large, or in another spelling. */
export class ExactNumber {
  readonly token: string;

  constructor(token: string) {
    this.token = token;
  }

  toJSON(): number {
    return Number(this.token);
  }
}

/**
 * Reads JSON that is written back later: objects have no prototype; numbers that JavaScript would change
 * become `ExactNumber`. A repeated key, as a bad merge leaves it, is a fault: `JSON.parse` would drop the
 * first.
 */
export function parseStrictJson(
  text: string,
): { readonly root: unknown; lineOf(object: object): number } | { readonly fault: JsonFault } {
  const lines = new WeakMap<object, number>();
  const reading = readDocument(
    new JsonReader<unknown>(text, 1, {
      scalar: (value, token) =>
        typeof value === "number" && JSON.stringify(value) !== token ? new ExactNumber(token) : value,
      list: (items) => items,
      map: (entries, { line }) => {
        const object: Record<string, unknown> = Object.create(null);
        for (const { key, keyRange, value } of entries) {
          if (key in object) throw new JsonStop(`the key ${JSON.stringify(key)} occurs twice`, keyRange);
          object[key] = value;
        }
        lines.set(object, line);
        return object;
      },
    }),
  );
  return "fault" in reading ? reading : { ...reading, lineOf: (object) => lines.get(object) ?? 1 };
}

interface Shape<Value> {
  scalar(value: string | number | boolean | null, token: string, range: Range): Value;
  list(items: readonly Value[], range: Range): Value;
  map(
    entries: readonly (Omit<LocatedEntry, "value" | "keyRange"> & { keyRange: Range; value: Value })[],
    range: Range,
  ): Value;
}

function readDocument<Value>(
  reader: JsonReader<Value>,
): { readonly root: Value } | { readonly fault: JsonFault } {
  try {
    return { root: reader.readDocument() };
  } catch (error) {
    if (!(error instanceof JsonStop)) throw error;
    return { fault: { problem: error.message, range: error.range } };
  }
}

class JsonStop extends Error {
  readonly range: Range;

  constructor(problem: string, range: Range) {
    super(problem);
    this.range = range;
  }
}

/** Deeper than any document of ours or of other tools; the reader is recursive. */
export const MAX_JSON_DEPTH = 64;
const SPACE = /[ \t\r\n]*/y;
const LITERAL = /true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;

/** `JSON.parse` reports no positions of values, and since Node 20 not always that of a fault. */
class JsonReader<Value> {
  readonly #text: string;
  readonly #shape: Shape<Value>;
  #offset = 0;
  // Counted incrementally: counting from the start for each value would be quadratic.
  #line: number;
  #lineStart = 0;
  #lineEnd: number;

  constructor(text: string, firstLine: number, shape: Shape<Value>) {
    this.#text = text;
    this.#lineEnd = endOfLine(text, 0);
    this.#line = firstLine;
    this.#shape = shape;
  }

  readDocument(): Value {
    const root = this.#readValue(0);
    this.#match(SPACE);
    if (this.#offset < this.#text.length) throw this.#stop("something follows the end of the document");
    return root;
  }

  #readValue(depth: number): Value {
    this.#match(SPACE);
    if (depth > MAX_JSON_DEPTH) throw this.#stop(`values are nested more than ${MAX_JSON_DEPTH} deep`);
    const range = this.#here();
    const first = this.#text[this.#offset];
    if (first === "[") return this.#shape.list(this.#readItems(depth), range);
    if (first === "{") return this.#shape.map(this.#readEntries(depth), range);
    if (first === '"') return this.#shape.scalar(this.#readString(), "", range);
    const token = this.#match(LITERAL);
    if (token === undefined) throw this.#expected("a value");
    return this.#shape.scalar(JSON.parse(token) as number | boolean | null, token, range);
  }

  #readItems(depth: number): Value[] {
    const items: Value[] = [];
    this.#offset += 1;
    if (this.#takes("]")) return items;
    do items.push(this.#readValue(depth + 1));
    while (this.#takes(","));
    if (!this.#takes("]")) throw this.#expected("a comma or ]");
    return items;
  }

  #readEntries(depth: number): { key: string; keyRange: Range; value: Value }[] {
    const entries: { key: string; keyRange: Range; value: Value }[] = [];
    this.#offset += 1;
    if (this.#takes("}")) return entries;
    do {
      this.#match(SPACE);
      const keyRange = this.#here();
      if (this.#text[this.#offset] !== '"') throw this.#expected("a key in double quotes");
      const key = this.#readString();
      if (!this.#takes(":")) throw this.#expected("a colon");
      entries.push({ key, keyRange, value: this.#readValue(depth + 1) });
    } while (this.#takes(","));
    if (!this.#takes("}")) throw this.#expected("a comma or }");
    return entries;
  }

  #readString(): string {
    const start = this.#here();
    let end = this.#offset + 1;
    for (; this.#text[end] !== '"'; end += this.#text[end] === "\\" ? 2 : 1)
      if (end >= this.#text.length) throw new JsonStop("a string has no closing quote", start);
    const token = this.#text.slice(this.#offset, end + 1);
    this.#offset = end + 1;
    try {
      return JSON.parse(token) as string;
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      throw new JsonStop("a text has a line break, another control character or an unknown escape", start);
    }
  }

  #takes(mark: string): boolean {
    this.#match(SPACE);
    if (this.#text[this.#offset] !== mark) return false;
    this.#offset += 1;
    return true;
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#offset;
    const [found] = pattern.exec(this.#text) ?? [];
    if (found !== undefined) this.#offset += found.length;
    return found;
  }

  #here(): Range {
    for (; this.#lineEnd < this.#offset; this.#lineEnd = endOfLine(this.#text, this.#lineStart)) {
      this.#line += 1;
      this.#lineStart = this.#lineEnd + 1;
    }
    return { line: this.#line, column: this.#offset - this.#lineStart + 1 };
  }

  #expected(what: string): JsonStop {
    const isEnd = this.#offset >= this.#text.length;
    return this.#stop(isEnd ? `the text ends where ${what} is expected` : `${what} is expected here`);
  }

  #stop(problem: string): JsonStop {
    return new JsonStop(problem, this.#here());
  }
}

function endOfLine(text: string, start: number): number {
  const end = text.indexOf("\n", start);
  return end === -1 ? text.length : end;
}
