import type { FileHandle } from "node:fs/promises";

const CHUNK_BYTES = 65_536;
const NEWLINE = 0x0a;

/** A line without its newline, and how it ended; one that is too long comes without bytes. */
export interface ByteLine {
  readonly bytes: Uint8Array;
  readonly ending: "newline" | "end-of-file" | "too-long";
}

/** Splits a file into lines of bytes; at most one line and one chunk are in memory. */
export async function* splitLines(handle: FileHandle, maxLineBytes: number): AsyncGenerator<ByteLine> {
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  for (let position = 0; ; ) {
    const chunk = Buffer.alloc(CHUNK_BYTES);
    const { bytesRead } = await handle.read(chunk, 0, CHUNK_BYTES, position);
    if (bytesRead === 0) break;
    position += bytesRead;
    let start = 0;
    for (
      let end = chunk.indexOf(NEWLINE, start);
      end !== -1 && end < bytesRead;
      end = chunk.indexOf(NEWLINE, start)
    ) {
      yield finish(
        [...pending, chunk.subarray(start, end)],
        pendingBytes + end - start,
        maxLineBytes,
        "newline",
      );
      pending = [];
      pendingBytes = 0;
      start = end + 1;
    }
    // A line that is already too long is counted on, not kept.
    pendingBytes += bytesRead - start;
    pending = pendingBytes > maxLineBytes ? [] : [...pending, chunk.subarray(start, bytesRead)];
  }
  if (pendingBytes > 0) yield finish(pending, pendingBytes, maxLineBytes, "end-of-file");
}

function finish(
  parts: Buffer[],
  length: number,
  maxLineBytes: number,
  ending: "newline" | "end-of-file",
): ByteLine {
  if (length > maxLineBytes) return { bytes: new Uint8Array(), ending: "too-long" };
  return { bytes: Buffer.concat(parts), ending };
}
