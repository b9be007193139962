import { describe, expect, it } from "vitest";
import { describeBody } from "./interpret-skill.ts";

describe("describeBody", () => {
  it.each([
    [
      "# Title\n\nFirst line\nsecond line.\n\nAnother.",
      { heading: "Title", paragraph: "First line second line." },
    ],
    ["# Title #\nText", { heading: "Title", paragraph: "Text" }],
    ["Title\n=====\n\nText", { heading: "Title", paragraph: "Text" }],
    ["Title\n---\nText", { heading: "Title", paragraph: "Text" }],
    ["```\ncode\n```\n\nText", { paragraph: "Text" }],
    ["<!-- a\ncomment -->\nText", { paragraph: "Text" }],
    ["---\n\n***\n| a | b |\n|---|---|\n\nText", { paragraph: "Text" }],
    ["> A quotation\n> goes on.\n\nText", { paragraph: "A quotation goes on." }],
    ["## Only headings\n\n### More", { heading: "Only headings" }],
    ["#hashtag text", { paragraph: "#hashtag text" }],
    ["", {}],
    [" \n\n", {}],
  ])("reads %j", (body, expected) => {
    expect(describeBody(body)).toEqual(expected);
  });

  it("cuts a long paragraph, but never through a character", () => {
    const { paragraph } = describeBody(`${"a".repeat(1023)}🎬 and more`);
    expect(paragraph).toBe("a".repeat(1023));
  });

  it("finishes on a long line of white space or marks", () => {
    const length = 500_000;
    expect(describeBody(`# a${" ".repeat(length)}\u2028`)).toEqual({ heading: "a" });
    expect(describeBody(`${"#".repeat(length)} a`)).toEqual({ paragraph: `${"#".repeat(1024)}` });
  });
});
