import { type Anomaly, type Fact, MAX_SNIPPET_CHARACTERS, placeIn } from "../fact/fact.ts";
import type { Language } from "../file/file-kind.ts";
import { guessLanguage } from "../file/guess-language.ts";
import type { ScanBudget } from "../text/scan-budget.ts";
import { type Derivation, LineIndex, linesOf, type SourceText } from "../text/source-text.ts";
import { wordSet } from "../word-list.ts";
import { type Blob, findBlobs, INFLATING, xorKeysIn } from "./find-blobs.ts";
import { findOpaqueRecipes } from "./find-opaque-recipes.ts";
import { findSpelled } from "./find-spelled.ts";
import { type Decoded, readableText, saysSomething } from "./readable-text.ts";

export interface EncodedTexts {
  readonly facts: Fact[];
  readonly texts: SourceText[];
  readonly unread?: string;
}

/** The texts that are encoded in a text; `unread` says why a bound or a format kept something from being decoded. */
export function findEncoded(source: SourceText, budget: ScanBudget): EncodedTexts {
  if (source.text.length < MIN_TEXT_CHARACTERS) return { facts: [], texts: [] };
  const search = new Search(source, budget);
  search.run();
  return search.result;
}

const MIN_TEXT_CHARACTERS = 12;

class Search {
  readonly #source: SourceText;
  readonly #budget: ScanBudget;
  readonly #lines: LineIndex;
  readonly #facts: Fact[] = [];
  readonly #texts: SourceText[] = [];
  readonly #seen = new Set<string>();
  readonly #known: Blob[] = [];
  // Needs the whole text, so it is evaluated only if the text contains a blob.
  #mayBeDeflated: boolean | undefined;
  #keys: readonly number[] | undefined;
  #unread: string | undefined;

  constructor(source: SourceText, budget: ScanBudget) {
    this.#source = source;
    this.#budget = budget;
    this.#lines = new LineIndex(source);
  }

