const CHUNK = 1 << 20;

/** A long list of numbers of four bytes, or of one, that grows in chunks: no copy, and none of its room unused. */
export class NumberList {
  readonly #chunks: (Uint32Array | Uint8Array)[] = [];
  readonly #kind: "words" | "bytes";
  length = 0;

  constructor(kind: "words" | "bytes" = "words") {
    this.#kind = kind;
  }

  push(value: number): void {
    const place = this.length % CHUNK;
    if (place === 0)
      this.#chunks.push(this.#kind === "words" ? new Uint32Array(CHUNK) : new Uint8Array(CHUNK));
    const chunk = this.#chunks[this.#chunks.length - 1];
    if (chunk !== undefined) chunk[place] = value;
    this.length += 1;
  }

  at(index: number): number {
    return this.#chunks[Math.floor(index / CHUNK)]?.[index % CHUNK] ?? 0;
  }

  toUint32Array(): Uint32Array {
    const whole = new Uint32Array(this.length);
    this.#chunks.forEach((chunk, index) => {
      whole.set(chunk.subarray(0, Math.min(CHUNK, this.length - index * CHUNK)), index * CHUNK);
    });
    return whole;
  }
}
