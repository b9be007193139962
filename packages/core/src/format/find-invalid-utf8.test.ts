import { describe, expect, it } from "vitest";
import { findInvalidUtf8 } from "./find-invalid-utf8.ts";

describe("findInvalidUtf8", () => {
  it.each([
    ["a wrong first byte", [0xff, 0x61], { line: 1, column: 1 }],
    ["a continuation without a beginning", [0x61, 0x0a, 0x62, 0x80], { line: 2, column: 2 }],
    ["a sequence that is cut off", [0x61, 0xe6, 0xbc, 0x0a], { line: 1, column: 2 }],
    ["an overlong form", [0xc0, 0xaf], { line: 1, column: 1 }],
    ["a byte behind other letters", [0xc3, 0xa9, 0xf0, 0x9f, 0x8e, 0xac, 0x80, 0x61], { line: 1, column: 4 }],
    ["a surrogate", [0x61, 0x61, 0xed, 0xa0, 0x80], { line: 1, column: 3 }],
  ])("points at %s", (_what, bytes, place) => {
    expect(findInvalidUtf8(Uint8Array.from(bytes))).toEqual(place);
  });
});
