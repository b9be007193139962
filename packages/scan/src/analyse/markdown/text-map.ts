export class TextMap {
  readonly #pieces: string[] = [];
  readonly #starts: number[] = [];
  readonly #sources: number[] = [];
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** Appends what stands at `source`, or what stands for it. */
  add(text: string, source: number): void {
    if (text === "") return;
    this.#starts.push(this.#length);
    this.#sources.push(source);
    this.#pieces.push(text);
    this.#length += text.length;
  }

  toString(): string {
    return this.#pieces.join("");
  }

  sourceOffset(offset: number): number {
    const low = lastAtMost(this.#starts, offset);
    return (this.#sources[low] ?? 0) + offset - (this.#starts[low] ?? 0);
  }
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
