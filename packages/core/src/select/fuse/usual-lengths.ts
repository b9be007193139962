import type { SignalRow } from "../signal/signals.ts";

// A long header has something in common with everything, and of a long message there is always something to find.
// Beyond what the weights were fitted on, a length counts as the nearest that they know; a header counts further, since
// beyond that nobody describes a skill, and whoever lists words pays for them.
const HEADER_LENGTH = { least: 15, usual: 70, most: 1_500 };
const MESSAGE_LENGTH = { least: 3, usual: 15, most: 40 };

/** How long a header is by the usual, on a logarithmic scale. */
export function headerLengthOf({ headerLength }: Pick<SignalRow, "headerLength">): number {
  return byUsual(headerLength, HEADER_LENGTH);
}

/** How long a message is by the usual, on a logarithmic scale. */
export function messageLengthOf({ messageLength }: Pick<SignalRow, "messageLength">): number {
  return byUsual(messageLength, MESSAGE_LENGTH);
}

function byUsual(length: number, { least, usual, most }: typeof HEADER_LENGTH): number {
  return Math.log(Math.min(most, Math.max(least, length)) / usual);
}
