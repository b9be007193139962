import { expect, test } from "vitest";
import { markdownBlocks, withoutCode } from "./markdown-blocks.ts";

test("blocks come with language, attributes, code and the line of their fence", () => {
  const text =
    '# Title\n\n```yaml config="project" file="a b.yaml"\nskills: {}\n```\n\n- item\n  ```sh\n  ls\n  ```\n';
  expect(markdownBlocks(text)).toEqual([
    {
      language: "yaml",
      attributes: new Map([
        ["config", "project"],
        ["file", "a b.yaml"],
      ]),
      code: "skills: {}\n",
      line: 3,
    },
    { language: "sh", attributes: new Map(), code: "ls\n", line: 8 },
  ]);
});

test("a longer fence holds shorter ones", () => {
  const [block] = markdownBlocks("````text\n```ts\nx\n```\n````\n");
  expect(block?.code).toBe("```ts\nx\n```\n");
});

test.each([["```ts\nx\n"], ["```ts no-run=needs-quotes\nx\n```\n"], ['```ts no-run="open\nx\n```\n']])(
  "%j is refused with its line",
  (text) => {
    expect(() => markdownBlocks(text)).toThrow(/line 1/);
  },
);

test("links in code are no links", () => {
  const text = "`[a](b)` [c](d)\n```text\n[e](f)\n```\n[g](h)\n";
  expect(withoutCode(text)).toBe("         [c](d)\n\n\n\n[g](h)\n");
});
