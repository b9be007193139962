import type { Duplex, Readable, Writable } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import { BoundedBytes, OutputCapture } from "./output-capture.ts";
import type { ProcessRequest, ProcessResult } from "./process-request.ts";
import type { SpawnedChild } from "./spawn-child.ts";

const DEFAULT_OUTPUT_BYTES = 1024 * 1024;
const DEFAULT_SEEN_BYTES = 64 * 1024 * 1024;
const COLLECTED_BYTES = 64 * 1024;
// The first turn may have begun before the last bytes arrived; two quiet turns after it mean an empty pipe.
const QUIET_TURNS = 3;

export interface StreamEvents {
  readonly flooded: () => void;
  readonly failed: (error: unknown) => void;
}

export class ChildStreams {
  readonly #child: SpawnedChild;
  readonly #events: StreamEvents;
  readonly #maxSeenBytes: number;
  readonly #stdout: OutputCapture;
  readonly #stderr: OutputCapture;
  readonly #collected = new Map<number, BoundedBytes>();
  readonly #reading = new Set<Readable>();
  #seenBytes = 0;

  constructor(child: SpawnedChild, request: ProcessRequest, events: StreamEvents) {
    this.#child = child;
    this.#events = events;
    this.#maxSeenBytes = request.maxSeenBytes ?? DEFAULT_SEEN_BYTES;
    const maxOutputBytes = request.maxOutputBytes ?? DEFAULT_OUTPUT_BYTES;
    this.#stdout = new OutputCapture(maxOutputBytes);
    this.#stderr = new OutputCapture(maxOutputBytes);
    this.#readOutput("stdout", this.#stdout, request.onOutput);
    this.#readOutput("stderr", this.#stderr, request.onOutput);
    if (request.stdin !== undefined) this.#feed(child.stdin, request.stdin);
    for (const [index, descriptor] of (request.descriptors ?? []).entries()) {
      const stream = child.descriptors[index];
      if (stream === undefined) continue;
      if (descriptor.kind === "feed") this.#feed(stream, descriptor.bytes);
      else if (descriptor.kind === "collect") this.#collect(index + 3, stream);
      else this.#connect(stream, descriptor.connect);
    }
  }

  /** Reads what is still in the pipes; does not wait for an unrelated process that holds one open. */
  async drain(): Promise<void> {
    for (let quiet = 0; quiet < QUIET_TURNS && this.#reading.size > 0; quiet += 1) {
      const seen = this.#seenBytes;
      await nextTurn();
      if (this.#seenBytes !== seen) quiet = 0;
    }
  }

  destroy(): void {
    this.#reading.clear();
    const { stdin, stdout, stderr, descriptors } = this.#child;
    for (const stream of [stdin, stdout, stderr, ...descriptors]) stream?.destroy();
  }

  captured(): Pick<ProcessResult, "stdout" | "stderr" | "collected"> {
    return {
      stdout: this.#stdout.finish(),
      stderr: this.#stderr.finish(),
      collected: new Map([...this.#collected].map(([number, kept]) => [number, kept.bytes()])),
    };
  }

  #readOutput(name: "stdout" | "stderr", capture: OutputCapture, onOutput: ProcessRequest["onOutput"]): void {
    this.#read(this.#child[name], (bytes) => {
      capture.add(bytes);
      onOutput?.(name, bytes);
    });
  }

  #collect(number: number, stream: Duplex): void {
    const kept = new BoundedBytes(COLLECTED_BYTES);
    this.#collected.set(number, kept);
    this.#read(stream, (bytes) => kept.add(bytes));
  }

  #read(stream: Readable | null, take: (bytes: Uint8Array) => void): void {
    if (stream === null) return;
    let left = this.#maxSeenBytes;
    this.#reading.add(stream);
    this.#tolerateHangUp(stream);
    stream.once("close", () => this.#reading.delete(stream));
    stream.once("end", () => this.#reading.delete(stream));
    stream.on("data", (chunk: Buffer) => {
      if (!this.#reading.has(stream)) return;
      const bytes = chunk.subarray(0, left);
      left -= bytes.length;
      this.#seenBytes += bytes.length;
      if (bytes.length > 0) this.#guard(() => take(bytes));
      if (bytes.length === chunk.length) return;
      this.#reading.delete(stream);
      stream.pause();
      this.#events.flooded();
    });
  }

  #feed(stream: Writable | null, bytes: Uint8Array): void {
    if (stream === null) return;
    this.#tolerateHangUp(stream);
    stream.end(bytes);
  }

  #connect(stream: Duplex, connect: (channel: Duplex) => void): void {
    this.#tolerateHangUp(stream);
    this.#guard(() => connect(stream));
  }

  /** A process need not read its input. */
  #tolerateHangUp(stream: Readable | Writable): void {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE" && error.code !== "ECONNRESET") this.#events.failed(error);
    });
  }

  #guard(call: () => void): void {
    try {
      call();
    } catch (error) {
      this.#reading.clear();
      this.#events.failed(error);
    }
  }
}
