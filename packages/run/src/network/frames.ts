/** The bounds of the protocol between bridge and proxy; each side enforces them on the other. */
export interface MultiplexLimits {
  readonly maxPayloadBytes: number;
  /** The most that may be in flight in one direction of one connection. */
  readonly windowBytes: number;
  readonly maxConnections: number;
  /** For the whole life of a channel: opening and dropping connections costs the other side time. */
  readonly maxOpened: number;
  /** Data waits until the channel drains, so a larger backlog means that the peer does not read. */
  readonly maxBacklogBytes: number;
}

export const MULTIPLEX_LIMITS: MultiplexLimits = {
  maxPayloadBytes: 16 * 1024,
  windowBytes: 128 * 1024,
  maxConnections: 64,
  maxOpened: 16_384,
  maxBacklogBytes: 1024 * 1024,
};

/** Only `data` has a payload, which is passed on in pieces as it arrives. */
export type Frame =
  | { readonly kind: "open" | "end" | "reset"; readonly id: number }
  | { readonly kind: "data"; readonly id: number; readonly bytes: Uint8Array }
  | { readonly kind: "credit"; readonly id: number; readonly amount: number };

/**
 * Makes a reader of the byte stream between bridge and proxy. It returns the first fault, if any.
 *
 * A frame is its kind (1 byte), its connection (4 bytes) and a value (4 bytes, big endian): the payload's
 * length, the credit given, or zero. Also sent into the sandbox as source text: it may use only globals.
 */
export function readFrames(
  limits: MultiplexLimits,
  onFrame: (frame: Frame) => string | undefined,
): (chunk: Uint8Array) => string | undefined {
  const HEAD_BYTES = 9;
  const head = new DataView(new ArrayBuffer(HEAD_BYTES));
  let headBytes = 0;
  let payloadBytes = 0;

  const readHead = (): string | undefined => {
    const id = head.getUint32(1);
    const value = head.getUint32(5);
    switch (head.getUint8(0)) {
      case 1:
        return value === 0 ? onFrame({ kind: "open", id }) : "an open frame with a value";
      case 2:
        if (value === 0 || value > limits.maxPayloadBytes) return "a payload of impossible length";
        payloadBytes = value;
        return undefined;
      case 3:
        return value === 0 ? onFrame({ kind: "end", id }) : "an end frame with a value";
      case 4:
        return value === 0 ? onFrame({ kind: "reset", id }) : "a reset frame with a value";
      case 5:
        if (value === 0 || value > limits.windowBytes) return "an impossible credit";
        return onFrame({ kind: "credit", id, amount: value });
      default:
        return "a frame of unknown kind";
    }
  };

  return (chunk) => {
    let at = 0;
    while (at < chunk.length) {
      let fault: string | undefined;
      if (payloadBytes > 0) {
        const bytes = chunk.subarray(at, at + payloadBytes);
        at += bytes.length;
        payloadBytes -= bytes.length;
        fault = onFrame({ kind: "data", id: head.getUint32(1), bytes });
      } else {
        head.setUint8(headBytes, chunk[at] ?? 0);
        at += 1;
        headBytes = (headBytes + 1) % HEAD_BYTES;
        if (headBytes === 0) fault = readHead();
      }
      if (fault !== undefined) return fault;
    }
    return undefined;
  };
}

/** Encodes a frame. Also sent into the sandbox as source text: it may use only globals. */
export function writeFrame(frame: Frame): Buffer {
  const KINDS = { open: 1, data: 2, end: 3, reset: 4, credit: 5 };
  const HEAD_BYTES = 9;
  const payload = frame.kind === "data" ? frame.bytes : undefined;
  const bytes = Buffer.allocUnsafe(HEAD_BYTES + (payload?.length ?? 0));
  bytes.writeUInt8(KINDS[frame.kind], 0);
  bytes.writeUInt32BE(frame.id, 1);
  bytes.writeUInt32BE(frame.kind === "credit" ? frame.amount : (payload?.length ?? 0), 5);
  if (payload !== undefined) bytes.set(payload, HEAD_BYTES);
  return bytes;
}

export interface ByteQueue {
  append(bytes: Uint8Array): void;
  take(): Uint8Array | undefined;
  clear(): void;
}

/**
 * Makes a queue that takes hardly more memory than the bytes in it: queued as they arrive, single bytes would
 * take a hundred times their size. Also sent into the sandbox as source text: it may use only globals.
 */
export function createByteQueue(blockBytes: number): ByteQueue {
  let blocks: { readonly bytes: Uint8Array; used: number }[] = [];
  return {
    append: (bytes) => {
      let at = 0;
      while (at < bytes.length) {
        let last = blocks.at(-1);
        if (last === undefined || last.used === blockBytes) {
          last = { bytes: new Uint8Array(blockBytes), used: 0 };
          blocks.push(last);
        }
        const piece = bytes.subarray(at, at + blockBytes - last.used);
        last.bytes.set(piece, last.used);
        last.used += piece.length;
        at += piece.length;
      }
    },
    take: () => {
      const first = blocks.shift();
      return first?.bytes.subarray(0, first.used);
    },
    clear: () => {
      blocks = [];
    },
  };
}

export const FRAMING: {
  readonly readFrames: typeof readFrames;
  readonly writeFrame: typeof writeFrame;
  readonly createByteQueue: typeof createByteQueue;
} = { readFrames, writeFrame, createByteQueue };
