import fc from "fast-check";
import { expect, test } from "vitest";
import { createByteQueue, type Frame, MULTIPLEX_LIMITS, readFrames, writeFrame } from "./frames.ts";

const id = fc.nat(0xffff_ffff);
const frame: fc.Arbitrary<Frame> = fc.oneof(
  fc.record({ kind: fc.constantFrom("open" as const, "end" as const, "reset" as const), id }),
  fc.record({
    kind: fc.constant("data" as const),
    id,
    bytes: fc.uint8Array({ minLength: 1, maxLength: 300 }),
  }),
  fc.record({
    kind: fc.constant("credit" as const),
    id,
    amount: fc.integer({ min: 1, max: MULTIPLEX_LIMITS.windowBytes }),
  }),
);

/** The frames again, with the pieces of one connection's neighbouring data put together. */
function joined(frames: readonly Frame[]): readonly object[] {
  const result: object[] = [];
  for (const next of frames) {
    const last = result.at(-1) as { kind: string; id: number; text: string } | undefined;
    if (next.kind !== "data") result.push(next);
    else if (last?.kind === "data" && last.id === next.id)
      last.text += Buffer.from(next.bytes).toString("hex");
    else result.push({ kind: "data", id: next.id, text: Buffer.from(next.bytes).toString("hex") });
  }
  return result;
}

test("frames are read as they were written, in whatever pieces they come", () => {
  fc.assert(
    fc.property(
      fc.array(frame, { maxLength: 20 }),
      fc.infiniteStream(fc.integer({ min: 1, max: 40 })),
      (all, sizes) => {
        const bytes = Buffer.concat(all.map(writeFrame));
        const read: Frame[] = [];
        const reader = readFrames(MULTIPLEX_LIMITS, (next) => {
          read.push(next);
          return undefined;
        });
        for (let at = 0; at < bytes.length; ) {
          const size = sizes.next().value;
          expect(reader(bytes.subarray(at, at + size))).toBeUndefined();
          at += size;
        }
        expect(joined(read)).toEqual(joined(all));
      },
    ),
  );
});

const raw = (kind: number, value: number): Buffer => {
  const bytes = Buffer.alloc(9);
  bytes.writeUInt8(kind, 0);
  bytes.writeUInt32BE(1, 1);
  bytes.writeUInt32BE(value, 5);
  return bytes;
};

test.each([
  [0, 0, "a frame of unknown kind"],
  [6, 0, "a frame of unknown kind"],
  [1, 1, "an open frame with a value"],
  [2, 0, "a payload of impossible length"],
  [2, MULTIPLEX_LIMITS.maxPayloadBytes + 1, "a payload of impossible length"],
  [3, 1, "an end frame with a value"],
  [4, 1, "a reset frame with a value"],
  [5, 0, "an impossible credit"],
  [5, 0xffff_ffff, "an impossible credit"],
])("a frame of kind %i with the value %i is refused", (kind, value, fault) => {
  expect(readFrames(MULTIPLEX_LIMITS, () => undefined)(raw(kind, value))).toBe(fault);
});

test("bytes come out in the order in which they went in", () => {
  const step = fc.option(fc.uint8Array({ maxLength: 50 }));
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const queue = createByteQueue(16);
      const put: number[] = [];
      const taken: number[] = [];
      for (const bytes of [...steps, ...steps.flatMap(() => [null, null, null, null])]) {
        if (bytes === null) taken.push(...(queue.take() ?? []));
        else {
          queue.append(bytes);
          put.push(...bytes);
        }
      }
      expect(taken).toEqual(put);
    }),
  );
});

test("single bytes are kept together, and nothing is left after clearing", () => {
  const queue = createByteQueue(4);
  for (const byte of [1, 2, 3, 4, 5, 6]) queue.append(Uint8Array.of(byte));
  expect([queue.take(), queue.take(), queue.take()]).toEqual([
    Uint8Array.of(1, 2, 3, 4),
    Uint8Array.of(5, 6),
    undefined,
  ]);
  queue.append(Uint8Array.of(7));
  queue.clear();
  expect(queue.take()).toBeUndefined();
});
