import type { Frame } from "./read-frames.ts";

export type WriteFrame = typeof writeFrame;

/** The bytes of a frame. Also sent into the sandbox as text: it may use globals alone. */
export function writeFrame(frame: Frame): Buffer {
  const KINDS = { open: 1, data: 2, end: 3, reset: 4, credit: 5 };
  const HEAD_BYTES = 9;
  const payload = frame.kind === "data" ? frame.bytes : undefined;
  const bytes = Buffer.allocUnsafe(HEAD_BYTES + (payload?.length ?? 0));
  bytes.writeUInt8(KINDS[frame.kind], 0);
  bytes.writeUInt32BE(frame.id, 1);
  bytes.writeUInt32BE(frame.kind === "credit" ? frame.amount : (payload?.length ?? 0), 5);
  if (payload !== undefined) bytes.set(payload, HEAD_BYTES);
  return bytes;
}
