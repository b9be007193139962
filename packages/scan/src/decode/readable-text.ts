import { inflate, type Packing } from "@skillet/kit/archive";
import { decodeText, wideEncodingOf } from "../file/identify-file.ts";
import { type Magic, magicOf } from "../file/magic.ts";
import type { ScanBudget } from "../text/scan-budget.ts";

export type Decoded =
  /** With the compressions that were undone on the way, such as `gzip`. */
  | { readonly type: "text"; readonly text: string; readonly packed: readonly string[] }
  | { readonly type: "binary"; readonly magic: Magic }
  | { readonly type: "refused"; readonly reason: string };

/** Reads decoded bytes as text, through compression; undefined for noise, which is most of what looks encoded. */
export function readableText(
  bytes: Uint8Array,
  budget: ScanBudget,
  { mayBeDeflated }: { readonly mayBeDeflated: boolean },
): Decoded | undefined {
  let current = bytes;
  const packed: string[] = [];
  for (let depth = 0; depth < MAX_PACKINGS; depth++) {
    const packing = packingOf(current) ?? (mayBeDeflated && isNoise(current) ? "deflate" : undefined);
    if (packing === undefined) break;
    const inflated = unpack(current, packing, budget);
    if (inflated === undefined) break;
    if (typeof inflated === "string") return { type: "refused", reason: inflated };
    packed.push(packing);
    current = inflated;
  }
  const magic = magicOf(current);
  if (magic !== undefined && current.length >= MIN_BINARY_BYTES) return { type: "binary", magic };
  const text = printableText(current);
  return text === undefined ? undefined : { type: "text", text, packed };
}

/** Bytes as text if nearly all of it is printable; also UTF-16, as PowerShell encodes its commands. */
function printableText(bytes: Uint8Array): string | undefined {
  if (bytes.length < 3) return undefined;
  // Most noise shows in its first bytes, so the rest need not be decoded.
  const sample = bytes.subarray(0, 48);
  const zeros = sample.filter((byte) => byte === 0).length;
  const odd = sample.filter((byte) => byte !== 0 && isOdd(byte)).length;
  if (odd > sample.length / 16 || (zeros > 0 && zeros < sample.length / 3)) return undefined;
  // Not a strict decoder: it throws, and throwing for every identifier of a large file takes seconds.
  const text =
    wideEncodingOf(bytes) === undefined
      ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8")
      : decodeText(bytes).text;
  if (bytes.length < 256 && text.includes("\ufffd")) return undefined;
  let bad = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === 0xfffd || (isOdd(code) && code !== 27)) bad++;
  }
  return bad * 20 <= text.length ? text : undefined;
}

function isOdd(code: number): boolean {
  return (code < 32 && code !== 9 && code !== 10 && code !== 13) || code === 127;
}

const MAX_PACKINGS = 4;
const MIN_BINARY_BYTES = 24;

function packingOf(bytes: Uint8Array): Packing | undefined {
  const [first = 0, second = 0] = bytes;
  if (first === 0x1f && second === 0x8b) return "gzip";
  if ((first & 0x0f) === 8 && first <= 0x78 && (first * 256 + second) % 31 === 0) return "zlib";
  return undefined;
}

// Raw deflate has no signature and is slow to try, so it is tried only if the text mentions it.
function isNoise(bytes: Uint8Array): boolean {
  return bytes.length >= 16 && printableText(bytes) === undefined && magicOf(bytes) === undefined;
}

function unpack(bytes: Uint8Array, packing: Packing, budget: ScanBudget): Uint8Array | string | undefined {
  const maxBytes = Math.max(1, Math.min(budget.bytesLeft, MAX_INFLATED_BYTES));
  const inflated = inflate(bytes, packing, { maxBytes });
  if ("bytes" in inflated) {
    if (packing === "deflate" && inflated.bytes.length < bytes.length / 2) return undefined;
    return budget.takeBytes(inflated.bytes.length)
      ? inflated.bytes
      : "it unpacks to more than may be unpacked";
  }
  // Not compressed after all, or damaged: the caller then uses the bytes themselves.
  if (!inflated.isBomb) return undefined;
  budget.takeBytes(maxBytes + 1);
  return inflated.fault;
}

const MAX_INFLATED_BYTES = 8 * 1024 * 1024;

/** Whether a decoded text has a meaning: chance produces printable characters, but no words. */
export function saysSomething(text: string, encoding: string): boolean {
  const sample = text.slice(0, 512);
  const ordinary = sample.replace(/[^A-Za-z0-9\s.,:;/'"()=_\-\p{L}]/gu, "").length;
  if (ordinary < sample.length * 0.7) return false;
  const words = sample.match(/\p{L}{3,}/gu) ?? [];
  if (words.length === 0) return false;
  if (/character codes|base32|base85|ascii85|z85/.test(encoding) || sample.length < 24)
    return isLikelyWord(words);
  return true;
}

// Number lists within the range of ASCII decode to noise such as "2<FPZd": real words have vowels and lower case.
function isLikelyWord(words: readonly string[]): boolean {
  return words.some(
    (word) => /\P{ASCII}/u.test(word) || (/[a-z]{3}|^[A-Z]{3,}$/.test(word) && /[aeiouy]/i.test(word)),
  );
}
