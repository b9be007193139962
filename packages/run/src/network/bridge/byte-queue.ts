/** Bytes in the order in which they came. */
export interface ByteQueue {
  append(bytes: Uint8Array): void;
  take(): Uint8Array | undefined;
  clear(): void;
}

export type CreateByteQueue = typeof createByteQueue;

/**
 * Makes a queue that takes hardly more memory than the bytes in it: kept as they come, single bytes would take a
 * hundred times their size. Also sent into the sandbox as text: it may use globals alone.
 */
export function createByteQueue(blockBytes: number): ByteQueue {
  let blocks: { readonly bytes: Uint8Array; used: number }[] = [];
  return {
    append: (bytes) => {
      let at = 0;
      while (at < bytes.length) {
        let last = blocks.at(-1);
        if (last === undefined || last.used === blockBytes) {
          last = { bytes: new Uint8Array(blockBytes), used: 0 };
          blocks.push(last);
        }
        const piece = bytes.subarray(at, at + blockBytes - last.used);
        last.bytes.set(piece, last.used);
        last.used += piece.length;
        at += piece.length;
      }
    },
    take: () => {
      const first = blocks.shift();
      return first?.bytes.subarray(0, first.used);
    },
    clear: () => {
      blocks = [];
    },
  };
}
