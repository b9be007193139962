import fc from "fast-check";
import { expect, test } from "vitest";
import { createByteQueue } from "./byte-queue.ts";

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
