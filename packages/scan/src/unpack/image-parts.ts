import { inflate } from "@skillet/kit/archive";
import { embeddedWords } from "./printable-strings.ts";

export interface ImageParts {
  /** Where the picture ends; undefined where its structure is not followed. */
  readonly end?: number | undefined;
  readonly metadata: string;
  readonly unread?: string;
}

/** The words in a picture, wherever they stand, and where it ends. */
export function imageParts(bytes: Uint8Array, format: string): ImageParts {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (format === "PNG") return pngParts(buffer);
  const end = END_OF[format]?.(buffer);
  return { end, metadata: embeddedWords(buffer.subarray(0, end)) };
}

const END_OF: Readonly<Record<string, (buffer: Buffer) => number | undefined>> = {
  JPEG: jpegEnd,
  GIF: gifEnd,
  WebP: (buffer) => (buffer.length >= 8 ? buffer.readUInt32LE(4) + 8 : 0),
};

function pngParts(buffer: Buffer): ImageParts {
  const words: string[] = [];
  let unread: string | undefined;
  let room = MAX_TEXT_BYTES;
  let end: number | undefined;
  for (let offset = 8; offset + 12 <= buffer.length && end === undefined; ) {
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
    if (type === "IEND") end = offset;
  }
  const metadata = words.filter((word) => word !== "").join("\n");
  return { end, metadata, ...(unread !== undefined && { unread }) };
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

// By its parts: a thumbnail in one of them has an end of its own.
function jpegEnd(buffer: Buffer): number | undefined {
  for (let offset = 2; offset !== -1 && offset + 4 <= buffer.length; ) {
    const marker = buffer[offset] === 0xff ? (buffer[offset + 1] ?? 0) : -1;
    if (marker === 0xd9) return offset + 2;
    if (marker === -1) offset = buffer.indexOf(0xff, offset);
    else if (marker === 0xff) offset += 1;
    else if (marker <= 1 || (marker >= 0xd0 && marker <= 0xd8)) offset += 2;
    else offset += 2 + buffer.readUInt16BE(offset + 2);
  }
  return buffer.length >= 2 && buffer.readUInt16BE(buffer.length - 2) === 0xffd9 ? buffer.length : undefined;
}

function gifEnd(buffer: Buffer): number | undefined {
  const tableBytes = (flags = 0): number => ((flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1));
  let offset = 13 + tableBytes(buffer[10]);
  while (offset < buffer.length) {
    const type = buffer[offset];
    if (type === 0x3b) return offset + 1;
    if (type === 0x21) offset += 2;
    else if (type === 0x2c) offset += 11 + tableBytes(buffer[offset + 9]);
    else return undefined;
    while (offset < buffer.length && buffer[offset] !== 0) offset += 1 + (buffer[offset] ?? 0);
    offset++;
  }
  return undefined;
}
