import { createHash } from "node:crypto";
import { lstatSync, rmSync } from "node:fs";
import { errorCode, SkilletError } from "@skillet/kit/errors";
import { readBoundedFile, writeAtomic } from "@skillet/kit/files";
import { fieldOf, parseJson } from "@skillet/kit/json";
import type { Segment, SegmentPattern } from "./segment.ts";

// The file: a line of magic and checksum, a line of JSON padded to a multiple of eight, then arrays, each padded too.
// What is indexed changes with the code, so the number goes up with every change of documents, terms or weights.
const MAGIC = "skillet-selection-3";
const OTHER_VERSION = /^skillet-selection-\d+$/;
const CHECKSUM_LINE = MAGIC.length + 1 + 64 + 1;

/** A hundred thousand skills take a quarter of it. */
const MAX_INDEX_BYTES = 1024 * 1024 * 1024;

/** Reads an index; anything but a whole one of this very version is as good as none, and `onDamaged` hears of a broken one. */
export function readIndexFile(path: string, onDamaged?: () => void): readonly Segment[] | undefined {
  const file = readIfThere(path);
  if (file === undefined) return undefined;
  const [magic = "", checksum] = Buffer.from(file.subarray(0, CHECKSUM_LINE - 1))
    .toString("latin1")
    .split(" ");
  if (OTHER_VERSION.test(magic) && magic !== MAGIC) return undefined;
  // A torn write or a bad sector: the skills are always there to be read again.
  if (magic !== MAGIC || checksum !== checksumOf([file.subarray(CHECKSUM_LINE)])) {
    onDamaged?.();
    return undefined;
  }
  const segments = viewSegments(file);
  if (segments === undefined) onDamaged?.();
  return segments;
}

