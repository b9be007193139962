import { type FileKind, isLanguage, kindByName, type Language, type SkillFile } from "./file-kind.ts";
import { guessLanguage, shebangLanguage } from "./guess-language.ts";
import { magicOf } from "./magic.ts";

/** Identifies a file by its mode and signature, then its `#!` line, then its name, then the look of its text. */
export function identifyFile(file: SkillFile): FileKind {
  if (file.mode === "120000") return "link";
  if (file.bytes.length === 0) return "empty";
  const named = kindByName(file.path);
  const magic = magicOf(file.bytes);
  // A text that merely begins like an image is still text to any program that loads it by name.
  if (magic !== undefined && !(named !== undefined && isLanguage(named) && looksLikeText(file.bytes)))
    return magic.format === "zip" ? zipKind(file) : magic.kind;
  const head = decodeText(file.bytes.subarray(0, HEAD_BYTES)).text;
  const shebang = shebangLanguage(head);
  if (shebang !== undefined && (named === undefined || !isDocument(named))) return shebang;
  if (named !== undefined && isLanguage(named)) return named === "text" ? textKind(head) : named;
  if (!looksLikeText(file.bytes)) return named ?? "binary";
  return guessLanguage(head);
}

export function looksLikeText(bytes: Uint8Array): boolean {
  if (wideEncodingOf(bytes) !== undefined) return true;
  const sample = bytes.subarray(0, HEAD_BYTES);
  let odd = 0;
  for (const byte of sample) {
    if (byte === 0) odd += 8;
    else if (byte < 32 && !(byte >= 7 && byte <= 13) && byte !== 27) odd++;
    else if (byte === 0x7f) odd++;
  }
  if (odd * 20 > sample.length) return false;
  const replaced = decodeText(sample).text.split("\ufffd").length - 1;
  return replaced * 10 <= sample.length;
}

const HEAD_BYTES = 4096;

// A document may begin with a shebang as a specimen; its own loader still reads it as a document.
function isDocument(kind: FileKind): boolean {
  return kind === "markdown" || kind === "html" || kind === "json" || kind === "yaml";
}

function zipKind(file: SkillFile): FileKind {
  if (kindByName(file.path) === "office") return "office";
  const head = Buffer.from(file.bytes.subarray(0, HEAD_BYTES)).toString("latin1");
  const isOffice =
    (head.includes("[Content_Types].xml") && /word\/|xl\/|ppt\//.test(head)) ||
    head.includes("mimetypeapplication/");
  return isOffice ? "office" : "archive";
}

// `.txt`, `.example`, `LICENSE`: the name says text, but the content may still be a program.
function textKind(head: string): Language {
  const guessed = guessLanguage(head);
  return guessed === "shell" || guessed === "python" || guessed === "powershell" || guessed === "batch"
    ? guessed
    : "text";
}

export interface DecodedText {
  readonly text: string;
  /** Names the first invalid place in the bytes; the text is complete all the same. */
  readonly fault?: string;
}

/**
 * Reads bytes as UTF-8, or as UTF-16 or UTF-32 if a byte order mark or the pattern of zero bytes says so.
 * Invalid bytes become U+FFFD instead of an error, because a loader would show the rest to a model too.
 */
export function decodeText(bytes: Uint8Array): DecodedText {
  const wide = wideEncodingOf(bytes);
  if (wide !== undefined) return decodeWide(bytes, wide);
  try {
    return { text: STRICT.decode(bytes) };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const text = LENIENT.decode(bytes);
    const line = text.slice(0, text.indexOf("\ufffd")).split("\n").length;
    return { text, fault: `line ${line} is not valid UTF-8` };
  }
}

/** The encoding of bytes with two or four per character; undefined for UTF-8 and for anything that is not text. */
export function wideEncodingOf(bytes: Uint8Array): WideEncoding | undefined {
  const [a, b, c, d] = bytes;
  if (a === 0xff && b === 0xfe) return c === 0 && d === 0 && bytes.length >= 8 ? "utf-32le" : "utf-16le";
  if (a === 0xfe && b === 0xff) return "utf-16be";
  if (a === 0 && b === 0 && c === 0xfe && d === 0xff) return "utf-32be";
  return encodingByZeros(bytes);
}

export type WideEncoding = "utf-16le" | "utf-16be" | "utf-32le" | "utf-32be";

const STRICT: InstanceType<typeof TextDecoder> = new TextDecoder("utf-8", { fatal: true });
const LENIENT: InstanceType<typeof TextDecoder> = new TextDecoder("utf-8");
const SAMPLE_BYTES = 1024;

// ASCII in a wider encoding has zeros in all but one of each two or four bytes.
function encodingByZeros(bytes: Uint8Array): WideEncoding | undefined {
  if (bytes.length < 16) return undefined;
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  if (!sample.includes(0)) return undefined;
  const zeros = [0, 0, 0, 0];
  const units = Math.floor(sample.length / 4);
  for (let index = 0; index < units * 4; index++)
    if (sample[index] === 0) zeros[index % 4] = (zeros[index % 4] ?? 0) + 1;
  const [first = 0, second = 0, third = 0, fourth = 0] = zeros.map((count) => count / units);
  if (first < 0.1 && second > 0.9 && third > 0.9 && fourth > 0.9) return "utf-32le";
  if (first > 0.9 && second > 0.9 && third > 0.9 && fourth < 0.1) return "utf-32be";
  if (first < 0.1 && third < 0.1 && second > 0.6 && fourth > 0.6) return "utf-16le";
  if (first > 0.6 && third > 0.6 && second < 0.1 && fourth < 0.1) return "utf-16be";
  return undefined;
}

function decodeWide(bytes: Uint8Array, encoding: WideEncoding): DecodedText {
  const text = encoding.startsWith("utf-16")
    ? new TextDecoder(encoding).decode(bytes)
    : decodeFourByteUnits(bytes, { littleEndian: encoding === "utf-32le" });
  const bad = text.indexOf("\ufffd");
  if (bad === -1) return { text };
  return { text, fault: `character ${bad} is not valid ${encoding.toUpperCase()}` };
}

function decodeFourByteUnits(bytes: Uint8Array, { littleEndian }: { littleEndian: boolean }): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const parts: string[] = [];
  for (let offset = 0; offset + 4 <= bytes.length; offset += 4) {
    const point = view.getUint32(offset, littleEndian);
    if (offset === 0 && point === 0xfeff) continue;
    parts.push(
      point > 0x10ffff || (point >= 0xd800 && point < 0xe000) ? "\ufffd" : String.fromCodePoint(point),
    );
  }
  if (bytes.length % 4 !== 0) parts.push("\ufffd");
  return parts.join("");
}
