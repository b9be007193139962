import { inflate } from "@skillet/kit/archive";
import { MAX_VALUE_CHARACTERS, mergeSources, unknown, type Value } from "../model/value.ts";

export type Encoding = "base64" | "base32" | "hex" | "gzip" | "reversed" | "rot13" | "ascii85";

/** Bytes are kept as one character each, so that compressed data inside base64 survives. */
export function decodeValue(value: Value, encoding: Encoding): Value {
  const text = value.isKnown ? undo(value.text, encoding) : undefined;
  const decoded = {
    type: "decoded",
    encoding,
    ...(text === undefined ? {} : { text: text.slice(0, 4096) }),
  } as const;
  const sources = mergeSources(value.sources, [decoded]);
  return text === undefined || text === ""
    ? unknown(sources)
    : { text: text.slice(0, MAX_VALUE_CHARACTERS), isKnown: text.length <= MAX_VALUE_CHARACTERS, sources };
}

function undo(text: string, encoding: Encoding): string | undefined {
  switch (encoding) {
    case "base64":
      return /[^A-Za-z0-9+/=_\s-]/.test(text) ? undefined : readable(Buffer.from(text, "base64"));
    case "base32":
      return decodeBase32(text)?.toString("utf8");
    case "hex":
      return readable(Buffer.from(hexDigits(text), "hex"));
    case "gzip":
      return unpack(Buffer.from(text, "latin1"));
    case "reversed":
      return text
        .split("\n")
        .map((line) => [...line].reverse().join(""))
        .join("\n");
    case "rot13":
      return rotate13(text);
    case "ascii85":
      return decodeBase85(text.replace(/\s/g, ""), ASCII85)?.toString("utf8");
  }
}

// Compressed bytes are not UTF-8, and decoding them as such would destroy them.
function readable(bytes: Buffer): string {
  const isCompressed = bytes[0] === 0x1f || bytes[0] === 0x78;
  return isCompressed ? bytes.toString("latin1") : bytes.toString("utf8");
}

// `xxd` dumps have an offset before the digits and the text after them.
function hexDigits(text: string): string {
  return text
    .split("\n")
    .map((line) =>
      line
        .replace(/^[0-9a-f]{8}:/i, "")
        .replace(/ {2}.*$/, "")
        .replace(/\\x|0x|[^0-9a-f]/gi, ""),
    )
    .join("");
}

/** The bytes of base32; undefined if it contains any other character. */
export function decodeBase32(text: string): Buffer | undefined {
  const bytes: number[] = [];
  let buffer = 0;
  let size = 0;
  for (const letter of text.replace(/[\s=]/g, "").toUpperCase()) {
    const value = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(letter);
    if (value === -1) return undefined;
    buffer = ((buffer << 5) | value) & 0xfff;
    size += 5;
    if (size < 8) continue;
    size -= 8;
    bytes.push((buffer >> size) & 0xff);
  }
  return Buffer.from(bytes);
}

export const BASE85 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~";
export const ASCII85: string = Array.from({ length: 85 }, (_, index) => String.fromCharCode(33 + index)).join(
  "",
);

/** The bytes of base85 in an alphabet; undefined if it contains any other character. */
export function decodeBase85(text: string, alphabet: string): Buffer | undefined {
  const values = new Map(Array.from(alphabet, (character, index) => [character, index]));
  const bytes: number[] = [];
  let group: number[] = [];
  for (const character of text) {
    if (character === "z" && alphabet === ASCII85 && group.length === 0) {
      bytes.push(0, 0, 0, 0);
      continue;
    }
    const value = values.get(character);
    if (value === undefined) return undefined;
    group.push(value);
    if (group.length < 5) continue;
    bytes.push(...bytesOf(group));
    group = [];
  }
  if (group.length === 1) return undefined;
  if (group.length > 1)
    bytes.push(...bytesOf([...group, 84, 84, 84, 84].slice(0, 5)).slice(0, group.length - 1));
  return Buffer.from(bytes);
}

function bytesOf(group: readonly number[]): number[] {
  const number = group.reduce((sum, value) => sum * 85 + value, 0) % 2 ** 32;
  return [Math.floor(number / 2 ** 24) & 255, (number >>> 16) & 255, (number >>> 8) & 255, number & 255];
}

function unpack(bytes: Buffer): string | undefined {
  for (const packing of ["gzip", "zlib", "deflate"] as const) {
    const inflated = inflate(bytes, packing, { maxBytes: MAX_VALUE_CHARACTERS });
    if ("bytes" in inflated) return Buffer.from(inflated.bytes).toString("utf8");
  }
  // Not in this format, or longer than the bound: either way it stays unknown.
  return undefined;
}

export function rotate13(text: string): string {
  return text.replace(/[a-z]/gi, (letter) => {
    const start = letter <= "Z" ? 65 : 97;
    return String.fromCharCode(((letter.charCodeAt(0) - start + 13) % 26) + start);
  });
}

/** Decodes the argument of PowerShell's `-EncodedCommand`: base64 of UTF-16. */
export function decodePowershellArgument(argument: Value): Value {
  const source = { type: "decoded", encoding: "base64 of UTF-16" } as const;
  if (!/^[A-Za-z0-9+/=\s]{8,}$/.test(argument.text)) return unknown([...argument.sources, source]);
  const bytes = Buffer.from(argument.text, "base64");
  const isWide = bytes.length > 3 && bytes[1] === 0;
  const text = bytes.toString(isWide ? "utf16le" : "utf8");
  return { text, isKnown: true, sources: [...argument.sources, { ...source, text: text.slice(0, 4096) }] };
}
