import { closeSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { atOnce, createPause, inSlices } from "@skillet/kit/async";
import { digestBytes } from "@skillet/kit/digest";
import { errorCode } from "@skillet/kit/errors";
import { makeFolders, readInto, withRegularFile } from "@skillet/kit/files";
import { DirectoryMemo, MEMO_COLUMNS } from "../../source/local/directory-memo.ts";
import type { LocalSource } from "../../source/local/local-source.ts";
import { type KeptTable, SkillTable } from "./skill-table.ts";

export interface DiscoveryCache {
  readonly memo: DirectoryMemo;
  readonly table: SkillTable;
  /** The table row of the skill in a memo's folder, or -1. */
  readonly rowOfNode: Int32Array;
}

// The file: a line of magic and checksum, a line of JSON, both padded to a multiple of eight, numbers, bytes.
const MAGIC = "skillet-discovery-5";
const CHECKSUM_LINE = 40;
const NUMBER_BYTES = Float64Array.BYTES_PER_ELEMENT;

// A hundred thousand skills take a tenth of this.
const MAX_CACHE_BYTES = 1024 * 1024 * 1024;

interface CacheHead extends Pick<KeptTable, "names" | "gatings"> {
  /** Identifies the code that wrote it: another parser may read the same header differently. */
  readonly code: string;
  readonly key: string;
  readonly numberCount: number;
  readonly folders: string[];
}

export interface CachePlace {
  readonly path: string;
  readonly key: string;
}

/** The key leaves out which links may be followed: folders with links are never cached. */
export function cachePlace(directory: string, source: LocalSource): CachePlace {
  const { canonicalRoot, root, layout, limits } = source;
  // Cached diagnostics contain the paths that the agent's tools see.
  const key = JSON.stringify([canonicalRoot, root, source.toolPath(""), layout, limits]);
  return { path: join(directory, "discovery", `${atOnce(checksum([Buffer.from(key)]))}.bin`), key };
}

/** Reads the cache of a root; undefined unless it is complete and was written by this very code. */
export async function readDiscoveryCache({ path, key }: CachePlace): Promise<DiscoveryCache | undefined> {
  const file = readIfThere(path);
  if (file === undefined || file.length < CHECKSUM_LINE) return undefined;
  const rest = file.subarray(CHECKSUM_LINE);
  // A torn write, a bad sector or another version is harmless: the files can be read again.
  if (file.toString("latin1", 0, CHECKSUM_LINE) !== (await firstLine([rest]))) return undefined;
  const headEnd = rest.indexOf(0x0a);
  const head = JSON.parse(rest.toString("utf8", 0, headEnd)) as CacheHead;
  if (head.code !== codeIdentity() || head.key !== key) return undefined;
  const { folders, names, gatings, numberCount } = head;
  const all = new Float64Array(rest.buffer, rest.byteOffset + headEnd + 1, numberCount);
  const blob = rest.subarray(headEnd + 1 + numberCount * NUMBER_BYTES);
  const split = folders.length * MEMO_COLUMNS;
  const table = new SkillTable({ names, gatings, numbers: all.subarray(split), blob, folders });
  const rowOfNode = new Int32Array(folders.length).fill(-1);
  for (let row = 0; row < table.count; row++) rowOfNode[table.node(row)] = row;
  return { memo: new DirectoryMemo(folders, all.subarray(0, split)), table, rowOfNode };
}

/** Writes a temporary file and renames it; if the folder is not writable, nothing is cached. */
export async function writeDiscoveryCache(
  { path, key }: CachePlace,
  memo: DirectoryMemo,
  table: SkillTable,
  settledBeforeMs: number,
): Promise<void> {
  const pause = createPause();
  const folders = memo.names;
  const rows = memo.finish(settledBeforeMs);
  await pause();
  const { names, gatings, numbers, blob } = table.finish(folders, settledBeforeMs);
  await pause();
  const numberCount = rows.length + numbers.length;
  const head: CacheHead = { code: codeIdentity(), key, numberCount, folders, names, gatings };
  const json = JSON.stringify(head);
  const headEnd = Buffer.byteLength(json) + 1;
  const padding = " ".repeat((NUMBER_BYTES - (headEnd % NUMBER_BYTES)) % NUMBER_BYTES);
  const parts = [Buffer.from(`${json}${padding}\n`), bytesOf(rows), bytesOf(numbers), blob];
  const temporary = `${path}.${process.pid}.${Math.random().toString(36).slice(2)}`;
  try {
    makeFolders(dirname(path), 0o700);
    const first = Buffer.from(await firstLine(parts));
    await pause();
    writeParts(temporary, [first, ...parts]);
    renameSync(temporary, path);
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    // Whatever the file system reports: a failed cache write must not stop discovery.
    removeIfThere(temporary);
  }
}

function bytesOf(numbers: Float64Array): Uint8Array {
  return new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);
}

