import { SkilletError } from "@skillet/kit/errors";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { editFrontmatter, type FrontmatterEdit, type FrontmatterValue } from "./edit-frontmatter.ts";
import { loadYaml } from "./load-yaml.ts";
import { parseSkill } from "./parse-skill.ts";

const TEXT = `---
# the name
name: 'pdf' # short
description: "Fills: forms" # long

metadata:
  # who
  author: me
  version: 1.10

  flow: {"a": 1, b: [x]}
tags:
- one # first
- two
notes: |
  line: one
license:
---

Body  
`;

const edit = (...edits: [string, FrontmatterValue | undefined][]): string =>
  editFrontmatter(
    TEXT,
    edits.map(([path, value]) => ({ path: path.split(".") as [string, ...string[]], value })),
  );

describe("editFrontmatter", () => {
  it.each<[string, string, FrontmatterValue | undefined, string, string]>([
    ["a value in its own quotes", "name", "it's", "name: 'pdf' # short", "name: 'it''s' # short"],
    ["a value in double quotes", "description", "x", '"Fills: forms" # long', '"x" # long'],
    ["a nested value", "metadata.author", "you", "  author: me\n", "  author: you\n"],
    ["text that would be a number", "metadata.author", "1.10", "  author: me\n", '  author: "1.10"\n'],
    [
      "text that older parsers take for a boolean",
      "metadata.author",
      "yes",
      "  author: me\n",
      '  author: "yes"\n',
    ],
    ["text with a colon", "metadata.author", "a: b", "  author: me\n", '  author: "a: b"\n'],
    ["text of several lines", "metadata.author", "a\nb", "  author: me\n", '  author: "a\\nb"\n'],
    ["a number", "metadata.version", 2, "version: 1.10", "version: 2"],
    ["a value inside brackets", "metadata.flow.a", 2, '{"a": 1, b: [x]}', '{"a": 2, b: [x]}'],
    ["a new value inside brackets", "metadata.flow.c", "d", '{"a": 1, b: [x]}', '{"a": 1, b: [x], c: d}'],
    ["a whole flow value", "metadata.flow", ["z"], '{"a": 1, b: [x]}', "[z]"],
    ["a new key at the end", "homepage", "https://x", "license:\n", "license:\nhomepage: https://x\n"],
    [
      "a new nested key",
      "metadata.internal",
      true,
      '  flow: {"a": 1, b: [x]}\n',
      '  flow: {"a": 1, b: [x]}\n  internal: true\n',
    ],
    ["a new map", "other.deep", 1, "license:\n", "license:\nother:\n  deep: 1\n"],
    ["a key without a value", "license", "MIT", "license:\n", "license: MIT\n"],
    ["a list for a key without a value", "license", ["MIT"], "license:\n", "license:\n  - MIT\n"],
    ["a map for a key without a value", "license.id", "MIT", "license:\n", "license:\n  id: MIT\n"],
    ["a list for a text", "name", ["a"], "name: 'pdf' # short\n", "name:\n  # short\n  - a\n"],
    ["a text for a list", "tags", "one two", "tags:\n- one # first\n- two\n", "tags: one two\n"],
    ["a list for a list", "tags", ["x"], "tags:\n- one # first\n- two\n", "tags:\n- x\n"],
    ["a text for a block scalar", "notes", "x", "notes: |\n  line: one\n", "notes: x\n"],
    ["an empty list", "tags", [], "tags:\n- one # first\n- two\n", "tags: []\n"],
    ["nothing for a key", "metadata.author", undefined, "  author: me\n", ""],
    ["nothing for a list", "tags", undefined, "tags:\n- one # first\n- two\n", ""],
    ["nothing for a key in brackets", "metadata.flow.a", undefined, '{"a": 1, b: [x]}', "{b: [x]}"],
    ["nothing for the last key", "license", undefined, "license:\n", ""],
    ["nothing for a key that is not there", "other", undefined, "", ""],
    ["nothing below a text", "name.x", undefined, "", ""],
  ])("writes %s and leaves the rest as it is", (_what, path, value, before, after) => {
    expect(edit([path, value])).toBe(TEXT.replace(before, after));
  });

  it("removes a map that loses its last key", () => {
    const text = "---\nname: a\nmetadata:\n  b:\n    c: d\ne: f\n---\n";
    expect(editFrontmatter(text, [{ path: ["metadata", "b", "c"], value: undefined }])).toBe(
      "---\nname: a\ne: f\n---\n",
    );
  });

  it.each([
    ["# top\n{name: a} # c\n", "# top\n{name: a, metadata: {v: q, z: q}} # c\n"],
    ["metadata: {a: yes, n: off} # c\n", "metadata: {a: yes, n: off, v: q, z: q} # c\n"],
    ["metadata: {a: 1\n  # in\n  } # c\n\n  # d\n", "metadata: {a: 1, v: q, z: q}\n  # in\n  # c\n\n  # d\n"],
  ])("leaves the comments around a flow map and the values in it as they are: %j", (before, after) => {
    const edits = ["v", "z"].map((key): FrontmatterEdit => ({ path: ["metadata", key], value: "q" }));
    expect(editFrontmatter(`---\n${before}---\n`, edits)).toBe(`---\n${after}---\n`);
  });

  it("quotes for older parsers what is new in a flow map", () => {
    const edits: FrontmatterEdit[] = [{ path: ["metadata", "on", "off"], value: ["no", "x"] }];
    expect(editFrontmatter("---\nmetadata: {a: yes}\n---\n", edits)).toBe(
      '---\nmetadata: {a: yes, "on": {"off": ["no", x]}}\n---\n',
    );
  });

  it("makes several changes one after another", () => {
    expect(edit(["name", "x"], ["license", undefined], ["metadata.flow", undefined])).toBe(
      TEXT.replace("'pdf'", "'x'").replace("license:\n", "").replace('\n  flow: {"a": 1, b: [x]}\n', ""),
    );
  });

  it("keeps byte order mark, CRLF line ends and the body", () => {
    const text = "\uFEFF---\r\nname: a # x\r\n---\r\nbody\n\r\n";
    const edits: FrontmatterEdit[] = [
      { path: ["name"], value: "b" },
      { path: ["tags"], value: ["c"] },
    ];
    expect(editFrontmatter(text, edits)).toBe(
      "\uFEFF---\r\nname: b # x\r\ntags:\r\n  - c\r\n---\r\nbody\n\r\n",
    );
  });

  it("gives frontmatter to a file without", () => {
    expect(editFrontmatter("# Title\n", [{ path: ["name"], value: "a" }])).toBe(
      "---\nname: a\n---\n\n# Title\n",
    );
    expect(editFrontmatter("# Title\n", [{ path: ["name"], value: undefined }])).toBe("# Title\n");
    expect(editFrontmatter("---\n---\nx", [{ path: ["name"], value: "a" }])).toBe("---\nname: a\n---\nx");
  });

  it.each([
    ["the header is not YAML", "---\nname: a: b\n---\n", ["name"]],
    ["the path leads through a text", "---\nname: a\n---\n", ["name", "x"]],
    ["the path leads through a list", "---\ntags: [a]\n---\n", ["tags", "x"]],
    ["the header holds aliases", "---\nname: &x a\nb: *x\n---\n", ["c"]],
    ["the fence names a language", "---js\nname: a\n---\n", ["name"]],
    ["the header is a list", "---\n- a\n---\n", ["name"]],
  ])("throws where %s", (_what, text, path) => {
    const attempt = (): string =>
      editFrontmatter(text, [{ path: path as [string, ...string[]], value: "y" }]);
    expect(attempt).toThrow(SkilletError);
    expect(attempt).toThrow(/^Cannot edit /);
  });

  it("changes nothing but the key, whatever the value", () => {
    const scalar = fc.oneof(
      fc.string(),
      fc.string({ unit: "binary" }),
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
    );
    const value = fc.oneof(
      scalar,
      fc.array(scalar, { maxLength: 3 }),
      fc.dictionary(fc.constantFrom("a", "b c", "- d", "#e", "true"), scalar, { maxKeys: 2 }),
    );
    const path = fc.constantFrom(
      "name",
      "metadata.author",
      "metadata.new",
      "tags",
      "notes",
      "license",
      "new",
      "new.deep.er",
    );
    const property = fc.property(path, value, (dotted, written) => {
      const edited = editOrRefuse(dotted, written);
      if (edited === undefined) return;
      const comments = ["# the name", "# long", "# who"].filter((comment) => !edited.includes(comment));
      expect(comments).toEqual([]);
      expect(edited.endsWith("---\n\nBody  \n")).toBe(true);
      const header = edited.slice(4, edited.indexOf("---\n\nBody"));
      const read = dotted
        .split(".")
        .reduce<unknown>((map, key) => (map as Record<string, unknown>)[key], loadYaml().parse(header));
      expect(read).toEqual(written);
      const back = editFrontmatter(edited, [
        { path: dotted.split(".") as [string, ...string[]], value: undefined },
      ]);
      expect(parseSkill(back, { directoryName: "x" }).manifest?.description).toBe("Fills: forms");
    });
    fc.assert(property, { numRuns: 400 });
  });
});

/** Characters that a header cannot hold in any form are refused instead of being written wrongly. */
function editOrRefuse(dotted: string, value: FrontmatterValue): string | undefined {
  try {
    return edit([dotted, value]);
  } catch (error) {
    expect(error).toMatchObject({ code: "frontmatter-not-editable" });
    return undefined;
  }
}
