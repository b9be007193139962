import type { FileKind } from "./file-kind.ts";

export interface Magic {
  readonly kind: FileKind;
  readonly format: string;
}

/** The format by signature alone; undefined where no signature is known, as for every plain text. */
export function magicOf(bytes: Uint8Array): Magic | undefined {
  const first = bytes[0];
  if (first === undefined) return undefined;
  for (const signature of SIGNATURES_BY_FIRST_BYTE.get(first) ?? []) {
    if (!startsWith(bytes, signature.bytes, 0)) continue;
    if (signature.check !== undefined && !signature.check(bytes)) continue;
    return { kind: signature.kind, format: signature.format };
  }
  if (startsWith(bytes, USTAR, 257)) return { kind: "archive", format: "tar" };
  if (startsWith(bytes, FTYP, 4)) return mediaBox(bytes);
  if (isPythonBytecode(bytes)) return { kind: "bytecode", format: "pyc" };
  if (startsWith(bytes, ISO, 32_769)) return { kind: "archive", format: "iso" };
  return undefined;
}

interface Signature extends Magic {
  readonly bytes: readonly number[];
  readonly check?: (bytes: Uint8Array) => boolean;
}

function ascii(text: string): readonly number[] {
  return [...text].map((character) => character.charCodeAt(0));
}

function startsWith(bytes: Uint8Array, expected: readonly number[], offset: number): boolean {
  if (bytes.length < offset + expected.length) return false;
  return expected.every((byte, index) => bytes[offset + index] === byte);
}

// Letters alone are also how a text may begin: these need a byte that no text has.
function holdsNul(bytes: Uint8Array): boolean {
  return bytes.subarray(0, 512).includes(0);
}

function riffType(type: string): (bytes: Uint8Array) => boolean {
  return (bytes) => startsWith(bytes, ascii(type), 8);
}

// A universal Mach-O and a Java class share a signature; a class has its version (45 or more) where the other counts architectures.
function isJavaClass(bytes: Uint8Array): boolean {
  return (bytes[6] ?? 0) * 256 + (bytes[7] ?? 0) >= 45;
}

const USTAR = ascii("ustar");
const FTYP = ascii("ftyp");
const ISO = ascii("CD001");

