import { ASCII85, decodeBase85 } from "@skillet/shell";
import type { Fact } from "../fact/fact.ts";
import type { SkillFile } from "../file/skill-file.ts";
import type { ScanBudget } from "../text/scan-budget.ts";
import { anomalyOf, memberOf, type Unpacked } from "./unpacked.ts";

/** Reads a PDF as far as it goes without drawing it: what runs when it is opened, and the text of its streams. */
export function readPdf(file: SkillFile, budget: ScanBudget): Unpacked {
  const raw = Buffer.from(file.bytes.buffer, file.bytes.byteOffset, file.bytes.byteLength).toString("latin1");
  const facts: Fact[] = [];
  const unread = new Set<string>();
  if (/\/Encrypt\b/.test(raw)) {
    facts.push(anomalyOf(file, "encrypted-archive", "the document is encrypted"));
    unread.add("the document is encrypted");
  }
  const texts: string[] = [];
  const seen = [raw];
  let opaque = 0;
  let streams = 0;
  for (const { dictionary, start, end } of streamsOf(raw)) {
    if (++streams > MAX_STREAMS) {
      unread.add(`more than ${MAX_STREAMS} streams`);
      break;
    }
    const inflated = decodePdfStream(file.bytes.subarray(start, end), dictionary, budget);
    if (inflated === undefined) continue;
    if (!("bytes" in inflated)) {
      if (inflated.isBomb) facts.push(anomalyOf(file, "archive-bomb", inflated.fault));
      unread.add(`a stream: ${inflated.fault}`);
      continue;
    }
    const content = Buffer.from(inflated.bytes).toString("latin1");
    if (/\/Type\s{0,3}\/ObjStm/.test(dictionary)) seen.push(content);
    const shown = shownText(content);
    if (shown !== "") texts.push(shown);
    else if (/\]\s{0,3}TJ|>\s{0,3}Tj/.test(content)) opaque++;
  }
  for (const part of seen) facts.push(...activeParts(file, part));
  if (opaque > 0) unread.add("text drawn by glyph numbers was not decoded");
  texts.push(shownText(raw.slice(0, MAX_RAW_CHARACTERS)), documentStrings(raw.slice(0, MAX_RAW_CHARACTERS)));
  if (raw.length > MAX_RAW_CHARACTERS)
    unread.add("words outside of its streams were searched for only at its start");
  const text = texts.filter((part) => part !== "").join("\n");
  return {
    files: text === "" ? [] : [memberOf(file, "text.txt", Buffer.from(text))],
    facts: facts.slice(0, MAX_FACTS),
    ...(unread.size > 0 && { unread: [...unread].sort().join("; ") }),
  };
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

// A name may be written with `#4a` for a letter.
function activeParts(file: SkillFile, part: string): Fact[] {
  const plain = part.includes("#")
    ? part.replace(/#([0-9a-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    : part;
  return ACTIVE.filter(([pattern]) => pattern.test(plain)).map(([, detail]) =>
    anomalyOf(file, "active-document", detail),
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
  const lines: string[] = [];
  for (const match of content.matchAll(SHOWN)) {
    if (match[1] !== undefined) lines.push(unescapePdf(match[1]));
    else if (match[3] !== undefined) lines.push(hexadecimalText(match[3]));
    else
      lines.push(
        [...(match[2] ?? "").matchAll(STRINGS)].map((piece) => unescapePdf(piece[1] ?? "")).join(""),
      );
  }
  return lines.filter((line) => /[\x20-\x7e]{2}/.test(line)).join("\n");
}

// Codes of characters where all are printable; else numbers of glyphs, which only the font can tell.
function hexadecimalText(digits: string): string {
  const text = Buffer.from(digits.replace(/\s/g, ""), "hex").toString("latin1");
  return /^[\t\n\r -~]+$/.test(text) ? text : "";
}

// Titles, annotations and scripts outside of streams.
function documentStrings(raw: string): string {
  const found: string[] = [];
  for (const match of raw.matchAll(
    /\/(?:JS|URI|F|Title|Subject|Keywords|Contents|Author|Alt)\s{0,3}\(((?:[^()\\]|\\[\s\S]|\([^()]{0,500}\)){1,4000})\)/g,
  ))
    found.push(unescapePdf(match[1] ?? ""));
  return found.join("\n");
}

function unescapePdf(text: string): string {
  return text.replace(/\\(?:([0-7]{1,3})|([\s\S]))/g, (_, octal?: string, character?: string) => {
    if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8) & 255);
    return character === "n" || character === "r" ? "\n" : character === "\n" ? "" : (character ?? "");
  });
}

type Decoded = { readonly bytes: Uint8Array } | { readonly fault: string; readonly isBomb: boolean };

function decodePdfStream(bytes: Uint8Array, dictionary: string, budget: ScanBudget): Decoded | undefined {
  const names = plainNames(dictionary);
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

/** A dictionary without its strings, in which a name may stand as a decoy, and with `#44` in names as the letter it means. */
function plainNames(dictionary: string): string {
  return dictionary
    .replace(/\((?:[^()\\]|\\[\s\S]){0,500}\)/g, "()")
    .replace(/#([0-9a-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

const MAX_FILTERS = 4;
const PICTURE_FILTER = /\/(?:DCTDecode|DCT|JPXDecode|CCITTFaxDecode|CCF|JBIG2Decode)\b/;
const FILTER =
  /\/(FlateDecode|Fl|ASCIIHexDecode|AHx|ASCII85Decode|A85|LZWDecode|LZW|RunLengthDecode|RL|Crypt)\b/g;

function undo(filter: string, bytes: Uint8Array, budget: ScanBudget): Decoded {
  switch (filter) {
    case "FlateDecode":
    case "Fl":
      return budget.inflate(bytes, "zlib");
    case "ASCIIHexDecode":
    case "AHx":
      return { bytes: Buffer.from(latin1(bytes).replace(/>[\s\S]*$|\s/g, ""), "hex") };
    case "ASCII85Decode":
    case "A85":
      return { bytes: decodeAscii85(latin1(bytes)) };
    default:
      return { fault: `it is packed by ${filter}, which is not read`, isBomb: false };
  }
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
}

// Whatever else stands between the digits counts for nothing.
function decodeAscii85(text: string): Uint8Array {
  const digits = text.replace(/~>[\s\S]*$/, "").replace(/[^!-uz]/g, "");
  return decodeBase85(digits, ASCII85) ?? new Uint8Array();
}
