import type { Derivation, Spot } from "../model/call.ts";

export interface Origin {
  readonly firstLine: number;
  /** Whether its lines are lines of the file; otherwise, as in decoded text, everything is on `firstLine`. */
  readonly keepsLines: boolean;
  readonly chain: readonly Derivation[];
}

export interface Frame {
  readonly text: string;
  readonly chain: readonly Derivation[];
  lineOf(offset: number): number;
}

/** The frame of a text: with its own lines from `firstLine` on, or all on one line. */
export function createFrame(
  text: string,
  chain: readonly Derivation[],
  { line, firstLine }: { readonly line: number; readonly firstLine?: number | undefined },
): Frame {
  return { text, chain, lineOf: firstLine === undefined ? () => line : lineCounter(text, firstLine) };
}

export function spotAt(frame: Frame, start: number, end: number): Spot {
  return { line: frame.lineOf(start), snippet: frame.text.slice(start, end), chain: frame.chain };
}

// Offsets mostly rise, so counting continues from the last one; restarting each time would be quadratic.
function lineCounter(text: string, firstLine: number): (offset: number) => number {
  let at = 0;
  let line = firstLine;
  return (offset) => {
    if (offset < at) {
      at = 0;
      line = firstLine;
    }
    for (let next = text.indexOf("\n", at); next !== -1 && next < offset; next = text.indexOf("\n", at)) {
      line++;
      at = next + 1;
    }
    return line;
  };
}
