import { MAX_HEADER_CHARACTERS } from "./format-limits.ts";

/** Where the parts of a file lie whose fences are exactly as the standard writes them. */
export interface PlainFences {
  readonly headerStart: number;
  readonly headerEnd: number;
  /** Behind the closing fence. */
  readonly bodyStart: number;
}

const OPENING_BYTES = 4;
const CLOSING: Uint8Array = Buffer.from("\n---");

/** Finds the fences of a file; undefined if one is missing or not exactly `---`, or the header is too long. */
export function findPlainFences(bytes: Buffer): PlainFences | undefined {
  if (bytes[0] !== 0x2d || bytes[1] !== 0x2d || bytes[2] !== 0x2d || bytes[3] !== 0x0a) return undefined;
  const end = findClosing(bytes);
  if (end === -1 || end > MAX_HEADER_CHARACTERS) return undefined;
  const bodyStart = Math.min(end + CLOSING.length + 1, bytes.length);
  return { headerStart: OPENING_BYTES, headerEnd: end + 1, bodyStart };
}

/** The line end before the closing fence, or -1. */
function findClosing(bytes: Buffer): number {
  for (let at = bytes.indexOf(CLOSING, OPENING_BYTES - 1); at !== -1; at = bytes.indexOf(CLOSING, at + 1)) {
    const next = bytes[at + CLOSING.length];
    if (next === undefined || next === 0x0a) return at;
    // White space behind the dashes is a repair; anything else is no fence.
    if (next <= 0x20 || next > 0x7f) return -1;
  }
  return -1;
}
