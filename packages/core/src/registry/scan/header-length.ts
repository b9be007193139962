const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const FENCE = Buffer.from("\n---");

/** The length of a header with both its fences; 0 unless the closing one is exactly as the standard writes it. */
export function headerLength(bytes: Uint8Array): number {
  const buffer = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let fence = buffer.indexOf(FENCE, 3); fence >= 0; fence = buffer.indexOf(FENCE, fence + 1)) {
    const after = fence + FENCE.length;
    const next = buffer[after];
    if (next === undefined || next === LINE_FEED) return Math.min(after + 1, bytes.length);
    if (next === CARRIAGE_RETURN) return 0;
  }
  return 0;
}
