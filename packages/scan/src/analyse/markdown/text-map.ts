import { lastAtMost } from "../../text/line-index.ts";

export class TextMap {
  readonly #pieces: string[] = [];
  readonly #starts: number[] = [];
  readonly #sources: number[] = [];
  #length = 0;

  get length(): number {
    return this.#length;
  }

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
