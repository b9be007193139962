import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isAllowedName } from "./check-name.ts";
import type { Manifest } from "./manifest.ts";
import { parseSkill } from "./parse-skill.ts";
import { repairSkill } from "./repair-skill.ts";
import { files } from "./testing/headers.ts";

const skill = (lines: string): string => `---\n${lines}---\n\nBody.\n`;

describe("repairSkill", () => {
  it.each([
    [
      "an unquoted colon",
      skill("name: a\ndescription: it's this: now # x\n"),
      skill("name: a\ndescription: 'it''s this: now' # x\n"),
      ["unquoted-colon 3:14"],
    ],
    [
      "a key in the wrong letters",
      skill("Name: a\ndescription: b\nDescription: c\n"),
      skill("name: a\ndescription: b\nDescription: c\n"),
      ["unknown-key 2:1"],
    ],
    [
      "a reserved character",
      skill("name: a\ndescription: @b\n"),
      skill("name: a\ndescription: '@b'\n"),
      ["unquoted-value 3:14"],
    ],
    [
      "a missing bracket",
      skill("name: a\ndescription: b\nmetadata: {c: d\n"),
      skill("name: a\ndescription: b\nmetadata: {c: d}\n"),
      ["unclosed-bracket 4:11"],
    ],
    [
      "a stray tab before a key of its own",
      skill("name: a\ndescription: Makes tabs.\n\tlicense: MIT\nmetadata:\n\tversion: x\n\tname: y\n"),
      skill("name: a\ndescription: Makes tabs.\nlicense: MIT\nmetadata:\n  version: x\n  name: y\n"),
      ["tab-indentation 4:1"],
    ],
    [
      "a restriction after a stray tab, in whatever spelling, which is no part of the value before it",
      skill("name: a\ndescription: Use when: b\n  \tallowed_tools: [Bash, Read]\n"),
      skill("name: a\ndescription: 'Use when: b'\nallowed_tools: Bash Read\n"),
      ["unquoted-colon 3:14", "allowed-tools-list 4:1", "tab-indentation 4:1"],
    ],
    [
      "a quote that is not closed",
      skill("name: a\ndescription: \"It's b # x\n"),
      skill("name: a\ndescription: 'It''s b' # x\n"),
      ["unquoted-value 3:14"],
    ],
    [
      "tabs",
      skill("name: a\ndescription: b\nmetadata:\n\tc: d\n"),
      skill("name: a\ndescription: b\nmetadata:\n  c: d\n"),
      ["tab-indentation 5:1"],
    ],
    [
      "a byte order mark",
      `\uFEFF${skill("name: a\ndescription: b\n")}`,
      skill("name: a\ndescription: b\n"),
      ["byte-order-mark 1:1"],
    ],
    [
      "blank lines first",
      `\n \n${skill("name: a\ndescription: b\n")}`,
      skill("name: a\ndescription: b\n"),
      ["leading-blank-lines 1:1"],
    ],
    [
      "untidy fences",
      "--- \nname: a\ndescription: b\n---\t\nx",
      "---\nname: a\ndescription: b\n---\nx",
      ["fence-spaces 1:4", "fence-spaces 4:4"],
    ],
    [
      "a long fence",
      "----\nname: a\ndescription: b\n----\nx",
      "---\nname: a\ndescription: b\n---\nx",
      ["long-fence 1:1"],
    ],
    [
      "a missing closing fence",
      "---\nname: a\ndescription: b\n\n# A\n",
      "---\nname: a\ndescription: b\n---\n\n# A\n",
      ["unclosed-frontmatter 1:1"],
    ],
    [
      "a missing closing fence before a heading, which stays in the body",
      "---\nname: a\n# of a\ndescription: b\n# A\n\n1. Read.\n",
      "---\nname: a\n# of a\ndescription: b\n---\n# A\n\n1. Read.\n",
      ["unclosed-frontmatter 1:1"],
    ],
    [
      "a missing opening fence",
      "name: a\ndescription: b\n---\nx",
      "---\nname: a\ndescription: b\n---\nx",
      ["unopened-frontmatter 1:1"],
    ],
    [
      "a list of tools",
      skill("name: a\ndescription: b\nallowed-tools:\n- Read\n- Bash(a b) # x\n"),
      skill("name: a\ndescription: b\nallowed-tools: Read Bash(a b)\n"),
      ["allowed-tools-list 4:1"],
    ],
    [
      "a flow list of tools",
      skill('name: a\ndescription: b\nallowed-tools: ["Read", "Grep"]\n'),
      skill("name: a\ndescription: b\nallowed-tools: Read Grep\n"),
      ["allowed-tools-list 4:1"],
    ],
    [
      "commas between tools",
      skill("name: a\ndescription: b\nallowed-tools: Read, Grep # x\n"),
      skill("name: a\ndescription: b\nallowed-tools: Read Grep # x\n"),
      ["allowed-tools-commas 4:1"],
    ],
    [
      "numbers where text belongs",
      skill("name: 12\ndescription: true\nmetadata:\n  version: 1.10 # x\n"),
      skill('name: "12"\ndescription: "true"\nmetadata:\n  version: "1.10" # x\n'),
      ["not-text 2:7", "not-text 3:14", "not-text 5:12"],
    ],
    [
      "a version that is cut as a number, and no number that stays as it is",
      skill("name: a\ndescription: b\nversion: 1.10\nauthor: 7\n"),
      skill('name: a\ndescription: b\nversion: "1.10"\nauthor: 7\n'),
      ["not-text 4:10"],
    ],
    [
      "a number between mixed line ends",
      skill("name: a\r\ncompatibility: true\n  - y\nmetadata: {a: 1}\n"),
      skill('name: a\r\ncompatibility: true\n  - y\nmetadata: {a: "1"}\n'),
      ["not-text 5:15"],
    ],
    [
      "booleans in other words",
      skill("name: a\ndescription: b\nuser-invocable: 'no'\n"),
      skill("name: a\ndescription: b\nuser-invocable: false\n"),
      ["boolean-spelling 4:1"],
    ],
    [
      "a missing name",
      skill("# x\ndescription: b\n"),
      skill("# x\ndescription: b\nname: folder\n"),
      ["missing-name 2:1"],
    ],
    ...["My_Folder", "the folder", "Fôlder!"].map((name): [string, string, string, string[]] => [
      `the name ${name}`,
      skill(`name: ${name} # x\ndescription: b\n`),
      skill("name: folder # x\ndescription: b\n"),
      ["name-characters 2:7"],
    ]),
  ])("puts %s right", (_what, before, after, applied) => {
    const repaired = repairSkill(before, { directoryName: "folder" });
    expect(repaired.text).toBe(after);
    expect(repaired.applied.map(({ code, range }) => `${code} ${range?.line}:${range?.column}`)).toEqual(
      applied,
    );
  });

  it.each([
    ["a sound skill", skill("name: a\ndescription: b\nmetadata: {c: d}\n")],
    ["CRLF line ends", skill("name: a\ndescription: b\n").replaceAll("\n", "\r\n")],
    ["a comment before the fence", `<!-- x -->\n\n${skill("name: a\ndescription: b\n")}`],
    ["no frontmatter", "# A\n\nText.\n"],
    ["duplicate keys", skill("name: a\nname: 5\ndescription: b\n")],
    ["a key that could be text", skill("name: a\ndescription: Use when: b\n  allowed-tools: Bash\n")],
    ["a key after a tab that no client knows", skill("name: a\ndescription: b\n\ttool-limits: Bash\n")],
    [
      "a key in a value between quotes",
      skill('name: a\ndescription: "b\n\tlicense: MIT"\nauthor: @c\n\tlicence: @c\n'),
    ],
    ["hopeless YAML", skill("name: [a\n  b: c\n- d\n")],
    ["aliases", skill("name: &x a\ndescription: *x\n")],
    ["another language", "---js\nname: a\n---\n"],
    ["tools that would fall apart", skill("name: a\ndescription: b\nallowed-tools: [a b]\n")],
    ["a folder that is no name", skill("description: b\n")],
  ])("leaves %s alone", (_what, text) => {
    expect(repairSkill(text, { directoryName: "No Name" })).toEqual({ text, applied: [] });
  });

  it("leaves the body and all of the manifest but a bad name as they were, and nothing to do the second time", () => {
    const property = fc.property(files(), (text) => {
      const repaired = repairSkill(text, { directoryName: "folder" });
      expect(repaired.text !== text).toBe(repaired.applied.length > 0);
      const before = parseSkill(text, { directoryName: "folder" });
      const after = parseSkill(repaired.text, { directoryName: "folder" });
      // A name that no client takes has to become another one.
      const { name = "" } = (isAllowedName(before.manifest?.name ?? "") ? before : after).manifest ?? {};
      expect(comparable(after.manifest)).toBe(comparable(before.manifest && { ...before.manifest, name }));
      expect(after.body).toBe(before.body);
      expect(repairSkill(repaired.text, { directoryName: "folder" })).toEqual({
        text: repaired.text,
        applied: [],
      });
    });
    fc.assert(property, { numRuns: 1500 });
  });
});

/** Metadata values are compared as text, because that is what the specification has them be. */
function comparable(manifest: Manifest | undefined): string | undefined {
  if (manifest === undefined) return undefined;
  const entries = Object.entries(manifest.metadata).map(([key, value]) =>
    typeof value === "number" || typeof value === "boolean" ? [key, String(value)] : [key, value],
  );
  return JSON.stringify({ ...manifest, metadata: entries });
}
