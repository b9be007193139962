import { describe, expect, it } from "vitest";
import { splitList } from "./field.ts";

describe("splitList", () => {
  it.each([
    ["Bash(git:*) Bash(jq:*) Read", ["Bash(git:*)", "Bash(jq:*)", "Read"]],
    ["Read, Write,Grep", ["Read", "Write", "Grep"]],
    ["Bash(git add:*, git commit:*), Read", ["Bash(git add:*, git commit:*)", "Read"]],
    ["src/*.{ts,tsx} docs/[a, b].md", ["src/*.{ts,tsx}", "docs/[a, b].md"]],
    ["  ,, a\t\nb ", ["a", "b"]],
    ["a) b", ["a)", "b"]],
    ["Bash(git", ["Bash(git"]],
    ["", []],
  ])("splits %j at spaces and commas outside brackets", (text, parts) => {
    expect(splitList(text)).toEqual(parts);
  });

  it("splits phrases at commas only", () => {
    expect(splitList("fill a form, sign it", "commas")).toEqual(["fill a form", "sign it"]);
  });
});
