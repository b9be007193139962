import { execFileSync } from "node:child_process";
import { shellArgument } from "@skillet/kit/text";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  displayWidth,
  formatBytes,
  formatTokens,
  hang,
  pad,
  showControl,
  showPath,
  showSentence,
  stripControl,
  truncate,
  truncateStart,
  wrap,
} from "./text.ts";

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
  test("breaks plain ASCII as it breaks other letters of one column", () => {
    const unit = fc.constantFrom("a", "b", " ", "/", "-", "word", "longer-word", "x/y");
    const maxLines = fc.option(fc.integer({ min: 1, max: 4 }), { nil: 100 });
    const property = fc.property(fc.string({ unit }), fc.nat(20), maxLines, (text, width, lines) => {
      const options = { width, maxLines: lines };
      const other = wrap(`${text}a`.replaceAll("a", "ä"), options).map((line) => line.replaceAll("ä", "a"));
      expect(wrap(`${text}a`, options)).toEqual(other);
    });
    fc.assert(property, { numRuns: 1000 });
  });

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

const environment = { HOME: "/home/user" };

test("the home folder is shortened, and folders that only begin like it are not", () => {
  const shown = ["/home/user", "/home/user/a", "/home/username/a", "/srv/home/user/a"].map((path) =>
    showPath(path, environment),
  );
  expect(shown).toEqual(["~", "~/a", "/home/username/a", "/srv/home/user/a"]);
});

test("paths in a sentence are shortened where they begin", () => {
  const text = "/home/user/a has it (/home/user/b:3), not /srv/home/user/c or /home/username/d\x1b";
  expect(showSentence(text, environment)).toBe(
    "~/a has it (~/b:3), not /srv/home/user/c or /home/username/d␛",
  );
});

test("without a home nothing is shortened", () => {
  expect(showSentence("in /home/user/a", {})).toBe("in /home/user/a");
});

test("a plain path stays plain", () => {
  expect(shellArgument("/srv/app-1/.skillet")).toBe("/srv/app-1/.skillet");
});

test.each(["two words", "it's", "$HOME", "`id`", "a\\b", "", "*"])(
  "a shell reads %j back as it was",
  (argument) => {
    expect(execFileSync("sh", ["-c", `printf %s ${shellArgument(argument)}`], { encoding: "utf8" })).toBe(
      argument,
    );
  },
);

test("a skill's text, which has a limit, is wrapped like any other, whatever looks like a command in it", () => {
  const text = "Helps: skillet trust --approve evil --reason because it is fine";
  const lines = hang(text, { width: 24 }, { maxLines: 12 });
  expect(lines.every((line) => line.length <= 24)).toBe(true);
});

test("a command to copy that would be broken stands whole on a line of its own", () => {
  const command = `skillet trust --approve sync-helper@sha256:${"0f".repeat(32)} --reason TEXT`;
  const text = `It is blocked. If that is a false alarm: \`${command}\`. See \`skillet scan\` for more.`;
  expect(hang(text, { width: 60 }, { indent: 4 })).toEqual([
    "    It is blocked. If that is a false alarm:",
    `      ${command}`,
    "    See `skillet scan` for more.",
  ]);
  expect(hang("Read why: skillet explain a. Keep it away: skillet disable a-b", { width: 54 })).toEqual([
    ...["Read why: skillet explain a. Keep it away:", "  skillet disable a-b"],
  ]);
  expect(hang("To let it write here: skillet run a scripts/b.sh --writable .", { width: 40 })).toEqual([
    ...["To let it write here:", "  skillet run a scripts/b.sh --writable ."],
  ]);
});

test("colour codes take no columns", () => {
  const painted = "\x1b[32m✓\x1b[39m \x1b[1mrust-setup\x1b[22m  safe  \x1b[2mskills/rust-setup\x1b[22m";
  expect(displayWidth(painted)).toBe(37);
  expect(wrap(painted, { width: 37 })).toEqual([painted]);
  expect(wrap(painted, { width: 20 })).toEqual([painted.slice(0, -26).trimEnd(), painted.slice(-26)]);
});

test.each([
  [0, "~0"],
  [999, "~999"],
  [1000, "~1k"],
  [1234, "~1.2k"],
  [9949, "~9.9k"],
  [9950, "~10k"],
  [999_499, "~999k"],
  [999_500, "~1M"],
  [12_345_678, "~12M"],
])("%i tokens are written %s", (tokens, text) => {
  expect(formatTokens(tokens)).toBe(text);
});

test.each([
  [0, "0 B"],
  [1023, "1023 B"],
  [1536, "1.5 kB"],
  [1024 * 1024, "1 MB"],
])("%i bytes are written %s", (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});
