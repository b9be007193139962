import fc from "fast-check";
import { expect, test } from "vitest";
import { EscapeFilter } from "./view-matcher.ts";
import { stripTerminal } from "./watch-output.ts";

function textIn(stream: string): string {
  const filter = new EscapeFilter();
  return Buffer.from(Buffer.from(stream).filter((byte) => !filter.hides(byte))).toString();
}

const sequence = fc.constantFrom(
  "\x1b[31m",
  "\x1b[K",
  "\x1b[?25l",
  "\x1b]0;title\x07",
  "\x1b]8;;https://x.test\x1b\\",
  "\x1bP1$r0m\x1b\\",
  "\x1b(B",
  "\x1bc",
  "\x1b[1 q",
);

test("what is left of a text with whole sequences is what a terminal would show", () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(sequence, fc.constantFrom("a", "ö", "\n", "[", "m", " "))), (parts) => {
      expect(textIn(parts.join(""))).toBe(stripTerminal(parts.join("")));
    }),
  );
});

test("a sequence that breaks off hides nothing of the next line, and not the beginning of another", () => {
  expect(textIn("a\x1b]0;open\nnext")).toBe("a\nnext");
  expect(textIn("a\x1b[3\nnext")).toBe("a\nnext");
  expect(textIn("a\x1b[3\x1b[31mb")).toBe("ab");
  expect(textIn("a\x1b]0;x\x1b[31mb")).toBe("ab");
  expect(textIn("a\x1b\x1b[31mb")).toBe("ab");
  expect(textIn("a\x1bö")).toBe("aö");
});
