/**
 * The bytes of a stream from some place on to what came last; places are counted from the start of the stream.
 *
 * However small the chunks and however much is kept, a byte is moved about twice at most: nobody can make it slow with
 * many small writes.
 */
export class StreamWindow {
  #bytes: Uint8Array = Buffer.alloc(0);
  /** The place in the stream of the first byte of `#bytes`. */
  #base = 0;
  #start = 0;
  #end = 0;
  #moved = 0;

  /** The place of the first byte that is kept. */
  get start(): number {
    return this.#start;
  }

  /** The place behind the last byte. */
  get end(): number {
    return this.#end;
  }

  /** How many bytes were moved so far to make room for others. */
  get movedBytes(): number {
    return this.#moved;
  }

  /** Copies the chunk, so that its owner may use it again. */
  append(chunk: Uint8Array): void {
    if (this.#end - this.#base + chunk.length > this.#bytes.length) this.#makeRoom(chunk.length);
    this.#bytes.set(chunk, this.#end - this.#base);
    this.#end += chunk.length;
  }

  /** The bytes between two places, good until something is appended. */
  between(from: number, to: number): Uint8Array {
    return this.#bytes.subarray(from - this.#base, to - this.#base);
  }

  forgetBefore(place: number): void {
    this.#start = place;
  }

  // As much room again as is in use: then at least that much is appended before anything is moved again.
  #makeRoom(bytes: number): void {
    const kept = this.between(this.#start, this.#end);
    const roomy = Buffer.allocUnsafeSlow(2 * (kept.length + bytes));
    roomy.set(kept);
    this.#moved += kept.length;
    this.#bytes = roomy;
    this.#base = this.#start;
  }
}
