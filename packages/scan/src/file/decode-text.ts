export interface DecodedText {
  readonly text: string;
  /** Names the first invalid place in the bytes; the text is whole all the same. */
  readonly fault?: string;
}

/**
 * Reads bytes as UTF-8, or as UTF-16 or UTF-32 where a byte order mark or the pattern of zero bytes says so.
 * Never gives up: anything that is not a character becomes U+FFFD, because a loader would show the rest to a model too.
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

/** The encoding of bytes with two or four to a character; undefined for UTF-8 and for anything that is not text. */
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

// ASCII in a wider encoding has a zero at every place but one of each two or four.
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
