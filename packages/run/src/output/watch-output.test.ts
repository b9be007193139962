import { OutputCapture } from "@skillet/kit/process";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createRedactor } from "./create-redactor.ts";
import { showOutput, stripTerminal, watchOutput } from "./watch-output.ts";

test("a secret that a program coloured in part is shown neither while it runs nor afterwards", () => {
  const text = "key: \x1b[01;31m\x1b[Ks3cr\x1b[m\x1b[K3t-v4lue-0815\nnext\n";
  for (let cut = 0; cut <= text.length; cut += 1) {
    const heard: string[] = [];
    const watch = watchOutput({
      redactor: createRedactor({ KEY: "s3cr3t-v4lue-0815" }),
      maxBytes: 1024,
      onOutput: (_stream, bytes) => heard.push(Buffer.from(bytes).toString()),
    });
    // As `grep --color=always s3cr` writes it.
    watch.listener("stdout", Buffer.from(text.slice(0, cut)));
    watch.listener("stdout", Buffer.from(text.slice(cut)));
    expect(watch.finish().stdout).toBe("key: [redacted KEY]\nnext\n");
    expect(heard.join("")).toBe("key: \x1b[01;31m\x1b[K[redacted KEY]\nnext\n");
  }
});

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

describe("what a terminal would obey is removed", () => {
  test.each([
    ["colours", "\x1b[31mred\x1b[0m", "red"],
    ["cursor and screen", "a\x1b[2J\x1b[1;1Hb", "ab"],
    ["private modes", "\x1b[?1049hx\x1b[?25l", "x"],
    ["an 8-bit sequence", "\u009b31mred", "red"],
    ["a title", "\x1b]0;owned\x07x", "x"],
    ["a title closed by ST", "\x1b]0;owned\x1b\\x", "x"],
    ["an 8-bit title", "\u009d0;owned\u009cx", "x"],
    ["the clipboard", "\x1b]52;c;ZXZpbA==\x07x", "x"],
    ["a link", "\x1b]8;;https://evil.example\x1b\\text\x1b]8;;\x1b\\", "text"],
    ["a device string", "\x1bP1$r0m\x1b\\x", "x"],
    ["APC, PM and SOS", "\x1b_a\x1b\\\x1b^b\x1b\\\x1bXc\x1b\\x", "x"],
    ["a character set", "\x1b(0x\x1b(B", "x"],
    ["a reset", "\x1bcx", "x"],
    ["a bell, a backspace and a NUL", "a\x07b\x08c\0d\x7fe", "abcde"],
    ["form feed and vertical tab", "a\x0cb\x0bc", "abc"],
    ["a sequence that is not finished", "a\x1b[31", "a31"],
    ["an escape at the end", "a\x1b", "a"],
  ])("%s", (_what, text, shown) => {
    expect(stripTerminal(text)).toBe(shown);
  });

  test("a string that is never closed hides nothing of what follows", () => {
    expect(stripTerminal("\x1b]0;owned\nimportant\n")).toBe("0;owned\nimportant\n");
    expect(stripTerminal("\x1bPx\x1b[31mred")).toBe("xred");
  });
});

test("line ends become line feeds", () => {
  expect(stripTerminal("a\r\nb\rc\u0085d\u2028e\u2029f\tg")).toBe("a\nb\nc\nd\ne\nf\tg");
});

test("what would not be seen becomes a mark; emoji and joined scripts stay whole", () => {
  expect(stripTerminal("a\u202Eb\u200Bc\u{E0041}\u{E0042}d\u2066e")).toBe("a\uFFFDb\uFFFDc\uFFFDd\uFFFDe");
  expect(stripTerminal("👩‍💻 ❤️ نمی‌خواهم")).toBe("👩‍💻 ❤️ نمی‌خواهم");
});

test("nothing of any text is left that a terminal would obey", () => {
  const piece = fc.constantFrom(
    "\x1b",
    "[",
    "]",
    "P",
    "\x07",
    "\\",
    "\u009b",
    "\u009d",
    "\u009c",
    "3",
    "m",
    "(",
    "\r",
    "\n",
    "x",
    "\u202e",
    "\x9f",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
      const shown = stripTerminal(pieces.join(""));
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
      expect(shown).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]/);
      expect(stripTerminal(shown)).toBe(shown);
    }),
    { numRuns: 1000 },
  );
});

test("a flood of open sequences is read in one pass", () => {
  for (const piece of ["\x1b]", "\u009d", "\x1b[1", "\x1b[ ", "\u0090x"])
    expect(stripTerminal(piece.repeat(300_000)).length).toBeLessThanOrEqual(300_000);
});
