import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import fc from "fast-check";
import { expect, test } from "vitest";
import { decodeConstant, decodeUtf8, type Encoding } from "./decode-constant.ts";

const ENCODERS: readonly (readonly [Encoding, (bytes: Buffer) => string])[] = [
  ["base64", (bytes) => bytes.toString("base64")],
  ["base64", (bytes) => bytes.toString("base64url")],
  ["hex", (bytes) => bytes.toString("hex")],
  ["zlib", (bytes) => deflateSync(bytes).toString("latin1")],
  ["gzip", (bytes) => gzipSync(bytes).toString("latin1")],
  ["deflate", (bytes) => deflateRawSync(bytes).toString("latin1")],
  ["brotli", (bytes) => brotliCompressSync(bytes).toString("latin1")],
  ["percent", (bytes) => [...bytes].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join("")],
];

test("what was encoded comes out again", () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 200 }),
      fc.constantFrom(...ENCODERS),
      (array, [encoding, encode]) => {
        const bytes = Buffer.from(array);
        expect(decodeConstant(encode(bytes), encoding)).toBe(bytes.toString("latin1"));
      },
    ),
  );
});

test.each<[Encoding, string, string | undefined]>([
  ["base32", "NBSWY3DP", "hello"],
  ["base85", "Xk~0{Zv", "hello"],
  ["ascii85", "BOu!rDZ", "hello"],
  ["rot13", "uryyb", "hello"],
  ["hex", "xyz", undefined],
  ["base64", "no base64!", undefined],
  ["gzip", "nothing packed", undefined],
  ["marshal", "hello", undefined],
])("%s of %s is %s", (encoding, text, expected) => {
  expect(decodeConstant(text, encoding)).toBe(expected);
});

test("what unpacks to more than is looked at does not come out", () => {
  const bomb = deflateSync(Buffer.alloc(10_000_000)).toString("latin1");
  expect(decodeConstant(bomb, "zlib")).toBeUndefined();
});

test("bytes are read as UTF-8 where they are, and left alone where not", () => {
  expect(decodeUtf8(Buffer.from("é").toString("latin1"))).toBe("é");
  expect(decodeUtf8("\u{ff}\u{fe}")).toBe("\u{ff}\u{fe}");
});
