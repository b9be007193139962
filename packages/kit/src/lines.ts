const NEWLINE = 0x0a;

export interface Line {
  /** Without the newline; undefined if the line is too long. */
  readonly bytes: Uint8Array | undefined;
  readonly isWhole: boolean;
}

/** Splits bytes into lines, with at most one line and one chunk in memory. */
export async function* splitLines(
  chunks: AsyncIterable<Uint8Array>,
  maxLineBytes: number,
): AsyncGenerator<Line> {
  let pending: Uint8Array[] = [];
  let pendingBytes = 0;
  const finish = (last: Uint8Array): Uint8Array | undefined => {
    if (pendingBytes + last.length > maxLineBytes) return undefined;
    return pendingBytes === 0 ? last : Buffer.concat([...pending, last]);
  };
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      yield { bytes: finish(chunk.subarray(start, end)), isWhole: true };
      pending = [];
      pendingBytes = 0;
      start = end + 1;
    }
    // A line that is already too long is counted, but not kept.
    pendingBytes += chunk.length - start;
    if (pendingBytes > maxLineBytes) pending = [];
    else if (start < chunk.length) pending.push(chunk.subarray(start));
  }
  if (pendingBytes > 0) yield { bytes: finish(new Uint8Array(0)), isWhole: false };
}
