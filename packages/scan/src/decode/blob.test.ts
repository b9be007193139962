import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readBlobSigns } from "./blob.ts";

describe("readBlobSigns", () => {
  it("sees nothing in plain words", () => {
    expect(readBlobSigns("Read the file, then tell what it says.")).toEqual({
      runs: [],
      hasLongRun: false,
      mayHaveHexadecimal: false,
      mayHaveBase32: false,
      mayHaveHexadecimalPairs: false,
      mayHaveNumbers: false,
    });
  });

  it("sees the runs that a pattern would find, wherever they stand", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom("Ab9+", "/_-x", "aaaaaaaaaaaa", " ", "=", "é", "\n", ","), {
          maxLength: 40,
        }),
        (pieces) => {
          const text = pieces.join("");
          const expected = Array.from(text.matchAll(/[A-Za-z0-9+/_-]{12,}/g), (match) => [
            match.index,
            match.index + match[0].length,
          ]);
          expect(readBlobSigns(text).runs).toEqual(expected.flat());
        },
      ),
    );
  });

  it.each([
    ["mayHaveHexadecimal", "x = 6375726c20687474"],
    ["mayHaveBase32", "MN2XE3BANB2HI4DTHIXS6YJOORSXG5A="],
    ["mayHaveHexadecimalPairs", "63 75 72 6c 20 68 74 74"],
    ["mayHaveHexadecimalPairs", "0x63, 0x75, 0x72, 0x6c, 0x20, 0x68"],
    ["mayHaveHexadecimalPairs", "63-75-72-6c-20-68-74-74"],
    ["mayHaveNumbers", "[99 , 117, 114,108, 32, 104]"],
  ] as const)("sees %s in %s", (sign, text) => {
    expect(readBlobSigns(text)[sign]).toBe(true);
  });
});
