import fc from "fast-check";
import { expect, test } from "vitest";
import { BoundedBytes, OutputCapture } from "./output-capture.ts";

const chunks = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 30 });

/** The same, from the whole stream at once. */
function expected(all: Uint8Array, maxBytes: number): object {
  if (all.length <= maxBytes) return { head: all, tail: new Uint8Array(0), omittedBytes: 0 };
  const headBytes = Math.ceil(maxBytes / 2);
  const tailStart = all.length - Math.floor(maxBytes / 2);
  return { head: all.slice(0, headBytes), tail: all.slice(tailStart), omittedBytes: tailStart - headBytes };
}

test("head and tail are those of the whole stream, however it is cut into chunks", () => {
  fc.assert(
    fc.property(chunks, fc.integer({ min: 0, max: 200 }), (parts, maxBytes) => {
      const capture = new OutputCapture(maxBytes);
      for (const part of parts) capture.add(part);
      expect(capture.finish()).toEqual(expected(Uint8Array.from(Buffer.concat(parts)), maxBytes));
    }),
    { numRuns: 1000 },
  );
});

test("buffers that grow keep what was in them", () => {
  const all = Uint8Array.from({ length: 50_000 }, (_, index) => index * 31);
  for (const maxBytes of [49_999, 20_001, 9_000, 50_000]) {
    const capture = new OutputCapture(maxBytes);
    for (let start = 0; start < all.length; start += 777) capture.add(all.subarray(start, start + 777));
    expect(capture.finish()).toEqual(expected(all, maxBytes));
  }
});

test("what a listener does to a chunk later does not change what was kept", () => {
  const capture = new OutputCapture(10);
  const chunk = Uint8Array.of(1, 2, 3);
  capture.add(chunk);
  chunk.fill(9);
  expect(capture.finish().head).toEqual(Uint8Array.of(1, 2, 3));
});

test("bounded bytes are the first ones", () => {
  fc.assert(
    fc.property(chunks, fc.integer({ min: 0, max: 100 }), (parts, maxBytes) => {
      const kept = new BoundedBytes(maxBytes);
      for (const part of parts) kept.add(part);
      expect(kept.bytes()).toEqual(Uint8Array.from(Buffer.concat(parts)).slice(0, maxBytes));
    }),
  );
});
