import { OutputCapture } from "@skillet/kit/process";
import fc from "fast-check";
import { expect, test } from "vitest";
import { showOutput } from "./show-output.ts";

const show = (head: string | Uint8Array, tail: string | Uint8Array = "", omittedBytes = 0): string =>
  showOutput({ head: Buffer.from(head as string), tail: Buffer.from(tail as string), omittedBytes });

test("what was kept whole is shown as text", () => {
  expect(show("a\x1b[1mb\r\nc")).toBe("ab\nc");
  expect(show(Buffer.from([0xff, 0x61]))).toBe("\uFFFDa");
  expect(show("\uFEFFa")).toBe("a");
});

test("between head and tail a line says how much is missing", () => {
  expect(show("head\n", "tail\n", 1000)).toBe("head\n[1000 bytes left out]\ntail\n");
  expect(show("head", "tail", 1000)).toBe("head\n[1000 bytes left out]\ntail");
  expect(show("", "tail", 1)).toBe("[1 bytes left out]\ntail");
});

test("a character that was cut in two counts as left out", () => {
  const euro = Buffer.from("€");
  expect(
    show(
      Buffer.concat([Buffer.from("a"), euro.subarray(0, 2)]),
      Buffer.concat([euro.subarray(2), Buffer.from("b")]),
      5,
    ),
  ).toBe("a\n[8 bytes left out]\nb");
  expect(show("a€", "€b", 5)).toBe("a€\n[5 bytes left out]\n€b");
});

test("a sequence that the head leaves open does not swallow the tail", () => {
  expect(show("a\x1b]0;title", "tail\x07", 9)).toBe("a0;title\n[9 bytes left out]\ntail");
});

test("wherever the cap cuts valid text, no broken character is shown", () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom("a", "é", "€", "😀"), { minLength: 20, maxLength: 60 }),
      fc.nat(40),
      (parts, cap) => {
        const capture = new OutputCapture(cap);
        capture.add(Buffer.from(parts.join("")));
        expect(showOutput(capture.finish())).not.toContain("\uFFFD");
      },
    ),
  );
});
