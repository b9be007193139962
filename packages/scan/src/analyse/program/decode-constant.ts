import { inflate, type Packing } from "@skillet/kit/archive";
import { ASCII85, BASE85, decodeBase32, decodeBase85, rotate13 } from "@skillet/shell";
import { guessLanguage } from "../../file/guess-language.ts";
import { wordSet } from "../../word-list.ts";
import type { Site } from "./machine.ts";
import {
  encodingsOf,
  knownText,
  MAX_FOLDED_CHARACTERS,
  taintsOf,
  textValue,
  unionTaints,
  unknownWith,
  type Value,
} from "./value.ts";

export type Encoding = Packing | Digits | Closed | "rot13" | "percent" | "utf8";
type Digits = "base64" | "base32" | "base85" | "ascii85" | "hex";
/** Encodings whose text is not decoded here. */
type Closed = "bzip2" | "lzma" | "marshal";

export function decodeConstant(text: string, encoding: Encoding): string | undefined {
  if (text.length > 4 * MAX_FOLDED_CHARACTERS) return undefined;
  const decoded = DECODERS[encoding]?.(text);
  return decoded === undefined || decoded.length > MAX_FOLDED_CHARACTERS ? undefined : decoded;
}

export function decodeUtf8(text: string): string {
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) > 0xff) return text;
  const decoded = Buffer.from(text, "latin1").toString("utf8");
  return decoded.includes("\u{fffd}") ? text : decoded;
}

const DECODERS: Readonly<Partial<Record<Encoding, (text: string) => string | undefined>>> = {
  base64: (text) =>
    /^[A-Za-z0-9+/=_\s-]*$/.test(text) ? Buffer.from(text, "base64").toString("latin1") : undefined,
  base32: (text) => decodeBase32(text)?.toString("latin1"),
  base85: (text) => decodeBase85(text.replace(/\s/g, ""), BASE85)?.toString("latin1"),
  ascii85: (text) => decodeBase85(text.replace(/^<~|~>$|\s/g, ""), ASCII85)?.toString("latin1"),
  hex: (text) => {
    const digits = text.replace(/\s/g, "");
    return /^(?:[0-9a-fA-F]{2})*$/.test(digits) ? Buffer.from(digits, "hex").toString("latin1") : undefined;
  },
  zlib: unpack("zlib"),
  gzip: unpack("gzip"),
  deflate: unpack("deflate"),
  brotli: unpack("brotli"),
  rot13: rotate13,
  percent: (text) =>
    text.replace(
      /%u([0-9a-fA-F]{4})|%([0-9a-fA-F]{2})/g,
      (_, wide: string | undefined, byte: string | undefined) =>
        String.fromCharCode(Number.parseInt(wide ?? byte ?? "0", 16)),
    ),
  utf8: decodeUtf8,
};

// Truncated data too: a program still runs the part that it can read.
function unpack(packing: Packing): (text: string) => string | undefined {
  const options = { maxBytes: MAX_FOLDED_CHARACTERS, allowCut: true };
  return (text) => {
    const inflated = inflate(Buffer.from(text, "latin1"), packing, options);
    return "bytes" in inflated ? Buffer.from(inflated.bytes).toString("latin1") : undefined;
  };
}

export function decodedValue(site: Site, data: Value, encoding: Encoding): Value {
  const constant = knownText(data);
  const taints = taintsOf(data);
  if (encoding === "utf8")
    return constant === undefined ? unknownWith(taints) : { ...data, text: decodeUtf8(constant) };
  const text = constant === undefined ? undefined : decodeConstant(constant, encoding);
  // Ordinary addresses contain an escape or two; a text that is mostly escapes is hiding.
  if (encoding === "percent" && (constant === undefined || !isMostlyEscaped(constant)))
    return text === undefined ? unknownWith(taints) : textValue(text, taints);
  const shown = text === undefined || !isReadable(text) ? {} : { text: decodeUtf8(text).slice(0, 2_000) };
  // Loaders normally unpack a file before it runs; encoded text in the program is hiding.
  const isDirect =
    text !== undefined ||
    !PACKERS.has(encoding) ||
    taints.some((taint) => taint.isDirect && taint.source.type === "decoded");
  const taint = { ...site.taint({ type: "decoded", encoding, ...shown }), isDirect };
  const known = unionTaints(taints, [taint]);
  if (text === undefined) return unknownWith(known);
  const plain = decodeUtf8(text);
  if (plain.length >= 12 && isReadable(plain)) site.text(plain, guessLanguage(plain), [encoding]);
  return { ...textValue(text, known), isBuilt: true, isBytes: true };
}

const PACKERS: ReadonlySet<string> = wordSet("zlib gzip deflate brotli bzip2 lzma marshal");

function isMostlyEscaped(text: string): boolean {
  const escapes = text.split("%").length - 1;
  return text.length >= 12 && escapes * 6 > text.length;
}

/** Shorter texts cannot contain a command with an address. */
const MIN_CHARACTERS = 16;

/** A model follows what a program prints, returns or writes, even if nothing runs it here. */
export function recordHiddenText(site: Site, value: Value): string | undefined {
  if (value.text === undefined || value.text.length < MIN_CHARACTERS) return undefined;
  if (value.isRearranged !== true && encodingsOf(value.taints).length === 0) return undefined;
  const known = knownText(value);
  const text = known === undefined ? undefined : decodeUtf8(known);
  const { recorder } = site.machine;
  if (text === undefined || !isReadable(text) || recorder.holds(text)) return undefined;
  if (!recorder.hasHanded(text)) site.text(text, guessLanguage(text), ["decoded by the program"]);
  return text;
}

function isReadable(text: string): boolean {
  const end = Math.min(text.length, 512);
  let odd = 0;
  for (let index = 0; index < end; index++) {
    const code = text.charCodeAt(index);
    if (code === 0xfffd) return false;
    if (code < 0x20 && !(code >= 0x09 && code <= 0x0d)) odd++;
  }
  return odd * 20 < end;
}
