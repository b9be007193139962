import type { CapturedOutput } from "./process-request.ts";

/** Keeps the head and the tail of a stream, in memory that never exceeds the bytes to keep. */
export class OutputCapture {
  readonly #head: BoundedBytes;
  readonly #tail: TailBytes;

  constructor(maxBytes: number) {
    this.#head = new BoundedBytes(Math.ceil(maxBytes / 2));
    this.#tail = new TailBytes(Math.floor(maxBytes / 2));
  }

  add(chunk: Uint8Array): void {
    const taken = this.#head.add(chunk);
    this.#tail.add(chunk.subarray(taken));
  }

  finish(): CapturedOutput {
    const head = this.#head.bytes();
    const tail = this.#tail.bytes();
    const omittedBytes = this.#tail.seenBytes - tail.length;
    if (omittedBytes > 0) return { head, tail, omittedBytes };
    return { head: joined(head, tail), tail: new Uint8Array(0), omittedBytes: 0 };
  }
}

/** Keeps the first bytes of a stream; copied, because many tiny chunks cost far more than their bytes. */
export class BoundedBytes {
  readonly #maxBytes: number;
  #room: Uint8Array = new Uint8Array(0);
  #length = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  add(chunk: Uint8Array): number {
    const taken = chunk.subarray(0, this.#maxBytes - this.#length);
    this.#room = withRoomFor(this.#room, this.#length + taken.length, this.#maxBytes);
    this.#room.set(taken, this.#length);
    this.#length += taken.length;
    return taken.length;
  }

  bytes(): Uint8Array {
    return this.#room.slice(0, this.#length);
  }
}

class TailBytes {
  readonly #maxBytes: number;
  #ring: Uint8Array = new Uint8Array(0);
  seenBytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  add(chunk: Uint8Array): void {
    const kept = chunk.subarray(Math.max(0, chunk.length - this.#maxBytes));
    const start = this.seenBytes + chunk.length - kept.length;
    this.seenBytes += chunk.length;
    if (kept.length === 0) return;
    this.#ring = withRoomFor(this.#ring, Math.min(this.seenBytes, this.#maxBytes), this.#maxBytes);
    const position = start % this.#maxBytes;
    const first = kept.subarray(0, this.#maxBytes - position);
    this.#ring.set(first, position);
    this.#ring.set(kept.subarray(first.length), 0);
  }

  bytes(): Uint8Array {
    if (this.seenBytes <= this.#maxBytes) return this.#ring.slice(0, this.seenBytes);
    const position = this.seenBytes % this.#maxBytes;
    return joined(this.#ring.subarray(position), this.#ring.subarray(0, position));
  }
}

function withRoomFor(room: Uint8Array, length: number, maxBytes: number): Uint8Array {
  if (length <= room.length) return room;
  const larger = new Uint8Array(Math.min(maxBytes, Math.max(4096, length, room.length * 2)));
  larger.set(room);
  return larger;
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  const all = new Uint8Array(first.length + second.length);
  all.set(first);
  all.set(second, first.length);
  return all;
}
