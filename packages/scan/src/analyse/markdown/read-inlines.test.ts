import fc from "fast-check";
import { expect, test } from "vitest";
import { type Prose, readInlines } from "./read-inlines.ts";
import { HiddenScope } from "./read-markup.ts";

const shown = (text: string): Prose =>
  readInlines(text, { toSource: (offset) => offset, defined: new Map(), scope: new HiddenScope() }).shown;

test.each([
  ["Run `npm test` and **wait**.", "Run npm test and wait."],
  ["See [the guide](https://a.test/guide_1) for *more*.", "See the guide for more."],
  ["A snake_case_name, 2 * 3 and a < b & c ~ d.", "A snake_case_name, 2 * 3 and a < b & c ~ d."],
  ["Not \\*slanted\\* at all.", "Not *slanted* at all."],
  ["**Bold with *slanted* inside**", "Bold with slanted inside"],
])("what a reader sees of %j", (text, seen) => {
  expect(shown(text).text).toBe(seen);
});

test("a hundred thousand open marks are read, and make no code", () => {
  for (const mark of ["`", "*a ", "[", "\\", "`a``"])
    expect(shown(`${mark.repeat(100_000)} x`).code.length).toBeLessThan(100_000);
});

test("a hundred thousand links after as many open marks are read", () => {
  expect(shown(`${"*a ".repeat(100_000)}${"[x](y) ".repeat(100_000)}`).links.length).toBe(100_000);
});

test.each(["<SPAN HIDDEN>", "<Span hidden>"])("%s hides what follows", (tag) => {
  expect(shown(`one ${tag}two</SPAN> three`).text).toBe("one  three");
});

test("what a template holds is hidden", () => {
  expect(shown("one <template>two</template> three").text).toBe("one  three");
});

test("text with code and strong words alone is read as the parser reads it", () => {
  const parts = [
    ...'ab .:()"é_&<-#>~1\n*`',
    "b c",
    " ",
    "`x`",
    "`y *z`",
    "**",
    "**",
    "1.",
    "\n\n",
    "`` ` ``",
    "[d e](f_g)",
    "[h](https://i.org/~j*k)",
    "!",
    "(l)",
    "~",
  ];
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...parts), { maxLength: 14 }), (list) => {
      const text = list.join("");
      // A bracket that nothing closes stands for itself, and is not among what is read without the parser.
      const parsed = shown(`${text} [`);
      const read = shown(`${text} +`);
      expect(read.text).toBe(parsed.text.replace(/\[$/, "+"));
      expect(read.code).toEqual(parsed.code);
      expect(read.links).toEqual(parsed.links);
      for (let at = 0; at < read.text.length; at++)
        expect(read.sourceOffset(at)).toBe(parsed.sourceOffset(at));
    }),
    { numRuns: 2_000 },
  );
});
