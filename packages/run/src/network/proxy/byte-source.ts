import type { Readable } from "node:stream";

/**
 * Reads a stream piece by piece; what was read too far can be put back. Unlike an iterator it leaves the stream alone
 * at its end, when the other direction may still have something to say.
 */
export class ByteSource {
  readonly #stream: Readable;
  #held: Buffer | undefined;
  #started = false;
  #wake: (() => void) | undefined;

  constructor(stream: Readable) {
    this.#stream = stream;
    for (const event of ["readable", "end", "close", "error"]) stream.on(event, () => this.#wake?.());
  }

  /** Whether anything came. */
  get started(): boolean {
    return this.#started;
  }

  /** The next piece; nothing at the end. Rejects when the stream breaks. */
  async next(): Promise<Buffer | undefined> {
    const held = this.#held;
    this.#held = undefined;
    if (held !== undefined) return held;
    for (;;) {
      const piece: Buffer | null = this.#stream.read();
      if (piece !== null) {
        this.#started = true;
        return piece;
      }
      if (this.#stream.readableEnded) return undefined;
      if (this.#stream.destroyed) throw this.#stream.errored ?? new ConnectionBroken();
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** Gives bytes back, to be read next. */
  unread(bytes: Buffer): void {
    this.#held = bytes.length > 0 ? bytes : undefined;
  }
}

class ConnectionBroken extends Error {
  readonly code = "ECONNRESET";

  constructor() {
    super("The connection broke before its end.");
    this.name = "ConnectionBroken";
  }
}
