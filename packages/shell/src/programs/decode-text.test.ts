import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { expect, test } from "vitest";
import { known, unknown } from "../model/value.ts";
import { decodeValue, type Encoding } from "./decode-text.ts";

test.each<[Encoding, string, string]>([
  ["base64", "aGVsbG8=", "hello"],
  ["base32", "NBSWY3DP", "hello"],
  ["hex", "68656c6c6f", "hello"],
  ["hex", "00000000: 6865 6c6c 6f                             hello", "hello"],
  ["reversed", "olleh", "hello"],
  ["rot13", "uryyb", "hello"],
])("%s of %s", (encoding, text, decoded) => {
  expect(decodeValue(known(text), encoding)).toEqual({
    text: decoded,
    isKnown: true,
    sources: [{ type: "decoded", encoding, text: decoded }],
  });
});

test("a compressed text inside base64 survives both steps", () => {
  const packed = gzipSync("hello").toString("base64");
  expect(decodeValue(decodeValue(known(packed), "base64"), "gzip").text).toBe("hello");
});

test("a bomb stays unknown", () => {
  const packed = gzipSync(Buffer.alloc(10_000_000)).toString("latin1");
  expect(decodeValue(known(packed), "gzip")).toEqual(unknown([{ type: "decoded", encoding: "gzip" }]));
});

test("what is not known is still known to be decoded", () => {
  expect(decodeValue(unknown([]), "base64")).toEqual(unknown([{ type: "decoded", encoding: "base64" }]));
});

test("any text of any encoding gives a value", () => {
  const encodings = fc.constantFrom<Encoding>(
    "base64",
    "base32",
    "hex",
    "gzip",
    "reversed",
    "rot13",
    "ascii85",
  );
  fc.assert(
    fc.property(fc.string(), encodings, (text, encoding) => {
      expect(decodeValue(known(text), encoding).sources).toHaveLength(1);
    }),
  );
});
