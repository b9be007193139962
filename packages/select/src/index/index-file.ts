import { lstatSync, rmSync } from "node:fs";
import { errorCode, SkilletError } from "@skillet/kit/errors";
import { readBoundedFile, writeAtomic } from "@skillet/kit/files";
import { fieldOf, parseJson } from "@skillet/kit/json";
import type { StoredIndex } from "./skill-index.ts";

// The file: a line of magic and checksum, a line of JSON, both padded to a multiple of four, then the arrays.
// Raise the number whenever documents, terms or weights change, because indexes then differ.
const MAGIC = "skillet-selection-14";
const OTHER_VERSION = /^skillet-selection-\d+$/;
const CHECKSUM_LINE = 40;

/** A hundred thousand skills take a third of this. */
const MAX_INDEX_BYTES = 1024 * 1024 * 1024;

/** Reads an index. One of another version counts as absent; so does a broken one, reported to `onDamaged`. */
export function readIndexFile(path: string, onDamaged?: () => void): StoredIndex | undefined {
  let file: Uint8Array | undefined;
  try {
    file = readBoundedFile(path, { maxBytes: MAX_INDEX_BYTES });
  } catch (error) {
    rethrowUnexpected(error);
  }
  if (file === undefined) return undefined;
  const line = Buffer.from(file.subarray(0, CHECKSUM_LINE)).toString("latin1");
  const [magic = ""] = line.split(" ", 1);
  if (OTHER_VERSION.test(magic) && magic !== MAGIC) return undefined;
  // A torn write or a bad sector is harmless: the skills can be read again.
  const isRight = line.length === CHECKSUM_LINE && line === firstLine(file.subarray(CHECKSUM_LINE));
  const index = isRight ? viewIndex(file) : undefined;
  if (index === undefined) onDamaged?.();
  return index;
}

/** If the folder is not writable, nothing is cached. A link at the path is replaced, not written through. */
export async function writeIndexFile(path: string, index: StoredIndex): Promise<void> {
  const { keys, patterns, terms } = index;
  const lengths = ARRAYS.map((name) => index[name].length);
  const head = JSON.stringify({ keys, patterns, terms, lengths } satisfies IndexHead);
  const padding = " ".repeat(3 - ((CHECKSUM_LINE + Buffer.byteLength(head)) % 4));
  const arrays = ARRAYS.map((name) => {
    const { buffer, byteOffset, byteLength } = index[name];
    return new Uint8Array(buffer, byteOffset, byteLength);
  });
  const whole = Buffer.concat([Buffer.alloc(CHECKSUM_LINE), Buffer.from(`${head}${padding}\n`), ...arrays]);
  whole.write(firstLine(whole.subarray(CHECKSUM_LINE)), "latin1");
  try {
    if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true) rmSync(path);
    await writeAtomic(path, whole, { mode: 0o600, links: "refuse" });
  } catch (error) {
    // Without a cache file the index is still in memory.
    rethrowUnexpected(error);
  }
}

/** In file order. The byte array comes last, because the views of 32-bit numbers must be aligned. */
const ARRAYS = [
  "postingStarts",
  "postingSkills",
  "clauseStarts",
  "clauseTerms",
  "termCounts",
  "postingWeights",
] as const;

interface IndexHead extends Pick<StoredIndex, "keys" | "patterns" | "terms"> {
  readonly lengths: readonly number[];
}

/** The index in a file, if it is complete: whoever can forge the file can forge its checksum too. */
function viewIndex(file: Uint8Array): StoredIndex | undefined {
  const headEnd = file.indexOf(0x0a, CHECKSUM_LINE);
  if (headEnd < 0 || (headEnd + 1) % 4 !== 0) return undefined;
  const head = parseJson(Buffer.from(file.subarray(CHECKSUM_LINE, headEnd)).toString("utf8"));
  if (!isHead(head)) return undefined;
  let offset = headEnd + 1;
  const [weightCount = 0, ...wordCounts] = head.lengths.toReversed();
  const wordCount = wordCounts.reduce((sum, length) => sum + length, 0);
  if (file.length !== offset + 4 * wordCount + weightCount) return undefined;
  const views = head.lengths.slice(0, -1).map((length) => {
    const words = new Uint32Array(file.buffer as ArrayBuffer, file.byteOffset + offset, length);
    offset += words.byteLength;
    return words;
  });
  const arrays = Object.fromEntries(ARRAYS.map((name, at) => [name, views[at] ?? file.subarray(offset)]));
  const { keys, patterns, terms } = head;
  const index = { keys, patterns, terms, ...arrays } as StoredIndex;
  return isWhole(index) ? index : undefined;
}

function isHead(head: unknown): head is IndexHead {
  const keys = fieldOf(head, "keys");
  const patterns = fieldOf(head, "patterns");
  const lengths = fieldOf(head, "lengths");
  return (
    isTexts(keys) &&
    isTexts(fieldOf(head, "terms")) &&
    Array.isArray(lengths) &&
    lengths.length === ARRAYS.length &&
    lengths.every(isCount) &&
    Array.isArray(patterns) &&
    patterns.length === keys.length &&
    patterns.every(isTexts)
  );
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** Whether the arrays fit each other, so that no look-up leaves its array. */
function isWhole(index: StoredIndex): boolean {
  const { keys, terms, postingStarts, postingSkills, clauseStarts, clauseTerms } = index;
  return (
    postingStarts.length === terms.length + 1 &&
    clauseStarts.length === keys.length + 1 &&
    index.termCounts.length === keys.length &&
    index.postingWeights.length === postingSkills.length &&
    isAscending(postingStarts, postingSkills.length) &&
    isAscending(clauseStarts, clauseTerms.length)
  );
}

function isAscending(starts: Uint32Array, last: number): boolean {
  for (let at = 1; at < starts.length; at += 1)
    if ((starts[at] as number) < (starts[at - 1] as number)) return false;
  return starts[0] === 0 && starts[starts.length - 1] === last;
}

/** Detects accidents, not attacks. Loading Node's crypto would take longer than ranking a small library. */
function firstLine(rest: Uint8Array): string {
  const words = new Uint32Array(rest.buffer, rest.byteOffset, rest.length >>> 2);
  let sum = rest.length;
  for (let at = 0; at < words.length; at += 1) sum = ((sum << 5) - sum) ^ (words[at] as number);
  for (const byte of rest.subarray(words.byteLength)) sum = ((sum << 5) - sum) ^ byte;
  return `${`${MAGIC} ${(sum >>> 0).toString(16)}`.padEnd(CHECKSUM_LINE - 1)}\n`;
}

/** An error of the file system means no cache; any other error is a bug. */
function rethrowUnexpected(error: unknown): void {
  if (!SkilletError.isInstance(error) && errorCode(error) === undefined) throw error;
}
