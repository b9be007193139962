import { expect, test } from "vitest";
import type { SourceText } from "../text/source-text.ts";
import { blankInnerTexts } from "./read-files.ts";

const source = (text: string, more: Partial<SourceText> = {}): SourceText => ({
  file: "SKILL.md",
  text,
  language: "markdown",
  firstLine: 1,
  keepsLines: true,
  chain: [],
  medium: "prose",
  stance: "live",
  section: [],
  isFixture: false,
  ...more,
});

test("the lines of a fence are blank in the document around it, and all others stay where they are", () => {
  const document = source("one\n```\ntwo\nthree\n```\nfour");
  const fence = source("two\nthree", { firstLine: 3, medium: "fence", language: "shell" });
  expect(blankInnerTexts(document, [fence]).text).toBe("one\n```\n\n\n```\nfour");
});

test("inline code shares its line with prose, which stays", () => {
  const document = source("run `two` now");
  const inline = source("two", { medium: "inline-code", language: "shell" });
  expect(blankInnerTexts(document, [inline])).toBe(document);
});
