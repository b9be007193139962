/** The entries and the note that an XML parser finds in the reference form, after any guidance. */
export interface ReadCatalog {
  readonly entries: readonly ReadEntry[];
  readonly note?: string;
}

interface ReadEntry {
  readonly name: string;
  readonly description?: string;
  readonly location?: string;
}

/** Reads the reference form as a conforming parser would, and throws on anything else. */
export function readCatalogXml(text: string): ReadCatalog {
  if (text === "") return { entries: [] };
  // Parsers normalise line ends before anything else: https://www.w3.org/TR/xml/#sec-line-ends
  const reader = new XmlReader(text.slice(text.indexOf("<available_skills>")).replace(/\r\n?/g, "\n"));
  const entries: ReadEntry[] = [];
  reader.expect("<available_skills>\n");
  while (reader.accept("<skill>\n")) {
    const name = reader.element("name");
    reader.expect("\n");
    const description = reader.optional("description");
    const location = reader.optional("location");
    reader.expect("</skill>\n");
    entries.push({
      name,
      ...(description !== undefined && { description }),
      ...(location !== undefined && { location }),
    });
  }
  const note = reader.optional("omitted");
  reader.expect("</available_skills>");
  reader.expectEnd();
  return { entries, ...(note === undefined ? {} : { note }) };
}

class XmlReader {
  readonly #text: string;
  #position = 0;

  constructor(text: string) {
    const forbidden = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/u.exec(text);
    if (forbidden !== null) throw new Error(`character not allowed in XML at ${forbidden.index}`);
    this.#text = text;
  }

  at(expected: string): boolean {
    return this.#text.startsWith(expected, this.#position);
  }

  accept(expected: string): boolean {
    if (!this.at(expected)) return false;
    this.#position += expected.length;
    return true;
  }

  expect(expected: string): void {
    if (this.accept(expected)) return;
    const found = this.#text.slice(this.#position, this.#position + 40);
    throw new Error(`expected ${JSON.stringify(expected)}, found ${JSON.stringify(found)}`);
  }

  expectEnd(): void {
    if (this.#position < this.#text.length) throw new Error("text after the end");
  }

  optional(name: string): string | undefined {
    if (!this.at(`<${name}>`)) return undefined;
    const value = this.element(name);
    this.expect("\n");
    return value;
  }

  /** The text of an element whose tags are on lines of their own. */
  element(name: string): string {
    this.expect(`<${name}>\n`);
    const end = this.#text.indexOf("<", this.#position);
    const value = decode(this.#text.slice(this.#position, end));
    this.#position = end;
    this.expect(`</${name}>`);
    if (!value.endsWith("\n")) throw new Error(`the value of ${name} does not end its line`);
    return value.slice(0, -1);
  }
}

const NAMED: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

function decode(text: string): string {
  return text.replace(/&([^;]{0,10};)?/g, (_, reference: string | undefined) => {
    const name = reference?.slice(0, -1) ?? "";
    const code = /^#x([0-9A-Fa-f]+)$/.exec(name)?.[1];
    const value = code === undefined ? NAMED[name] : String.fromCodePoint(Number.parseInt(code, 16));
    if (value === undefined) throw new Error(`no such reference: &${reference ?? ""}`);
    return value;
  });
}
