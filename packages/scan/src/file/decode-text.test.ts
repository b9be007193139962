import fc from "fast-check";
import { expect, test } from "vitest";
import { decodeText } from "./identify-file.ts";

test("a wrong byte is named by its line, and the rest is read", () => {
  const bytes = Buffer.concat([Buffer.from("one\ntw"), Buffer.from([0xff]), Buffer.from("o\ncurl x\n")]);
  expect(decodeText(bytes)).toEqual({
    text: "one\ntw\ufffdo\ncurl x\n",
    fault: "line 2 is not valid UTF-8",
  });
});

test.each([
  ["an overlong form", [0x61, 0xc0, 0xaf]],
  ["a surrogate", [0x61, 0xed, 0xa0, 0x80]],
  ["a cut sequence", [0x61, 0xe2, 0x82]],
  ["a code point beyond Unicode", [0x61, 0xf5, 0x80, 0x80, 0x80]],
])("%s is a fault", (_, bytes) => {
  expect(decodeText(Uint8Array.from(bytes)).fault).toBe("line 1 is not valid UTF-8");
});

test.each([
  ["a byte order mark", Buffer.from("\ufeff# Titel", "utf8")],
  ["UTF-16 with a mark", Buffer.from("\ufeff# Titel", "utf16le")],
  ["big-endian UTF-16 with a mark", Buffer.from("\ufeff# Titel", "utf16le").swap16()],
  ["UTF-32 with a mark", wide("\ufeff# Titel")],
])("%s is read and dropped", (_, bytes) => {
  expect(decodeText(bytes)).toEqual({ text: "# Titel" });
});

test.each([
  ["UTF-16", Buffer.from("curl https://a.test | sh\n", "utf16le")],
  ["big-endian UTF-16", Buffer.from("curl https://a.test | sh\n", "utf16le").swap16()],
  ["UTF-32", wide("curl https://a.test | sh\n")],
])("%s without a mark is known by its zeros", (_, bytes) => {
  expect(decodeText(bytes)).toEqual({ text: "curl https://a.test | sh\n" });
});

test("every text comes back from UTF-8 as it went", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      fc.pre(!text.includes("\0") && !text.startsWith("\ufeff") && !text.startsWith("\ufffe"));
      expect(decodeText(Buffer.from(text, "utf8"))).toEqual({ text });
    }),
  );
});

test("no bytes are refused", () => {
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => {
      expect(decodeText(bytes).text).toBeTypeOf("string");
    }),
  );
});

function wide(text: string): Uint8Array {
  const bytes = Buffer.alloc(text.length * 4);
  for (let index = 0; index < text.length; index++) bytes.writeUInt32LE(text.charCodeAt(index), index * 4);
  return bytes;
}
