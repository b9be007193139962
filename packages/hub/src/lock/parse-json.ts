/**
 * A JSON text as read: objects have no prototype, the line on which each object begins is known, and numbers that
 * JavaScript would change are kept as they are written.
 */
export type ParsedJson =
  | { readonly ok: true; readonly value: unknown; lineOf(object: object): number }
  | { readonly ok: false; readonly problem: string; readonly line: number };

/** A number that would read differently if it were written back: too long, too large, or in another spelling. */
export class ExactNumber {
  /** As it stands in the text. */
  readonly token: string;

  constructor(token: string) {
    this.token = token;
  }

  toJSON(): number {
    return Number(this.token);
  }
}

const MAX_DEPTH = 64;
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;

/**
 * Reads JSON strictly: a key that occurs twice in an object is a fault, because `JSON.parse` would silently drop the
 * first, which a merge that went wrong leaves behind.
 */
export function parseJson(text: string): ParsedJson {
  const reader = new JsonReader(text);
  try {
    const value = reader.readDocument();
    return { ok: true, value, lineOf: (object) => reader.lines.get(object) ?? 1 };
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
    return { ok: false, problem: error.message, line: reader.lineAt(error.offset) };
  }
}

/** Whether a value is an object that `parseJson` made or could have made. */
export function isJsonObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return (
    typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber)
  );
}

class JsonFault extends Error {
  readonly offset: number;

  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}

class JsonReader {
  readonly lines: WeakMap<object, number> = new WeakMap();
  readonly #text: string;
  #offset = 0;
  // Lines are counted as the reader advances: counting from the start for each object would be quadratic.
  #line = 1;
  #counted = 0;

  constructor(text: string) {
    this.#text = text;
  }

  readDocument(): unknown {
    const value = this.#readValue(0);
    this.#skipSpace();
    if (this.#offset < this.#text.length) throw this.#fault("something follows the end of the document");
    return value;
  }

  lineAt(offset: number): number {
    let line = 1;
    for (let at = this.#text.indexOf("\n"); at !== -1 && at < offset; at = this.#text.indexOf("\n", at + 1))
      line += 1;
    return line;
  }

  #readValue(depth: number): unknown {
    if (depth > MAX_DEPTH) throw this.#fault(`more than ${MAX_DEPTH} levels of nesting`);
    this.#skipSpace();
    const next = this.#text[this.#offset];
    if (next === "{") return this.#readObject(depth);
    if (next === "[") return this.#readList(depth);
    if (next === '"') return this.#readString();
    for (const [word, value] of WORDS) {
      if (!this.#text.startsWith(word, this.#offset)) continue;
      this.#offset += word.length;
      return value;
    }
    return this.#readNumber();
  }

  #readObject(depth: number): unknown {
    const object: Record<string, unknown> = Object.create(null);
    this.lines.set(object, this.#currentLine());
    this.#offset += 1;
    if (this.#take("}")) return object;
    do {
      this.#skipSpace();
      if (this.#text[this.#offset] !== '"') throw this.#fault("a key in quotes is missing");
      const at = this.#offset;
      const key = this.#readString();
      if (key in object) throw new JsonFault(`the key ${JSON.stringify(key)} occurs twice`, at);
      if (!this.#take(":")) throw this.#fault("a colon is missing");
      object[key] = this.#readValue(depth + 1);
    } while (this.#take(","));
    if (!this.#take("}")) throw this.#fault("a comma or } is missing");
    return object;
  }

  #readList(depth: number): unknown {
    const list: unknown[] = [];
    this.#offset += 1;
    if (this.#take("]")) return list;
    do list.push(this.#readValue(depth + 1));
    while (this.#take(","));
    if (!this.#take("]")) throw this.#fault("a comma or ] is missing");
    return list;
  }

  #readString(): string {
    const start = this.#offset;
    let end = start + 1;
    for (; this.#text[end] !== '"'; end += this.#text[end] === "\\" ? 2 : 1)
      if (end >= this.#text.length) throw this.#fault("a text has no end");
    this.#offset = end + 1;
    const token = this.#text.slice(start, end + 1);
    try {
      return JSON.parse(token) as string;
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      throw new JsonFault("a text has a control character or an unknown escape", start);
    }
  }

  #readNumber(): number | ExactNumber {
    NUMBER.lastIndex = this.#offset;
    const token = NUMBER.exec(this.#text)?.[0];
    if (token === undefined)
      throw this.#fault(this.#offset < this.#text.length ? "no JSON value" : "the text ends too early");
    this.#offset += token.length;
    const value = Number(token);
    return JSON.stringify(value) === token ? value : new ExactNumber(token);
  }

  #take(mark: string): boolean {
    this.#skipSpace();
    if (this.#text[this.#offset] !== mark) return false;
    this.#offset += 1;
    return true;
  }

  #skipSpace(): void {
    for (; ; this.#offset += 1) {
      const unit = this.#text.charCodeAt(this.#offset);
      if (unit !== 0x20 && unit !== 0x0a && unit !== 0x0d && unit !== 0x09) return;
    }
  }

  #currentLine(): number {
    for (; this.#counted < this.#offset; this.#counted += 1)
      if (this.#text.charCodeAt(this.#counted) === 0x0a) this.#line += 1;
    return this.#line;
  }

  #fault(message: string): JsonFault {
    return new JsonFault(message, this.#offset);
  }
}

const WORDS: readonly (readonly [string, unknown])[] = [
  ["true", true],
  ["false", false],
  ["null", null],
];
