import { ASCII85, decodeBase85 } from "@skillet/shell";
import type { ScanBudget } from "../text/scan-budget.ts";
import { type Contents, latin1 } from "./contents.ts";

/** Reads a PDF as far as possible without rendering it: what runs on opening, and the text of its streams. */
export function readPdf(inside: Contents, budget: ScanBudget): void {
  const { bytes } = inside.file;
  const raw = latin1(bytes);
  if (/\/Encrypt\b/.test(raw)) {
    inside.note("encrypted-archive", "the document is encrypted");
    inside.leave("the document is encrypted");
  }
  const texts: string[] = [];
  const active = new Set(activeParts(raw));
  let streams = 0;
  for (const { dictionary, start, end } of streamsOf(raw)) {
    if (++streams > MAX_STREAMS) {
      inside.leave(`more than ${MAX_STREAMS} streams`);
      break;
    }
    const inflated = decodePdfStream(bytes.subarray(start, end), dictionary, budget);
    if (inflated === undefined) continue;
    if (!("bytes" in inflated)) {
      if (inflated.isBomb && inside.facts.length < MAX_FACTS) inside.note("archive-bomb", inflated.fault);
      inside.leave(`a stream: ${inflated.fault}`);
      continue;
    }
    const content = latin1(inflated.bytes);
    if (/\/Type\s{0,3}\/ObjStm/.test(dictionary)) for (const part of activeParts(content)) active.add(part);
    const shown = shownText(content);
    texts.push(shown);
    if (shown === "" && /\]\s{0,3}TJ|>\s{0,3}Tj/.test(content))
      inside.leave("text drawn by glyph numbers was not decoded");
  }
  for (const detail of active) inside.note("active-document", detail);
  const start = raw.slice(0, MAX_RAW_CHARACTERS);
  const strings = Array.from(start.matchAll(DOCUMENT_STRING), ([, text = ""]) => unescapePdf(text));
  texts.push(shownText(start), strings.join("\n"));
  if (raw.length > MAX_RAW_CHARACTERS)
    inside.leave("words outside of its streams were searched for only at its start");
  inside.add("text.txt", texts.filter((part) => part !== "").join("\n"));
}

const MAX_RAW_CHARACTERS = 4 * 1024 * 1024;
const MAX_FACTS = 20;
const MAX_STREAMS = 5_000;
const MAX_DICTIONARY_CHARACTERS = 1_000;

function* streamsOf(raw: string): Iterable<{ dictionary: string; start: number; end: number }> {
  let at = raw.indexOf("stream");
  while (at !== -1) {
    const start = raw[at + 6] === "\r" ? at + 8 : at + 7;
    const end = raw.indexOf("endstream", start);
    if (end === -1) return;
    // Within a window: looking back to the start for each of thousands of streams would take minutes.
    const window = raw.slice(Math.max(0, at - MAX_DICTIONARY_CHARACTERS), at);
    const dictionary = window.slice(Math.max(0, window.lastIndexOf("obj")));
    yield { dictionary, start, end };
    at = raw.indexOf("stream", end + 9);
  }
}

function activeParts(part: string): readonly string[] {
  const names = plainNames(part);
  return ACTIVE.flatMap(([pattern, detail]) => (pattern.test(names) ? [detail] : []));
}

