import { createHash } from "node:crypto";
import { errorCode } from "../../error-code.ts";
import { readBoundedFile } from "../../files/read-bounded-file.ts";
import { writeAtomic } from "../../files/write-atomic.ts";
import { SkilletError } from "../../skillet-error.ts";
import type { Segment, SegmentPattern } from "./segment.ts";

// The file: a line of magic and checksum, a line of JSON padded to a multiple of eight, then arrays, each padded too.
// What is indexed changes with the code, so the number goes up with every change of documents, terms or weights.
const MAGIC = "skillet-selection-1";
const CHECKSUM_LINE = MAGIC.length + 1 + 64 + 1;
const ALIGNMENT = 8;

/** A hundred thousand skills take a quarter of it. */
const MAX_INDEX_BYTES = 1024 * 1024 * 1024;

const ARRAYS = {
  termUnits: Uint16Array,
  termStarts: Uint32Array,
  termSlots: Int32Array,
  headerCounts: Uint32Array,
  postingStarts: Uint32Array,
  postingSkills: Uint16Array,
  postingWeights: Uint8Array,
  clauseStarts: Uint32Array,
  clauseTerms: Uint32Array,
  gramStarts: Uint32Array,
  grams: Uint32Array,
} as const;

type ArrayName = keyof typeof ARRAYS;
const NAMES = Object.keys(ARRAYS) as ArrayName[];

interface Head {
  readonly segments: readonly {
    readonly keys: readonly string[];
    readonly patterns: readonly SegmentPattern[];
    readonly lengths: readonly number[];
  }[];
}

/** Reads an index; anything but a whole one of this very version is as good as none. */
export function readIndexFile(path: string): readonly Segment[] | undefined {
  const file = readIfThere(path);
  if (file === undefined || file.length < CHECKSUM_LINE) return undefined;
  const [magic, checksum] = Buffer.from(file.subarray(0, CHECKSUM_LINE - 1))
    .toString("latin1")
    .split(" ");
  // A torn write, a bad sector or another version: the skills are always there to be read again.
  if (magic !== MAGIC || checksum !== checksumOf([file.subarray(CHECKSUM_LINE)])) return undefined;
  const headEnd = file.indexOf(0x0a, CHECKSUM_LINE);
  const head = JSON.parse(Buffer.from(file.subarray(CHECKSUM_LINE, headEnd)).toString("utf8")) as Head;
  let offset = headEnd + 1;
  return head.segments.map(({ keys, patterns, lengths }) => {
    const view = <Kind extends ArrayName>(name: Kind): InstanceType<(typeof ARRAYS)[Kind]> => {
      const Kind = ARRAYS[name];
      const length = lengths[NAMES.indexOf(name)] ?? 0;
      const start = file.byteOffset + offset;
      offset += padded(length * Kind.BYTES_PER_ELEMENT);
      return new Kind(file.buffer as ArrayBuffer, start, length) as InstanceType<(typeof ARRAYS)[Kind]>;
    };
    // In the order of NAMES, because each view begins where the one before ended.
    return {
      keys,
      patterns,
      termUnits: view("termUnits"),
      termStarts: view("termStarts"),
      termSlots: view("termSlots"),
      headerCounts: view("headerCounts"),
      postingStarts: view("postingStarts"),
      postingSkills: view("postingSkills"),
      postingWeights: view("postingWeights"),
      clauseStarts: view("clauseStarts"),
      clauseTerms: view("clauseTerms"),
      gramStarts: view("gramStarts"),
      grams: view("grams"),
    };
  });
}

/** Writes an index in one step; a folder that cannot be written means no cache. */
export async function writeIndexFile(path: string, segments: readonly Segment[]): Promise<void> {
  const head: Head = {
    segments: segments.map((segment) => ({
      keys: segment.keys,
      patterns: segment.patterns,
      lengths: NAMES.map((name) => segment[name].length),
    })),
  };
  const json = JSON.stringify(head);
  const headBytes = CHECKSUM_LINE + Buffer.byteLength(json) + 1;
  const parts: Uint8Array[] = [Buffer.from(`${json}${" ".repeat(padded(headBytes) - headBytes)}\n`)];
  for (const segment of segments) {
    for (const name of NAMES) {
      const array = segment[name];
      parts.push(new Uint8Array(array.buffer, array.byteOffset, array.byteLength));
      parts.push(new Uint8Array(padded(array.byteLength) - array.byteLength));
    }
  }
  const first = Buffer.from(`${MAGIC} ${checksumOf(parts)}\n`);
  try {
    await writeAtomic(path, Buffer.concat([first, ...parts]), { mode: 0o600 });
  } catch (error) {
    // A cache that cannot be written must not stop anybody: the index is in memory.
    if (!SkilletError.isInstance(error)) throw error;
  }
}

function checksumOf(parts: readonly Uint8Array[]): string {
  const sum = createHash("sha256");
  for (const part of parts) sum.update(part);
  return sum.digest("hex");
}

function padded(bytes: number): number {
  return Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;
}

function readIfThere(path: string): Uint8Array | undefined {
  try {
    return readBoundedFile(path, { maxBytes: MAX_INDEX_BYTES });
  } catch (error) {
    if (SkilletError.isInstance(error) || errorCode(error) !== undefined) return undefined;
    throw error;
  }
}