const SIGNATURES: readonly Signature[] = [
  { bytes: [0x50, 0x4b, 0x03, 0x04], kind: "archive", format: "zip" },
  { bytes: [0x50, 0x4b, 0x05, 0x06], kind: "archive", format: "zip" },
  { bytes: [0x50, 0x4b, 0x07, 0x08], kind: "archive", format: "zip" },
  { bytes: [0x1f, 0x8b, 0x08], kind: "archive", format: "gzip" },
  {
    bytes: [0x42, 0x5a, 0x68],
    kind: "archive",
    format: "bzip2",
    check: (bytes) => bytes[4] === 0x31 && bytes[5] === 0x41,
  },
  { bytes: [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00], kind: "archive", format: "xz" },
  { bytes: [0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c], kind: "archive", format: "7z" },
  { bytes: [0x52, 0x61, 0x72, 0x21, 0x1a, 0x07], kind: "archive", format: "rar" },
  { bytes: [0x28, 0xb5, 0x2f, 0xfd], kind: "archive", format: "zstd" },
  { bytes: [0x04, 0x22, 0x4d, 0x18], kind: "archive", format: "lz4" },
  { bytes: ascii("MSCF"), kind: "archive", format: "cab", check: holdsNul },
  { bytes: ascii("!<arch>\n"), kind: "archive", format: "ar" },
  { bytes: [0xed, 0xab, 0xee, 0xdb], kind: "archive", format: "rpm" },
  { bytes: ascii("xar!"), kind: "archive", format: "xar", check: holdsNul },
  { bytes: [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1], kind: "office", format: "compound document" },
  { bytes: ascii("{\\rtf"), kind: "office", format: "rtf" },
  { bytes: ascii("%PDF-"), kind: "pdf", format: "PDF" },
  { bytes: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a], kind: "image", format: "PNG" },
  { bytes: [0xff, 0xd8, 0xff], kind: "image", format: "JPEG" },
  { bytes: ascii("GIF87a"), kind: "image", format: "GIF" },
  { bytes: ascii("GIF89a"), kind: "image", format: "GIF" },
  { bytes: ascii("BM"), kind: "image", format: "BMP", check: (bytes) => bytes[6] === 0 && bytes[7] === 0 },
  { bytes: ascii("II*\0"), kind: "image", format: "TIFF" },
  { bytes: ascii("MM\0*"), kind: "image", format: "TIFF" },
  { bytes: [0x00, 0x00, 0x01, 0x00], kind: "image", format: "ICO", check: (bytes) => (bytes[4] ?? 0) > 0 },
  { bytes: ascii("8BPS"), kind: "image", format: "PSD", check: holdsNul },
  { bytes: ascii("RIFF"), kind: "image", format: "WebP", check: riffType("WEBP") },
  { bytes: ascii("RIFF"), kind: "media", format: "WAVE", check: riffType("WAVE") },
  { bytes: ascii("RIFF"), kind: "media", format: "AVI", check: riffType("AVI ") },
  { bytes: ascii("OggS"), kind: "media", format: "Ogg", check: holdsNul },
  { bytes: ascii("fLaC"), kind: "media", format: "FLAC", check: holdsNul },
  { bytes: ascii("ID3"), kind: "media", format: "MP3", check: holdsNul },
  { bytes: [0xff, 0xfb], kind: "media", format: "MP3", check: holdsNul },
  { bytes: [0xff, 0xf3], kind: "media", format: "MP3", check: holdsNul },
  { bytes: ascii("MThd"), kind: "media", format: "MIDI", check: holdsNul },
  { bytes: [0x1a, 0x45, 0xdf, 0xa3], kind: "media", format: "Matroska" },
  { bytes: ascii("OTTO"), kind: "font", format: "OpenType", check: holdsNul },
  { bytes: ascii("wOFF"), kind: "font", format: "WOFF", check: holdsNul },
  { bytes: ascii("wOF2"), kind: "font", format: "WOFF2", check: holdsNul },
  { bytes: ascii("ttcf"), kind: "font", format: "TrueType collection", check: holdsNul },
  { bytes: [0x00, 0x01, 0x00, 0x00, 0x00], kind: "font", format: "TrueType" },
  { bytes: [0x7f, 0x45, 0x4c, 0x46], kind: "executable", format: "ELF" },
  { bytes: ascii("MZ"), kind: "executable", format: "PE", check: holdsNul },
  { bytes: [0xfe, 0xed, 0xfa, 0xce], kind: "executable", format: "Mach-O" },
  { bytes: [0xfe, 0xed, 0xfa, 0xcf], kind: "executable", format: "Mach-O" },
  { bytes: [0xce, 0xfa, 0xed, 0xfe], kind: "executable", format: "Mach-O" },
  { bytes: [0xcf, 0xfa, 0xed, 0xfe], kind: "executable", format: "Mach-O" },
  { bytes: [0xca, 0xfe, 0xba, 0xbe], kind: "bytecode", format: "Java class", check: isJavaClass },
  { bytes: [0xca, 0xfe, 0xba, 0xbe], kind: "executable", format: "Mach-O" },
  { bytes: [0x00, 0x61, 0x73, 0x6d], kind: "executable", format: "WebAssembly" },
  { bytes: ascii("dex\n0"), kind: "executable", format: "Dalvik" },
  { bytes: [0x1b, 0x4c, 0x75, 0x61], kind: "bytecode", format: "Lua bytecode" },
  { bytes: [0x4c, 0x00, 0x00, 0x00, 0x01, 0x14, 0x02, 0x00], kind: "shortcut", format: "Windows shortcut" },
  { bytes: ascii("SQLite format 3\0"), kind: "binary", format: "SQLite" },
  { bytes: ascii("bplist00"), kind: "binary", format: "binary property list" },
];

const SIGNATURES_BY_FIRST_BYTE: ReadonlyMap<number, readonly Signature[]> = groupByFirstByte();

function groupByFirstByte(): Map<number, Signature[]> {
  const groups = new Map<number, Signature[]>();
  for (const signature of SIGNATURES) {
    const first = signature.bytes[0] ?? 0;
    groups.set(first, [...(groups.get(first) ?? []), signature]);
  }
  return groups;
}

function mediaBox(bytes: Uint8Array): Magic | undefined {
  const brand = String.fromCharCode(...bytes.subarray(8, 12));
  if (/^(?:avif|avis|heic|heix|mif1)$/.test(brand)) return { kind: "image", format: "HEIF" };
  return bytes[0] === 0 ? { kind: "media", format: "MP4" } : undefined;
}

// CPython writes a version number, then carriage return and line feed; numbers so far lie between 3000 and 3700.
function isPythonBytecode(bytes: Uint8Array): boolean {
  if (bytes.length < 16 || bytes[2] !== 0x0d || bytes[3] !== 0x0a) return false;
  const version = (bytes[0] ?? 0) + 256 * (bytes[1] ?? 0);
  return (version >= 3000 && version < 4000) || (version >= 62_000 && version < 62_300);
}
