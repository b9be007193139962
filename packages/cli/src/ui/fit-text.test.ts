import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { displayWidth, pad, truncate, truncateStart, wrap } from "./fit-text.ts";
import { stripControl } from "./strip-control.ts";

const text = fc
  .oneof(
    fc.string({ unit: "grapheme" }),
    fc.string({ unit: fc.constantFrom("a", "b", " ", "/", "-", "技", "👩‍💻", "é", "❤️", "🇩🇪", "ก") }),
    fc.string({ unit: "binary" }),
  )
  .map(stripControl);
const width = fc.integer({ min: 2, max: 40 });

describe("truncate", () => {
  test("a text that fits is left alone", () => {
    expect(truncate("pdf-forms", 9)).toBe("pdf-forms");
  });

  test("a cut is marked and takes no column more than there are", () => {
    expect(truncate("pdf-forms", 6)).toBe("pdf-f…");
  });

  test("a wide character is never cut in two", () => {
    expect(truncate("技能系统", 4)).toBe("技…");
  });

  test("a family of emoji is one character", () => {
    expect(truncate("👩‍👩‍👧‍👦👩‍👩‍👧‍👦", 3)).toBe("👩‍👩‍👧‍👦…");
  });

  test("no text exceeds the width", () => {
    fc.assert(
      fc.property(text, width, (value, columns) => displayWidth(truncate(value, columns)) <= columns),
    );
  });

  test("what is left is the beginning of the text", () => {
    fc.assert(
      fc.property(text, width, (value, columns) => {
        const cut = truncate(value, columns);
        return cut === value || value.startsWith(cut.slice(0, -1));
      }),
    );
  });
});

describe("wrap", () => {
  test("lines break between words", () => {
    expect(wrap("one two three four", { width: 9 })).toEqual(["one two", "three", "four"]);
  });

  test("a word longer than the line is broken", () => {
    expect(wrap("a supercalifragilistic b", { width: 8 })).toEqual(["a", "supercal", "ifragili", "stic b"]);
  });

  test("a path longer than the line is broken behind its slashes", () => {
    expect(wrap("see /home/user/.skillet/skills/pdf-forms/SKILL.md now", { width: 17 })).toEqual([
      "see",
      "/home/user/",
      ".skillet/skills/",
      "pdf-forms/",
      "SKILL.md now",
    ]);
  });

  test("a name longer than the line is broken behind its hyphens", () => {
    expect(wrap("a-name-that-is-long", { width: 12 })).toEqual(["a-name-that-", "is-long"]);
    expect(wrap("skills/a-name-that-is-long", { width: 12 })).toEqual(["skills/", "a-name-that-", "is-long"]);
  });

  test("a path that fits into a line of its own stays whole", () => {
    expect(wrap("see ~/skills/pdf now", { width: 12 })).toEqual(["see", "~/skills/pdf", "now"]);
  });

  test("a part of a path longer than the line is broken all the same", () => {
    expect(wrap("/supercalifragilistic/b", { width: 8 })).toEqual(["/", "supercal", "ifragili", "stic/b"]);
  });

  test("the last line says when there is more", () => {
    expect(wrap("one two three four", { width: 9, maxLines: 2 })).toEqual(["one two", "three…"]);
  });

  test("a cut falls between words unless too much would be lost", () => {
    expect(wrap("supercalifragilistic", { width: 9, maxLines: 1 })).toEqual(["supercal…"]);
    expect(wrap("a supercalifragilistic", { width: 9, maxLines: 1 })).toEqual(["a superc…"]);
  });

  test("letters that join without end are broken like a long word", () => {
    expect(wrap("क्".repeat(9), { width: 4 })).toEqual(["क्".repeat(4), "क्".repeat(4), "क्"]);
  });

  test("an empty text has no lines", () => {
    expect(wrap("", { width: 9 })).toEqual([]);
  });

  test("no line exceeds the width, and no more lines come than were asked for", () => {
    fc.assert(
      fc.property(text, width, fc.integer({ min: 1, max: 5 }), (value, columns, maxLines) => {
        const lines = wrap(value, { width: columns, maxLines });
        return lines.length <= maxLines && lines.every((line) => displayWidth(line) <= columns);
      }),
    );
  });

  test("without a limit nothing but white space is lost", () => {
    fc.assert(
      fc.property(text, width, (value, columns) => {
        const joined = wrap(value, { width: columns }).join("");
        return joined.replaceAll(/\s/g, "") === value.replaceAll(/\s/g, "");
      }),
    );
  });
});

describe("truncateStart", () => {
  test("the end of a path is what stays", () => {
    expect(truncateStart("/home/user/.skillet/skills/pdf/SKILL.md:3:1", 17)).toBe("…pdf/SKILL.md:3:1");
  });

  test("no text exceeds the width", () => {
    fc.assert(
      fc.property(text, width, (value, columns) => displayWidth(truncateStart(value, columns)) <= columns),
    );
  });
});

test("pad fills up to columns, not to characters", () => {
  expect(pad("技", 4)).toBe("技  ");
});

test.each([
  ["", 0],
  ["skill", 5],
  ["naïve", 5],
  ["e\u0301", 1],
  ["技能", 4],
  ["ｆｕｌｌ", 8],
  ["한글", 4],
  ["\u1112\u1161\u11ab", 2],
  ["✓", 1],
  ["✅", 2],
  ["❤️", 2],
  ["👩‍👩‍👧‍👦", 2],
  ["🇩🇪", 2],
  ["👍🏽", 2],
  ["a\u200bb", 2],
  ["ไทย", 3],
])("%s takes %i columns", (text, columns) => {
  expect(displayWidth(text)).toBe(columns);
});
