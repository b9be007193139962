import { createHash, hash } from "node:crypto";
import { closeSync, mkdirSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { errorCode } from "@skillet/kit/errors";
import { readInto, withRegularFile } from "@skillet/kit/files";

// The file: a line with magic and checksum, a line of JSON padded to a multiple of eight, numbers, bytes.
const MAGIC = "skillet-discovery-1";
const CHECKSUM_LINE = MAGIC.length + 1 + 64 + 1;
const PADDING = 8;

// A hundred thousand skills take a tenth of it.
const MAX_CACHE_BYTES = 1024 * 1024 * 1024;

/** The parts of a cache file; `head` is small JSON, `numbers` and `blob` are as large as the library. */
export interface CacheFile<Head> {
  readonly head: Head;
  readonly numbers: Float64Array;
  readonly blob: Uint8Array;
}

/** Reads a cache file; anything but a whole one of this very version is as good as none. */
export function readCacheFile<Head>(path: string): CacheFile<Head> | undefined {
  const file = readIfThere(path);
  if (file === undefined || file.length < CHECKSUM_LINE) return undefined;
  const [magic, checksum] = file.toString("latin1", 0, CHECKSUM_LINE - 1).split(" ");
  const rest = file.subarray(CHECKSUM_LINE);
  // A torn write, a bad sector or another version: the files themselves are always there to be read again.
  if (magic !== MAGIC || checksum !== hash("sha256", rest, "hex")) return undefined;
  const headEnd = rest.indexOf(0x0a);
  const { head, numberCount } = JSON.parse(rest.toString("utf8", 0, headEnd)) as {
    head: Head;
    numberCount: number;
  };
  const numbersStart = file.byteOffset + CHECKSUM_LINE + headEnd + 1;
  const numbers = readNumbers(file.buffer, numbersStart, numberCount);
  return { head, numbers, blob: rest.subarray(headEnd + 1 + numberCount * 8) };
}

/** Writes a cache file beside its target and renames it; a folder that cannot be written means no cache. */
export function writeCacheFile<Head>(path: string, content: CacheFile<Head>): void {
  const json = JSON.stringify({ head: content.head, numberCount: content.numbers.length });
  const length = Buffer.byteLength(json) + 1;
  const padding = (PADDING - ((CHECKSUM_LINE + length) % PADDING)) % PADDING;
  const parts = [
    Buffer.from(`${json}${" ".repeat(padding)}\n`),
    new Uint8Array(content.numbers.buffer, content.numbers.byteOffset, content.numbers.byteLength),
    content.blob,
  ];
  const sum = createHash("sha256");
  for (const part of parts) sum.update(part);
  const temporary = `${path}.${process.pid}.${Math.random().toString(36).slice(2)}`;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeParts(temporary, [Buffer.from(`${MAGIC} ${sum.digest("hex")}\n`), ...parts]);
    renameSync(temporary, path);
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    // Whatever the file system says: a cache that cannot be written must not stop anybody.
    removeIfThere(temporary);
  }
}

function removeIfThere(path: string): void {
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

function readNumbers(buffer: ArrayBufferLike, start: number, count: number): Float64Array {
  if (start % PADDING === 0) return new Float64Array(buffer, start, count);
  return new Float64Array(buffer.slice(start, start + count * 8));
}

function readIfThere(path: string): Buffer | undefined {
  try {
    return withRegularFile(path, ({ descriptor, stats }) => {
      if (stats.size > MAX_CACHE_BYTES) return undefined;
      const buffer = Buffer.allocUnsafeSlow(stats.size);
      return buffer.subarray(0, readInto(descriptor, buffer));
    });
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return undefined;
  }
}
