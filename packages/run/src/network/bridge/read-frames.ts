import type { MultiplexLimits } from "./multiplex-limits.ts";

/** What a frame says. Only `data` has a payload, and it is given in the pieces in which it comes. */
export type Frame =
  | { readonly kind: "open" | "end" | "reset"; readonly id: number }
  | { readonly kind: "data"; readonly id: number; readonly bytes: Uint8Array }
  | { readonly kind: "credit"; readonly id: number; readonly amount: number };

export type ReadFrames = typeof readFrames;

/**
 * Makes a reader of the byte stream between bridge and proxy. It answers what is wrong with the stream, or nothing.
 *
 * A frame is its kind (1 byte), its connection (4) and a value (4, big endian): the length of the payload that follows,
 * the credit given, or zero. This function is also sent into the sandbox as text: it may use globals alone.
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
