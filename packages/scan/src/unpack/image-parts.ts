import { inflate } from "@skillet/kit/archive";
import { embeddedWords, type Left } from "./contents.ts";

export interface ImageParts {
  /** Where the picture ends; undefined if its structure is not parsed. */
  readonly end?: number | undefined;
  readonly metadata: string;
}

/** The words anywhere in a picture, and where it ends. */
export function imageParts(bytes: Uint8Array, format: string, left: Left): ImageParts {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (format === "PNG") return pngParts(buffer, left);
  const texts: string[] = [];
  const end = WALKS[format]?.(buffer, texts);
  texts.push(embeddedWords(buffer.subarray(0, end), left));
  return { end, metadata: joined(texts) };
}

/** Collects the texts of a picture that are more than runs of ASCII, and returns where it ends. */
type Walk = (buffer: Buffer, texts: string[]) => number | undefined;

const WALKS: Readonly<Record<string, Walk>> = { JPEG: walkJpeg, GIF: walkGif, WebP: walkWebp };

function joined(texts: readonly string[]): string {
  return texts.filter((text) => text !== "").join("\n");
}

/** The lines of UTF-8 that contain more than ASCII; plain ASCII lines are read with the whole picture. */
function foreignLines(data: Buffer): string {
  const lines = data.toString("utf8").replace(/<[^<>]{0,2000}>/g, "\n");
  return joined((lines.match(LINE) ?? []).filter((line) => /\p{L}/u.test(line.replace(ASCII, ""))));
}

const LINE = /[^\p{C}\ufffd]{6,}/gu;
const ASCII = /[ -~]+/g;

function pngParts(buffer: Buffer, left: Left): ImageParts {
  const words: string[] = [];
  let room = MAX_TEXT_BYTES;
  let end: number | undefined;
  for (let offset = 8; offset + 12 <= buffer.length && end === undefined; ) {
    const length = buffer.readUInt32BE(offset);
    const type = buffer.toString("latin1", offset + 4, offset + 8);
    const data = buffer.subarray(offset + 8, offset + 8 + length);
    if (type === "tEXt") words.push(data.toString("latin1").replaceAll("\0", ": "));
    else if (type === "zTXt" || type === "iTXt") {
      const text = packedText(data, type, room);
      if (text === undefined) left.leave("a text in the picture could not be unpacked, or is too long");
      else words.push(text);
      room = Math.max(1, room - (text ?? "").length);
    } else if (!PICTURE_CHUNK.test(type)) words.push(embeddedWords(data, left));
    offset += 12 + length;
    if (type === "IEND") end = offset;
  }
  return { end, metadata: joined(words) };
}

/** The chunks that affect the picture; all others serve only its author. */
const PICTURE_CHUNK =
  /^(?:IHDR|PLTE|IDAT|IEND|gAMA|cHRM|sRGB|iCCP|cICP|bKGD|pHYs|tRNS|sBIT|hIST|tIME|sPLT|acTL|fcTL|fdAT)$/;

/** Undefined if it is damaged or does not fit into the room that all texts of a picture share. */
function packedText(data: Buffer, type: "zTXt" | "iTXt", room: number): string | undefined {
  const keyEnd = data.indexOf(0);
  if (keyEnd === -1) return "";
  const key = data.toString("latin1", 0, keyEnd);
  const isPacked = type === "zTXt" || data[keyEnd + 1] === 1;
  let start = keyEnd + (type === "zTXt" ? 2 : 3);
  // An international text has a language and a translated key before it, each ended by a zero.
  for (let skip = 0; type === "iTXt" && skip < 2; skip++) start = data.indexOf(0, start) + 1;
  const body = data.subarray(start);
  if (!isPacked) return `${key}: ${body.toString("utf8")}`;
  const inflated = inflate(body, "zlib", { maxBytes: room });
  return "bytes" in inflated ? `${key}: ${Buffer.from(inflated.bytes).toString("utf8")}` : undefined;
}

const MAX_TEXT_BYTES = 1024 * 1024;

// Segment by segment, as a thumbnail in one of them has its own end marker.
function walkJpeg(buffer: Buffer, texts: string[]): number | undefined {
  for (let offset = 2; offset !== -1 && offset + 4 <= buffer.length; ) {
    const marker = buffer[offset] === 0xff ? (buffer[offset + 1] ?? 0) : -1;
    if (marker === 0xd9) return offset + 2;
    if (marker === -1) offset = buffer.indexOf(0xff, offset);
    else if (marker === 0xff) offset += 1;
    else if (marker <= 1 || (marker >= 0xd0 && marker <= 0xd8)) offset += 2;
    else {
      const end = offset + 2 + buffer.readUInt16BE(offset + 2);
      const data = buffer.subarray(offset + 4, end);
      if (marker === 0xfe) texts.push(data.toString("utf8"));
      else if (marker >= 0xe1 && marker <= 0xef) texts.push(foreignLines(data));
      offset = end;
    }
  }
  return buffer.length >= 2 && buffer.readUInt16BE(buffer.length - 2) === 0xffd9 ? buffer.length : undefined;
}

function walkGif(buffer: Buffer, texts: string[]): number | undefined {
  const tableBytes = (flags = 0): number => ((flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1));
  let offset = 13 + tableBytes(buffer[10]);
  while (offset < buffer.length) {
    const type = buffer[offset];
    const isComment = type === 0x21 && buffer[offset + 1] === 0xfe;
    if (type === 0x3b) return offset + 1;
    if (type === 0x21) offset += 2;
    else if (type === 0x2c) offset += 11 + tableBytes(buffer[offset + 9]);
    else return undefined;
    const blocks: Buffer[] = [];
    while (offset < buffer.length && buffer[offset] !== 0) {
      const start = offset + 1;
      offset = start + (buffer[offset] ?? 0);
      if (isComment) blocks.push(buffer.subarray(start, offset));
    }
    if (isComment) texts.push(Buffer.concat(blocks).toString("utf8"));
    offset++;
  }
  return undefined;
}

function walkWebp(buffer: Buffer, texts: string[]): number {
  const end = buffer.length >= 8 ? buffer.readUInt32LE(4) + 8 : 0;
  for (let offset = 12; offset + 8 <= Math.min(end, buffer.length); ) {
    const type = buffer.toString("latin1", offset, offset + 4);
    const length = buffer.readUInt32LE(offset + 4);
    if (/^(?:EXIF|XMP )$/.test(type))
      texts.push(foreignLines(buffer.subarray(offset + 8, offset + 8 + length)));
    offset += 8 + length + (length % 2);
  }
  return end;
}