/** Inserted by the build; absent when the source runs directly. */
declare const BUILT_CODE_IDENTITY: string | undefined;

let identity: string | undefined;

/**
 * Identifies this code and its YAML library, so that a rebuilt or upgraded parser never reads an older one's
 * cache. By content, because package managers give every installed file the same time.
 */
function codeIdentity(): string {
  identity ??=
    typeof BUILT_CODE_IDENTITY === "string"
      ? BUILT_CODE_IDENTITY
      : digestBytes(readFileSync(fileURLToPath(import.meta.url)));
  return identity;
}

async function firstLine(rest: readonly Uint8Array[]): Promise<string> {
  return `${`${MAGIC} ${await inSlices(checksum(rest))}`.padEnd(CHECKSUM_LINE - 1)}\n`;
}

const PRIME = 0x9e3779b1;
// In four-byte words between two pauses: a few milliseconds of work.
const WORDS_AT_ONCE = 1024 * 1024;

/**
 * Gives the same for a file and for its parts, since all parts but the last are multiples of eight bytes.
 *
 * Detects only accidents: whoever can write here can write a checksum too. Avoids Node's crypto and
 * compression, which take longer to load than a warm start of a small library.
 */
function* checksum(parts: readonly Uint8Array[]): Generator<undefined, string> {
  const sums = Int32Array.of(
    parts.reduce((sum, { length }) => sum + length, 0),
    0,
  );
  for (const part of parts) {
    const aligned = part.byteOffset % 4 === 0 ? part : Uint8Array.from(part);
    const words = new Uint32Array(aligned.buffer, aligned.byteOffset, aligned.length >>> 2);
    for (let start = 0; start < words.length; start += WORDS_AT_ONCE) {
      addWords(sums, words.subarray(start, start + WORDS_AT_ONCE));
      yield;
    }
    for (const byte of aligned.subarray(words.length * 4)) sums[1] = Math.imul((sums[1] ?? 0) ^ byte, PRIME);
  }
  return Array.from(sums, (sum) => (sum >>> 0).toString(16).padStart(8, "0")).join("");
}

// Outside the generator, whose variables are slow.
function addWords(sums: Int32Array, words: Uint32Array): void {
  let [even = 0, odd = 0] = sums;
  for (let index = 0; index < words.length; index += 2) {
    even = Math.imul(even ^ (words[index] ?? 0), PRIME);
    odd = Math.imul(odd ^ (words[index + 1] ?? 0), PRIME);
  }
  sums[0] = even;
  sums[1] = odd;
}

/** Another process may have removed it already, or the folder may not be writable. */
export function removeIfThere(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
  }
}

function writeParts(path: string, parts: readonly Uint8Array[]): void {
  const descriptor = openSync(path, "wx", 0o600);
  try {
    for (const part of parts) writeFileSync(descriptor, part);
  } finally {
    closeSync(descriptor);
  }
}

function readIfThere(path: string): Buffer | undefined {
  try {
    return withRegularFile(path, ({ descriptor, stats }) => {
      if (stats.size > MAX_CACHE_BYTES) return undefined;
      // Not from a pool, because the numbers must be aligned to eight bytes.
      const buffer = Buffer.allocUnsafeSlow(stats.size);
      return buffer.subarray(0, readInto(descriptor, buffer));
    });
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return undefined;
  }
}