  get result(): EncodedTexts {
    const unread = this.#unread === undefined ? {} : { unread: this.#unread };
    return { facts: this.#facts, texts: this.#texts, ...unread };
  }

  run(): void {
    for (const { offset, what, detail } of findPacked(this.#source)) this.#note(offset, what, detail);
    for (const blob of findBlobs(this.#source.text)) this.#readBlob(blob);
    for (const { offset, encoding, text } of findSpelled(this.#source))
      this.#addText(text, offset, [encoding]);
    for (const { offset, detail } of findOpaqueRecipes(this.#source, this.#known))
      this.#note(offset, "opaque-recipe", detail);
  }

  #readBlob(blob: Blob): void {
    const before = this.#source.text.slice(Math.max(0, blob.offset - 80), blob.offset);
    if (SOURCE_MAP.test(before)) return;
    const plain = this.#decode(blob.bytes);
    const isNoise =
      plain === undefined ||
      (plain.type === "text" && plain.packed.length === 0 && !saysSomething(plain.text, blob.encoding));
    if (!isNoise) this.#take(blob, plain, before);
    // A mask of few bits maps letters to letters, so readable text may still be masked.
    const keyed = isNoise || plain.type === "text" ? this.#readKeyed(blob) : undefined;
    if (keyed !== undefined) this.#take(blob, keyed, before);
  }

  #take(blob: Blob, decoded: Decoded, before: string): void {
    this.#known.push(blob);
    if (decoded.type === "refused") {
      this.#unread ??= `${blob.encoding} at line ${this.#lines.at(blob.offset)}: ${decoded.reason}`;
    } else if (decoded.type === "binary") this.#noteBinary(blob, decoded.magic.kind, decoded.magic.format);
    else this.#addText(decoded.text, blob.offset, [blob.encoding, ...decoded.packed], mimeLanguage(before));
  }

  #readKeyed({ bytes, encoding }: Blob): Decoded | undefined {
    this.#keys ??= xorKeysIn(this.#source.text);
    for (const key of this.#keys) {
      const decoded = this.#decode(bytes.map((byte) => byte ^ key));
      if (decoded?.type === "text" && saysSomething(decoded.text, encoding)) return decoded;
    }
    return undefined;
  }

  #decode(bytes: Uint8Array): Decoded | undefined {
    this.#mayBeDeflated ??= INFLATING.test(this.#source.text);
    return readableText(bytes, this.#budget, { mayBeDeflated: this.#mayBeDeflated });
  }

  #noteBinary({ offset, encoding }: Blob, kind: string, format: string): void {
    if (kind === "executable" || kind === "bytecode")
      this.#note(offset, "executable", `${format} in ${encoding}`);
    else if (kind === "archive")
      this.#unread ??= `${encoding} at line ${this.#lines.at(offset)} holds a ${format} archive that was not opened`;
  }

  #addText(text: string, offset: number, how: readonly string[], language?: Language): void {
    const trimmed = text.trim();
    if (
      trimmed.length < MIN_DECODED_CHARACTERS ||
      this.#seen.has(trimmed) ||
      trimmed === this.#source.text.trim()
    )
      return;
    this.#seen.add(trimmed);
    const { chain, medium } = this.#source;
    const line = this.#lines.at(offset);
    if (!this.#budget.allowsDepth(chain.length) || !this.#budget.takeDerived()) {
      this.#unread ??= `${how.join(", ")} at line ${line}: ${this.#budget.exhausted.join("; ")}`;
      return;
    }
    this.#texts.push({
      ...this.#source,
      text,
      language: language ?? guessLanguage(text),
      firstLine: line,
      keepsLines: false,
      chain: [...chain, ...how.map((step): Derivation => ({ how: step, line }))],
      medium: SEEN_MEDIA.has(medium) ? "hidden" : medium,
    });
  }

  #note(offset: number, what: Anomaly, detail: string): void {
    const snippet = this.#source.text.slice(offset, offset + MAX_SNIPPET_CHARACTERS).split("\n", 1)[0] ?? "";
    const place = placeIn(this.#source, this.#lines.at(offset), snippet);
    this.#facts.push({ ...place, kind: "anomaly", what, detail });
  }
}

const MIN_DECODED_CHARACTERS = 4;
const SOURCE_MAP = /sourceMappingURL=data:application\/json[^,\s]{0,40},$/;

// Media that users read: an encoded text there is one that the user does not see.
const SEEN_MEDIA: ReadonlySet<string> = wordSet("prose list table heading quote link comment inline-code");

function mimeLanguage(before: string): Language | undefined {
  const type = /data:([a-z]+\/[a-z0-9.+-]+)[^,\s]{0,40},$/i.exec(before)?.[1]?.toLowerCase();
  if (type === undefined) return undefined;
  if (type === "text/html") return "html";
  if (type === "image/svg+xml") return "svg";
  if (type.endsWith("javascript")) return "javascript";
  return type === "application/json" ? "json" : undefined;
}

interface PackedCode {
  readonly offset: number;
  readonly what: "packed-code" | "long-line";
  readonly detail: string;
}

function findPacked({ text, language }: SourceText): PackedCode[] {
  if (!CODE.has(language) || text.length < MIN_CHARACTERS) return [];
  for (const [name, hint, pattern, count] of MARKS) {
    if (!text.includes(hint)) continue;
    const found = Array.from(text.matchAll(pattern), ({ index }) => index);
    if (found.length >= count) return [{ offset: found[0] ?? 0, what: "packed-code", detail: name }];
  }
  const long = longLine(text);
  return long === undefined ? [] : [long];
}

const CODE: ReadonlySet<string> = wordSet("javascript typescript python powershell shell batch code html");
const MIN_CHARACTERS = 60;

/** The name, what to search for first, the pattern, and its minimum count: once is an accident. */
const MARKS: readonly (readonly [name: string, hint: string, pattern: RegExp, count: number])[] = [
  ["identifiers of a JavaScript obfuscator", "_0x", /\b_0x[0-9a-f]{4,6}\b/g, 12],
  ["the p,a,c,k,e,d packer", "function(p,a,c,k,e,", /eval\(function\(p,a,c,k,e,[dr]\)/g, 1],
  ["JSFuck", "[+[]]", /[[\]()!+]{200}/g, 1],
  ["AAEncode", "ﾟωﾟ", /ﾟωﾟﾉ/g, 1],
  ["JJEncode", "$=~[]", /\$=~\[\];/g, 1],
  ["PyArmor", "pyarmor", /__pyarmor__|pyarmor_runtime/g, 1],
  ["marshalled code", "marshal.loads", /\bexec\s{0,3}\([^\n]{0,120}marshal\.loads/g, 1],
  ["nested lambdas over compressed code", "__import__('zlib')", /__import__\('zlib'\)\.decompress/g, 1],
  ["identifiers of I, l and 1 only", "lI", /\b(?=[Il1]{8})[Il][Il1]{7,40}\b/g, 8],
  ["identifiers of O and 0 only", "O0", /\b[O][O0]{7,40}\b/g, 8],
  ["letters escaped with a caret", "^", /(?:[a-z]\^){5,}[a-z]/gi, 2],
  ["words broken by backticks", "`", /\b[a-z]{1,4}`[a-z]{1,4}`[a-z]{1,4}(?:`[a-z]{1,4})?\b/gi, 4],
];

const MIN_LONG_LINE = 4_000;
// Vendors' bundles name a licence or a source map, which says where readable code is.
const VENDOR = /\/\*!|@license|@preserve|\bcopyright\b|\blicen[sc]ed? under\b|sourceMappingURL=|\(c\) \d{4}/i;

function longLine(text: string): PackedCode | undefined {
  for (const { line, start, end } of linesOf(text, MIN_LONG_LINE)) {
    if (line.length < MIN_LONG_LINE || !isCode(line)) continue;
    const isVendors = VENDOR.test(text.slice(0, 4_000)) || VENDOR.test(text.slice(-1_000));
    const detail = `${end - start} characters of code in a line${isVendors ? ", with a licence or a source map" : ""}`;
    return { offset: start, what: "long-line", detail };
  }
  return undefined;
}

// A long literal (data, a picture) is not unread code, which contains punctuation throughout.
function isCode(line: string): boolean {
  const marks = line.match(/[(){};=]/g)?.length ?? 0;
  return marks > line.length / 25;
}
