import { createHash } from "node:crypto";
import { lstatSync, rmSync } from "node:fs";
import { errorCode, SkilletError } from "@skillet/kit/errors";
import { readBoundedFile, writeAtomic } from "@skillet/kit/files";
import {
  ARRAY_NAMES,
  ARRAYS,
  type ArrayName,
  type IndexHead,
  isWhole,
  padded,
  parseHead,
} from "./index-head.ts";
import type { Segment } from "./segment.ts";

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