// A name may spell a letter as `#4a`.
function plainNames(text: string): string {
  return text.replace(/#([0-9a-f]{2})/gi, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}

const ACTIVE: readonly (readonly [RegExp, string])[] = [
  [/\/JavaScript\b|\/JS\s{0,3}[(<\d]/, "the document runs JavaScript"],
  [/\/Launch\b/, "the document starts a program"],
  [/\/EmbeddedFiles?\b/, "the document carries a file"],
  [/\/(?:SubmitForm|ImportData)\b/, "the document sends a form"],
  [/\/XFA\b/, "the document holds an XFA form"],
];

const STRINGS = /\(((?:[^()\\]|\\[\s\S]){1,2000})\)/g;
const SHOWN =
  /\(((?:[^()\\]|\\[\s\S]){1,2000})\)\s{0,3}(?:Tj|'|")|\[((?:[^[\]]){1,20000})\]\s{0,3}TJ|<([0-9a-f\s]{4,8000})>\s{0,3}(?:Tj|'|")/gi;

function shownText(content: string): string {
  const lines = Array.from(content.matchAll(SHOWN), ([, shown, pieces = "", digits]) => {
    if (digits !== undefined) return hexadecimalText(digits);
    if (shown !== undefined) return unescapePdf(shown);
    return Array.from(pieces.matchAll(STRINGS), ([, piece = ""]) => unescapePdf(piece)).join("");
  });
  return lines.filter((line) => /[\x20-\x7e]{2}/.test(line)).join("\n");
}

// Character codes if all are printable; otherwise glyph numbers, which only the font can decode.
function hexadecimalText(digits: string): string {
  const text = Buffer.from(digits.replace(/\s/g, ""), "hex").toString("latin1");
  return /^[\t\n\r -~]+$/.test(text) ? text : "";
}

const DOCUMENT_STRING =
  /\/(?:JS|URI|F|Title|Subject|Keywords|Contents|Author|Alt)\s{0,3}\(((?:[^()\\]|\\[\s\S]|\([^()]{0,500}\)){1,4000})\)/g;

function unescapePdf(text: string): string {
  return text.replace(/\\(?:([0-7]{1,3})|([\s\S]))/g, (_, octal?: string, character?: string) => {
    if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8) & 255);
    return character === "n" || character === "r" ? "\n" : character === "\n" ? "" : (character ?? "");
  });
}

type Decoded = { readonly bytes: Uint8Array } | { readonly fault: string; readonly isBomb: boolean };

function decodePdfStream(bytes: Uint8Array, dictionary: string, budget: ScanBudget): Decoded | undefined {
  // Without its strings, in which a name may be a decoy.
  const names = plainNames(dictionary.replace(/\((?:[^()\\]|\\[\s\S]){0,500}\)/g, "()"));
  if (/\/Subtype\s{0,3}\/Image/.test(names) || PICTURE_FILTER.test(names)) return undefined;
  const from = names.search(/\/(?:Filter|F)\b/);
  if (from === -1) return undefined;
  const filters = Array.from(names.slice(from).matchAll(FILTER), (match) => match[1] ?? "");
  if (filters.length === 0) return undefined;
  let current: Uint8Array = bytes;
  for (const filter of filters.slice(0, MAX_FILTERS)) {
    const decoded = undo(filter, current, budget);
    if (!("bytes" in decoded)) return decoded;
    current = decoded.bytes;
  }
  return { bytes: current };
}

const MAX_FILTERS = 4;
const PICTURE_FILTER = /\/(?:DCTDecode|DCT|JPXDecode|CCITTFaxDecode|CCF|JBIG2Decode)\b/;
const FILTER =
  /\/(FlateDecode|Fl|ASCIIHexDecode|AHx|ASCII85Decode|A85|LZWDecode|LZW|RunLengthDecode|RL|Crypt)\b/g;

function undo(filter: string, bytes: Uint8Array, budget: ScanBudget): Decoded {
  if (filter.startsWith("Fl")) return budget.inflate(bytes, "zlib");
  if (filter === "ASCIIHexDecode" || filter === "AHx")
    return { bytes: Buffer.from(latin1(bytes).replace(/>[\s\S]*$|\s/g, ""), "hex") };
  if (filter !== "ASCII85Decode" && filter !== "A85")
    return { fault: `it is packed by ${filter}, which is not read`, isBomb: false };
  // Other characters between the digits are ignored.
  const digits = latin1(bytes)
    .replace(/~>[\s\S]*$/, "")
    .replace(/[^!-uz]/g, "");
  return { bytes: decodeBase85(digits, ASCII85) ?? new Uint8Array() };
}
