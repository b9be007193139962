import { addTo } from "../word-list.ts";
import type { FileKind } from "./file-kind.ts";

export interface Magic {
  readonly kind: FileKind;
  readonly format: string;
}

/** The format by signature alone; undefined if no signature is known, as for plain text. */
export function magicOf(bytes: Uint8Array): Magic | undefined {
  const [first] = bytes;
  if (first === undefined) return undefined;
  for (const { signature, isSure, kind, format } of SIGNATURES.get(first) ?? [])
    if (
      startsWith(bytes, signature, 0) &&
      (isSure || bytes.subarray(0, 512).includes(0)) &&
      CHECKS[format]?.(bytes) !== false
    )
      return { kind, format };
  if (startsWith(bytes, "ustar", 257)) return { kind: "archive", format: "tar" };
  if (startsWith(bytes, "ftyp", 4)) return mediaBox(bytes);
  if (isPythonBytecode(bytes)) return { kind: "bytecode", format: "pyc" };
  if (startsWith(bytes, "CD001", 32_769)) return { kind: "archive", format: "iso" };
  return undefined;
}

function startsWith(bytes: Uint8Array, expected: string, offset: number): boolean {
  if (bytes.length < offset + expected.length) return false;
  for (let index = 0; index < expected.length; index++)
    if (bytes[offset + index] !== expected.charCodeAt(index)) return false;
  return true;
}

interface Signature extends Magic {
  readonly signature: string;
  readonly isSure: boolean;
}

/** By first byte. A text may begin with letters too, so those with `?` need a byte that is never in a text. */
const SIGNATURES: ReadonlyMap<number, readonly Signature[]> = signatures({
  archive: {
    zip: ["PK\x03\x04", "PK\x05\x06", "PK\x07\x08"],
    gzip: ["\x1f\x8b\x08"],
    bzip2: ["BZh"],
    xz: ["\xfd7zXZ\0"],
    "7z": ["7z\xbc\xaf\x27\x1c"],
    rar: ["Rar!\x1a\x07"],
    zstd: ["\x28\xb5\x2f\xfd"],
    lz4: ["\x04\x22\x4d\x18"],
    cab: ["?MSCF"],
    ar: ["!<arch>\n"],
    rpm: ["\xed\xab\xee\xdb"],
    xar: ["?xar!"],
  },
  office: { "compound document": ["\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"], rtf: ["{\\rtf"] },
  pdf: { PDF: ["%PDF-"] },
  image: {
    PNG: ["\x89PNG\r\n\x1a\n"],
    JPEG: ["\xff\xd8\xff"],
    GIF: ["GIF87a", "GIF89a"],
    BMP: ["BM"],
    TIFF: ["II*\0", "MM\0*"],
    ICO: ["\0\0\x01\0"],
    PSD: ["?8BPS"],
    WebP: ["RIFF"],
  },
  media: {
    WAVE: ["RIFF"],
    AVI: ["RIFF"],
    Ogg: ["?OggS"],
    FLAC: ["?fLaC"],
    MP3: ["?ID3", "?\xff\xfb", "?\xff\xf3"],
    MIDI: ["?MThd"],
    Matroska: ["\x1a\x45\xdf\xa3"],
  },
  font: {
    OpenType: ["?OTTO"],
    WOFF: ["?wOFF"],
    WOFF2: ["?wOF2"],
    "TrueType collection": ["?ttcf"],
    TrueType: ["\0\x01\0\0\0"],
  },
  bytecode: { "Java class": ["\xca\xfe\xba\xbe"], "Lua bytecode": ["\x1bLua"] },
  executable: {
    ELF: ["\x7fELF"],
    PE: ["?MZ"],
    "Mach-O": [..."\xce\xcf"]
      .flatMap((end) => [`\xfe\xed\xfa${end}`, `${end}\xfa\xed\xfe`])
      .concat("\xca\xfe\xba\xbe"),
    WebAssembly: ["\0asm"],
    Dalvik: ["dex\n0"],
  },
  shortcut: { "Windows shortcut": ["L\0\0\0\x01\x14\x02\0"] },
  binary: { SQLite: ["SQLite format 3\0"], "binary property list": ["bplist00"] },
});

function signatures(
  table: Partial<Readonly<Record<FileKind, Readonly<Record<string, readonly string[]>>>>>,
): Map<number, Signature[]> {
  const groups = new Map<number, Signature[]>();
  for (const [kind, formats] of Object.entries(table) as [FileKind, Record<string, string[]>][])
    for (const [format, written] of Object.entries(formats))
      for (const one of written) {
        const isSure = !one.startsWith("?");
        const signature = isSure ? one : one.slice(1);
        addTo(groups, signature.charCodeAt(0), { kind, format, signature, isSure });
      }
  return groups;
}

const CHECKS: Readonly<Record<string, (bytes: Uint8Array) => boolean>> = {
  bzip2: (bytes) => bytes[4] === 0x31 && bytes[5] === 0x41,
  BMP: (bytes) => bytes[6] === 0 && bytes[7] === 0,
  ICO: (bytes) => (bytes[4] ?? 0) > 0,
  WebP: (bytes) => startsWith(bytes, "WEBP", 8),
  WAVE: (bytes) => startsWith(bytes, "WAVE", 8),
  AVI: (bytes) => startsWith(bytes, "AVI ", 8),
  // A universal Mach-O has the same signature, but a count of architectures instead of a version (45 or more).
  "Java class": (bytes) => (bytes[6] ?? 0) * 256 + (bytes[7] ?? 0) >= 45,
};

function mediaBox(bytes: Uint8Array): Magic | undefined {
  const brand = String.fromCharCode(...bytes.subarray(8, 12));
  if (/^(?:avif|avis|heic|heix|mif1)$/.test(brand)) return { kind: "image", format: "HEIF" };
  return bytes[0] === 0 ? { kind: "media", format: "MP4" } : undefined;
}

// CPython writes a version number, then CR and LF; numbers so far are between 3000 and 3700.
function isPythonBytecode(bytes: Uint8Array): boolean {
  if (bytes.length < 16 || bytes[2] !== 0x0d || bytes[3] !== 0x0a) return false;
  const version = (bytes[0] ?? 0) + 256 * (bytes[1] ?? 0);
  return (version >= 3000 && version < 4000) || (version >= 62_000 && version < 62_300);
}
