import fc from "fast-check";
import { expect, test } from "vitest";
import { StreamWindow } from "./stream-window.ts";

test("the bytes from any place on are those of the stream", () => {
  const step = fc.record({ chunk: fc.uint8Array({ maxLength: 20 }), keep: fc.nat(30) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const window = new StreamWindow();
      let stream = Buffer.alloc(0);
      for (const { chunk, keep } of steps) {
        const reused = Uint8Array.from(chunk);
        window.append(reused);
        reused.fill(0);
        stream = Buffer.concat([stream, chunk]);
        expect(window.end).toBe(stream.length);
        expect(Buffer.from(window.between(window.start, window.end))).toEqual(stream.subarray(window.start));
        window.forgetBefore(Math.max(window.start, window.end - keep));
      }
    }),
  );
});

test.each([0, 1, 100, 10_000])(
  "with %i bytes kept, no byte is moved often, however small the chunks",
  (kept) => {
    const window = new StreamWindow();
    for (let written = 0; written < 100_000; written++) {
      window.append(Uint8Array.of(written));
      window.forgetBefore(Math.max(window.start, window.end - kept));
    }
    expect(window.movedBytes).toBeLessThanOrEqual(2 * window.end);
  },
);
