import type { SourceText } from "./source-text.ts";

/** Finds the lines of many offsets in one text, by halving instead of counting each time from the top. */
export class LineIndex {
  readonly #source: SourceText;
  #known: readonly number[] | undefined;

  constructor(source: SourceText) {
    this.#source = source;
  }

  at(offset: number): number {
    return this.#source.firstLine + lastAtMost(this.#starts, offset);
  }

  startOf(line: number): number | undefined {
    return this.#starts[line - this.#source.firstLine];
  }

  get #starts(): readonly number[] {
    this.#known ??= this.#source.keepsLines ? lineStarts(this.#source.text) : [0];
    return this.#known;
  }
}

export function lineStarts(text: string): readonly number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}

/** The index of the last of some ascending numbers that is not greater than a value; 0 where none is. */
export function lastAtMost(sorted: readonly number[], value: number): number {
  let low = 0;
  let high = sorted.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((sorted[middle] ?? 0) <= value) low = middle;
    else high = middle - 1;
  }
  return low;
}
