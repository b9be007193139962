import type { CapturedOutput } from "@skillet/kit/process";
import { stripTerminal } from "./strip-terminal.ts";

/** Turns what was kept of a stream into text that is safe to show, with a line between head and tail where some is left out. */
export function showOutput({ head, tail, omittedBytes }: CapturedOutput): string {
  if (omittedBytes === 0) return stripTerminal(decode(Buffer.concat([head, tail])));
  // A character that was cut in two belongs to what was left out.
  const start = head.subarray(0, head.length - cutAtEnd(head));
  const end = tail.subarray(cutAtStart(tail));
  const left = omittedBytes + (head.length - start.length) + (tail.length - end.length);
  // Each for itself: a sequence that the head leaves open must not swallow the tail.
  const first = stripTerminal(decode(start));
  const gap = first === "" || first.endsWith("\n") ? "" : "\n";
  return `${first}${gap}[${left} bytes left out]\n${stripTerminal(decode(end))}`;
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

const CONTINUATION = 0b1000_0000;
const MAX_CONTINUATIONS = 3;

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0b1100_0000) === CONTINUATION;
}

// How many bytes at the end begin a character without finishing it.
function cutAtEnd(bytes: Uint8Array): number {
  let count = 0;
  while (count < MAX_CONTINUATIONS && isContinuation(bytes[bytes.length - 1 - count])) count++;
  const lead = bytes[bytes.length - 1 - count] ?? 0;
  const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
  return length > count + 1 ? count + 1 : 0;
}

function cutAtStart(bytes: Uint8Array): number {
  let count = 0;
  while (count < MAX_CONTINUATIONS && isContinuation(bytes[count])) count++;
  return count;
}
