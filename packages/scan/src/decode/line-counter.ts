import type { SourceText } from "../text/source-text.ts";

/** Lines of many offsets in one text, found by halving instead of counting each time from the top. */
export class LineCounter {
  readonly #source: SourceText;
  #starts: number[] | undefined;

  constructor(source: SourceText) {
    this.#source = source;
  }

  at(offset: number): number {
    const { firstLine, keepsLines } = this.#source;
    if (!keepsLines) return firstLine;
    this.#starts ??= lineStarts(this.#source.text);
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return firstLine + low;
  }
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let index = text.indexOf("\n"); index !== -1; index = text.indexOf("\n", index + 1))
    starts.push(index + 1);
  return starts;
}
