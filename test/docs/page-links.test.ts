import { expect, test } from "vitest";
import { brokenLinks, headingAnchors } from "./page-links.ts";

test("headings get the anchors that GitHub gives them", () => {
  const text = "# What's `show`?\n## Two: words_and-more\n### Same\n### Same\n```text\n# not one\n```\n";
  expect([...headingAnchors(text)]).toEqual(["whats-show", "two-words_and-more", "same", "same-1"]);
});

test("links that lead nowhere are found with page and line", () => {
  const text = [
    "[one](README.md) [web](https://example.org) [self](#here)",
    "## Here",
    "[gone](missing.md)",
    "[no heading](README.md#nowhere) `[code](nothing.md)`",
    "[out](../../elsewhere.md) [absolute](/etc/passwd)",
  ].join("\n");
  expect(brokenLinks({ path: "docs/page.md", text, blocks: [] })).toEqual([
    "docs/page.md:3: missing.md: does not exist",
    "docs/page.md:4: README.md#nowhere: has no such heading",
    "docs/page.md:5: ../../elsewhere.md: leads out of the repository",
    "docs/page.md:5: /etc/passwd: is neither relative nor a web address",
  ]);
});
