import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { showControl, stripControl } from "./strip-control.ts";

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const CONTROL = /[\0-\x1F\x7F-\x9F\u2028\u2029\u202A-\u202E\u2066-\u2069]/;
const hostile = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string({
    unit: fc.constantFrom(
      "\x1b",
      "[",
      "]",
      "0",
      ";",
      "m",
      "\x07",
      "\x9b",
      "\x9d",
      "\u202e",
      "\u200b",
      "\u200d",
      "é",
      "👩",
      " ",
      "\n",
      "\ud800",
    ),
  }),
);

describe("stripControl", () => {
  test("escape sequences are shown instead of obeyed", () => {
    expect(stripControl("pdf\x1b[2J\x1b]0;owned\x07")).toBe("pdf␛[2J␛]0;owned␇");
  });

  test("C1 controls, which some terminals obey like escapes, become a mark", () => {
    expect(stripControl("a\x9b31mb\x85c")).toBe("a\uFFFD31mb c");
  });

  test("bidirectional overrides and zero-width characters become one visible mark a run", () => {
    expect(stripControl("g\u200b\u2060h \u202etxt.exe")).toBe("g\uFFFDh \uFFFDtxt.exe");
  });

  test("text hidden in tag characters is shown to be there", () => {
    expect(stripControl("safe\u{E0069}\u{E0067}\u{E006E}")).toBe("safe\uFFFD");
  });

  test("line breaks and runs of white space become one space", () => {
    expect(stripControl("  one\r\n\ttwo\u2028three  ")).toBe("one two three");
  });

  test("emoji sequences and Persian joiners stay whole", () => {
    const text = "👩‍💻 ❤️ می‌خواهم";
    expect(stripControl(text)).toBe(text);
  });

  test("a joiner between Latin letters is not part of any writing and is marked", () => {
    expect(stripControl("g\u200dh")).toBe("g\uFFFDh");
  });

  test("stacks of combining marks are cut", () => {
    expect(stripControl(`e${"\u0301".repeat(500)}`)).toBe(`e${"\u0301".repeat(8)}`);
  });

  test("no control character survives, whatever goes in", () => {
    fc.assert(
      fc.property(
        hostile,
        (text) => !CONTROL.test(stripControl(text)) && !/\p{Surrogate}/u.test(stripControl(text)),
      ),
    );
  });

  test("what was made safe once stays as it is", () => {
    fc.assert(fc.property(hostile, (text) => stripControl(stripControl(text)) === stripControl(text)));
  });
});

describe("showControl", () => {
  test("indentation and tabs keep their places", () => {
    expect(showControl("  a\tb\x1b")).toBe("  a→   b␛");
  });

  test("no control character survives, whatever goes in", () => {
    fc.assert(fc.property(hostile, (text) => !CONTROL.test(showControl(text))));
  });
});
