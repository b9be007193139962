import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { countCharacters } from "./count-characters.ts";

describe("countCharacters", () => {
  it("counts what decoding would give, wherever the bytes lie in memory", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom("a", "é", "漢", "🎬", "\u{10FFFF}", "plain text "), { maxLength: 40 }),
        fc.nat(7),
        fc.nat(5),
        (pieces, shift, skipped) => {
          const text = "x".repeat(skipped) + pieces.join("");
          const bytes = new Uint8Array(shift + Buffer.byteLength(text)).subarray(shift);
          bytes.set(Buffer.from(text));
          expect(countCharacters(bytes, skipped, bytes.length)).toBe(text.length - skipped);
        },
      ),
    );
  });
});
