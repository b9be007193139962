import type { ScanBudget } from "../text/scan-budget.ts";

type Decoded = { readonly bytes: Uint8Array } | { readonly fault: string; readonly isBomb: boolean };

/** Undoes the filters that the dictionary of a stream names, in their order; undefined for pictures and for what is not packed. */
export function decodePdfStream(
  bytes: Uint8Array,
  dictionary: string,
  budget: ScanBudget,
): Decoded | undefined {
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

function decodeAscii85(text: string): Uint8Array {
  const end = text.indexOf("~>");
  const output: number[] = [];
  let group: number[] = [];
  for (const character of end === -1 ? text : text.slice(0, end)) {
    const code = character.charCodeAt(0);
    if (character === "z" && group.length === 0) output.push(0, 0, 0, 0);
    if (code < 33 || code > 117) continue;
    group.push(code - 33);
    if (group.length < 5) continue;
    output.push(...wordOf(group));
    group = [];
  }
  if (group.length > 1) {
    const missing = 5 - group.length;
    output.push(...wordOf([...group, 84, 84, 84, 84].slice(0, 5)).slice(0, 4 - missing));
  }
  return Uint8Array.from(output);
}

function wordOf(group: readonly number[]): number[] {
  const value = group.reduce((sum, digit) => sum * 85 + digit, 0) % 2 ** 32;
  return [
    Math.floor(value / 2 ** 24),
    Math.floor(value / 65_536) % 256,
    Math.floor(value / 256) % 256,
    value % 256,
  ];
}
