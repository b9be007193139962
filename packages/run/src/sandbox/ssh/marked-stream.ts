/** What a marked stream brings. */
export interface MarkedStreamEvents {
  readonly data: (bytes: Uint8Array) => void;
  readonly message: (text: string) => void;
  /** A message has no end; nothing comes after this. */
  readonly overflow: () => void;
}

/** Longest message that a remote program sends. */
export const MAX_MESSAGE_BYTES = 8192;

/**
 * Parts the messages of a remote program from what its script writes to the same stream.
 *
 * A message is the mark, a space, text and a line end. The mark is a secret of this connection which the script never
 * sees, so that nothing a script writes can be taken for one. Nothing else is held back than the beginning of a mark.
 */
export class MarkedStream {
  readonly #mark: Buffer;
  readonly #events: MarkedStreamEvents;
  #held: Buffer = Buffer.alloc(0);
  #overflown = false;

  constructor(mark: string, events: MarkedStreamEvents) {
    this.#mark = Buffer.from(mark);
    this.#events = events;
  }

  add(chunk: Uint8Array): void {
    if (this.#overflown) return;
    let rest = this.#held.length === 0 ? Buffer.from(chunk) : Buffer.concat([this.#held, chunk]);
    for (;;) {
      const start = rest.indexOf(this.#mark);
      if (start === -1) break;
      this.#emit(rest.subarray(0, start));
      const end = rest.indexOf(0x0a, start);
      if (end === -1 && rest.length - start <= MAX_MESSAGE_BYTES) {
        this.#held = Buffer.from(rest.subarray(start));
        return;
      }
      if (end === -1) {
        this.#overflown = true;
        this.#events.overflow();
        return;
      }
      this.#events.message(rest.subarray(start + this.#mark.length + 1, end).toString());
      rest = rest.subarray(end + 1);
    }
    const kept = this.#beginningOfMark(rest);
    this.#emit(rest.subarray(0, rest.length - kept));
    this.#held = Buffer.from(rest.subarray(rest.length - kept));
  }

  /** Gives what was held back and came to nothing; half a message is dropped. */
  finish(): void {
    if (this.#held.length < this.#mark.length) this.#emit(this.#held);
    this.#held = Buffer.alloc(0);
  }

  #emit(bytes: Buffer): void {
    if (bytes.length > 0) this.#events.data(bytes);
  }

  #beginningOfMark(bytes: Buffer): number {
    for (let length = Math.min(this.#mark.length - 1, bytes.length); length > 0; length -= 1) {
      if (bytes.subarray(bytes.length - length).equals(this.#mark.subarray(0, length))) return length;
    }
    return 0;
  }
}
