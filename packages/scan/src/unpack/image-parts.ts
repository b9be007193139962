import { inflate } from "@skillet/kit/archive";
import { embeddedWords } from "./embedded-words.ts";

export interface ImageParts {
  /** Where the picture ends; undefined where its structure is not followed. */
  readonly end?: number;
  readonly metadata: string;
  readonly unread?: string;
}

export function imageParts(bytes: Uint8Array, format: string): ImageParts {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (format === "PNG") return pngParts(buffer);
  if (format === "JPEG") return jpegParts(buffer);
  if (format === "GIF") return gifParts(buffer);
  if (format === "WebP") return webpParts(buffer);
  return { metadata: embeddedWords(buffer) };
}

function pngParts(buffer: Buffer): ImageParts {
  const words: string[] = [];
  let unread: string | undefined;
  let room = MAX_TEXT_BYTES;
  for (let offset = 8; offset + 12 <= buffer.length; ) {
    const length = buffer.readUInt32BE(offset);
    const type = buffer.toString("latin1", offset + 4, offset + 8);
    const data = buffer.subarray(offset + 8, offset + 8 + length);
    if (type === "tEXt") words.push(data.toString("latin1").replaceAll("\0", ": "));
    else if (type === "zTXt" || type === "iTXt") {
      const text = packedText(data, type, room);
      if (text === undefined) unread = "a text in the picture could not be unpacked, or is too long";
      else words.push(text);
      room = Math.max(1, room - (text ?? "").length);
    } else if (!PICTURE_CHUNK.test(type)) words.push(embeddedWords(data));
    offset += 12 + length;
    if (type === "IEND") return withReason({ end: offset, metadata: joined(words) }, unread);
  }
  return withReason({ metadata: joined(words) }, unread);
}

function withReason(parts: ImageParts, unread: string | undefined): ImageParts {
  return unread === undefined ? parts : { ...parts, unread };
}

/** The parts that draw; anything else serves only its author. */
const PICTURE_CHUNK =
  /^(?:IHDR|PLTE|IDAT|IEND|gAMA|cHRM|sRGB|iCCP|cICP|bKGD|pHYs|tRNS|sBIT|hIST|tIME|sPLT|acTL|fcTL|fdAT)$/;

/** Undefined where it is damaged or longer than there is room, which all texts of a picture share. */
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

function jpegParts(buffer: Buffer): ImageParts {
  const words: string[] = [];
  let offset = 2;
  while (offset + 4 <= buffer.length) {
    if (buffer[offset] !== 0xff) {
      const next = buffer.indexOf(0xff, offset);
      if (next === -1) break;
      offset = next;
      continue;
    }
    const marker = buffer[offset + 1] ?? 0;
    if (marker === 0xd9) return { end: offset + 2, metadata: joined(words) };
    if (marker === 0xff) offset += 1;
    else if (marker === 0 || marker === 1 || (marker >= 0xd0 && marker <= 0xd8)) offset += 2;
    else {
      const length = buffer.readUInt16BE(offset + 2);
      if (marker === 0xfe) words.push(buffer.toString("utf8", offset + 4, offset + 2 + length));
      // Exif, XMP, IPTC and what applications put there; colour profiles hold a copyright and numbers.
      else if (marker >= 0xe1 && marker <= 0xef && marker !== 0xe2)
        words.push(embeddedWords(buffer.subarray(offset + 4, offset + 2 + length)));
      offset += 2 + length;
    }
  }
  const isEnded = buffer.length >= 2 && buffer.readUInt16BE(buffer.length - 2) === 0xffd9;
  return { ...(isEnded && { end: buffer.length }), metadata: joined(words) };
}

function gifParts(buffer: Buffer): ImageParts {
  const words: string[] = [];
  const flags = buffer[10] ?? 0;
  let offset = 13 + ((flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1));
  while (offset < buffer.length) {
    const type = buffer[offset];
    if (type === 0x3b) return { end: offset + 1, metadata: joined(words) };
    if (type === 0x21) {
      const isComment = buffer[offset + 1] === 0xfe;
      const { end, text } = subBlocks(buffer, offset + 2);
      if (isComment) words.push(text);
      offset = end;
    } else if (type === 0x2c) {
      const local = buffer[offset + 9] ?? 0;
      offset = subBlocks(buffer, offset + 11 + ((local & 0x80) === 0 ? 0 : 3 * 2 ** ((local & 7) + 1))).end;
    } else break;
  }
  return { metadata: joined(words) };
}

function webpParts(buffer: Buffer): ImageParts {
  const end = buffer.length >= 8 ? buffer.readUInt32LE(4) + 8 : 0;
  const words: string[] = [];
  for (let offset = 12; offset + 8 <= Math.min(end, buffer.length); ) {
    const type = buffer.toString("latin1", offset, offset + 4);
    const length = buffer.readUInt32LE(offset + 4);
    if (!/^(?:VP8[ LX]|ALPH|ANIM|ANMF|ICCP)$/.test(type))
      words.push(embeddedWords(buffer.subarray(offset + 8, offset + 8 + length)));
    offset += 8 + length + (length % 2);
  }
  return { end, metadata: joined(words) };
}

function subBlocks(buffer: Buffer, start: number): { end: number; text: string } {
  const parts: string[] = [];
  let offset = start;
  while (offset < buffer.length) {
    const length = buffer[offset] ?? 0;
    offset++;
    if (length === 0) break;
    parts.push(buffer.toString("latin1", offset, offset + length));
    offset += length;
  }
  return { end: offset, text: parts.join("") };
}

function joined(words: readonly string[]): string {
  return words.filter((word) => word !== "").join("\n");
}
