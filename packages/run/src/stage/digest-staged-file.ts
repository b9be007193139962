import { createHash } from "node:crypto";
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Digest } from "@skillet/kit/digest";

// No link is followed, and a FIFO is not waited for.
const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
const CHUNK_BYTES = 1024 * 1024;
// What staging never writes: one file beyond the bound of a whole skill.
const MAX_BYTES = 512 * 1024 * 1024;

/** Digests one file of a staged tree as it is on disk; nothing when it is no regular file, or larger than any staged one. */
export async function digestStagedFile(
  path: string,
): Promise<{ readonly digest: Digest; readonly size: number } | undefined> {
  const descriptor = openSync(path, FLAGS);
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile() || stats.size > MAX_BYTES) return undefined;
    const sum = createHash("sha256");
    const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, stats.size + 1));
    let size = 0;
    for (;;) {
      const count = readSync(descriptor, chunk);
      if (count === 0) return { digest: `sha256:${sum.digest("hex")}`, size };
      sum.update(chunk.subarray(0, count));
      size += count;
      if (size > MAX_BYTES) return undefined;
      if (count === CHUNK_BYTES) await nextTurn();
    }
  } finally {
    closeSync(descriptor);
  }
}