function viewSegments(file: Uint8Array): readonly Segment[] | undefined {
  const headEnd = file.indexOf(0x0a, CHECKSUM_LINE);
  if (headEnd < 0 || (headEnd + 1) % ARRAYS.termStarts.BYTES_PER_ELEMENT !== 0) return undefined;
  const text = Buffer.from(file.subarray(CHECKSUM_LINE, headEnd)).toString("utf8");
  const head = parseHead(text, file.length - headEnd - 1);
  let offset = headEnd + 1;
  const segments = head?.segments.map(({ keys, patterns, lengths }) => {
    const view = <Kind extends ArrayName>(name: Kind): InstanceType<(typeof ARRAYS)[Kind]> => {
      const Kind = ARRAYS[name];
      const length = lengths[ARRAY_NAMES.indexOf(name)] ?? 0;
      const start = file.byteOffset + offset;
      offset += padded(length * Kind.BYTES_PER_ELEMENT);
      return new Kind(file.buffer as ArrayBuffer, start, length) as InstanceType<(typeof ARRAYS)[Kind]>;
    };
    // In the order of ARRAY_NAMES, because each view begins where the one before ended.
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
  return segments?.every(isWhole) === true ? segments : undefined;
}

/**
 * Writes an index in one step; a folder that cannot be written means no cache.
 *
 * A link in its place is replaced, never written through: what it leads to may be somebody else's.
 */
export async function writeIndexFile(path: string, segments: readonly Segment[]): Promise<void> {
  const head: IndexHead = {
    segments: segments.map((segment) => ({
      keys: segment.keys,
      patterns: segment.patterns,
      lengths: ARRAY_NAMES.map((name) => segment[name].length),
    })),
  };
  const json = JSON.stringify(head);
  const headBytes = CHECKSUM_LINE + Buffer.byteLength(json) + 1;
  const parts: Uint8Array[] = [Buffer.from(`${json}${" ".repeat(padded(headBytes) - headBytes)}\n`)];
  for (const segment of segments) {
    for (const name of ARRAY_NAMES) {
      const array = segment[name];
      parts.push(new Uint8Array(array.buffer, array.byteOffset, array.byteLength));
      parts.push(new Uint8Array(padded(array.byteLength) - array.byteLength));
    }
  }
  const first = Buffer.from(`${MAGIC} ${checksumOf(parts)}\n`);
  try {
    removeLink(path);
    await writeAtomic(path, Buffer.concat([first, ...parts]), { mode: 0o600, links: "refuse" });
  } catch (error) {
    // A cache that cannot be written must not stop anybody: the index is in memory.
    if (!SkilletError.isInstance(error) && errorCode(error) === undefined) throw error;
  }
}

function removeLink(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true) rmSync(path);
}

function checksumOf(parts: readonly Uint8Array[]): string {
  const sum = createHash("sha256");
  for (const part of parts) sum.update(part);
  return sum.digest("hex");
}

function readIfThere(path: string): Uint8Array | undefined {
  try {
    return readBoundedFile(path, { maxBytes: MAX_INDEX_BYTES });
  } catch (error) {
    if (SkilletError.isInstance(error) || errorCode(error) !== undefined) return undefined;
    throw error;
  }
}

/** The arrays of a segment, in the order in which an index has them. */
const ARRAYS: {
  readonly termUnits: Uint16ArrayConstructor;
  readonly termStarts: Uint32ArrayConstructor;
  readonly termSlots: Int32ArrayConstructor;
  readonly headerCounts: Uint32ArrayConstructor;
  readonly postingStarts: Uint32ArrayConstructor;
  readonly postingSkills: Uint16ArrayConstructor;
  readonly postingWeights: Uint8ArrayConstructor;
  readonly clauseStarts: Uint32ArrayConstructor;
  readonly clauseTerms: Uint32ArrayConstructor;
  readonly gramStarts: Uint32ArrayConstructor;
  readonly grams: Uint32ArrayConstructor;
} = {
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
};

type ArrayName = keyof typeof ARRAYS;
const ARRAY_NAMES: readonly ArrayName[] = Object.keys(ARRAYS) as ArrayName[];

interface IndexHead {
  readonly segments: readonly {
    readonly keys: readonly string[];
    readonly patterns: readonly SegmentPattern[];
    readonly lengths: readonly number[];
  }[];
}

const ALIGNMENT = 8;

/** The room of an array: views of numbers must begin at a multiple of their size. */
function padded(bytes: number): number {
  return Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;
}

/** The head that a text says, if all that it promises is there: whoever can write the file can write its checksum. */
function parseHead(text: string, arrayBytes: number): IndexHead | undefined {
  const head = parseJson(text);
  const segments = fieldOf(head, "segments");
  if (!Array.isArray(segments) || !segments.every(isSegmentHead)) return undefined;
  const promised = segments.flatMap(({ lengths }) =>
    ARRAY_NAMES.map((name, at) => padded((lengths[at] ?? 0) * ARRAYS[name].BYTES_PER_ELEMENT)),
  );
  return promised.reduce((sum, bytes) => sum + bytes, 0) === arrayBytes ? { segments } : undefined;
}

/** Whether the arrays of a segment fit each other, so that no look-up runs out of one or for ever. */
function isWhole(segment: Segment): boolean {
  const { keys, termSlots, headerCounts, postingStarts, postingSkills, postingWeights } = segment;
  const slots = termSlots.length;
  return (
    [segment.termStarts, postingStarts, segment.gramStarts].every(
      ({ length }) => length === headerCounts.length + 1,
    ) &&
    segment.clauseStarts.length === keys.length + 1 &&
    (slots & (slots - 1)) === 0 &&
    // A search for a term ends at a free slot.
    termSlots.includes(-1) &&
    postingSkills.length === postingWeights.length &&
    isAscending(segment.termStarts, segment.termUnits.length) &&
    isAscending(postingStarts, postingSkills.length) &&
    isAscending(segment.clauseStarts, segment.clauseTerms.length) &&
    isAscending(segment.gramStarts, segment.grams.length)
  );
}

function isSegmentHead(value: unknown): value is IndexHead["segments"][number] {
  const keys = fieldOf(value, "keys");
  const patterns = fieldOf(value, "patterns");
  const lengths = fieldOf(value, "lengths");
  return (
    Array.isArray(keys) &&
    keys.every((key) => typeof key === "string") &&
    Array.isArray(lengths) &&
    lengths.length === ARRAY_NAMES.length &&
    lengths.every((length) => Number.isSafeInteger(length) && length >= 0) &&
    Array.isArray(patterns) &&
    patterns.every((pattern) => {
      const skill = fieldOf(pattern, "skill");
      const isPlaced = Number.isSafeInteger(skill) && (skill as number) >= 0;
      return isPlaced && (skill as number) < keys.length && typeof fieldOf(pattern, "source") === "string";
    })
  );
}

function isAscending(starts: Uint32Array, last: number): boolean {
  for (let at = 1; at < starts.length; at += 1)
    if ((starts[at] as number) < (starts[at - 1] as number)) return false;
  return starts[0] === 0 && starts[starts.length - 1] === last;
}
