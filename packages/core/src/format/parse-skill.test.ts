import type { Diagnostic } from "@skillet/kit/diagnostics";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MAX_SKILL_BYTES } from "./format-limits.ts";
import { type ParseSkillOptions, parseSkill, parseSkillBytes } from "./parse-skill.ts";
import { findInvalidUtf8 } from "./skill-bytes.ts";
import { files } from "./testing/headers.ts";

const summarise = (diagnostics: readonly Diagnostic[]): string[] =>
  diagnostics.map(({ severity, code, range }) => `${severity} ${code} ${range?.line}:${range?.column}`);

const load = (text: string, options?: ParseSkillOptions) => {
  const { manifest, body, diagnostics } = parseSkill(text, options);
  return { name: manifest?.name, description: manifest?.description, body, faults: summarise(diagnostics) };
};

describe("parseSkill", () => {
  it("reads a plain skill", () => {
    const parsed = parseSkill("---\nname: greet\ndescription: Says hello.\n---\n\n  Say hello.\n\n", {
      directoryName: "greet",
    });
    expect(parsed).toMatchObject({ body: "  Say hello.", bodyLine: 6, diagnostics: [] });
    expect(parsed.manifest).toEqual({
      name: "greet",
      description: "Says hello.",
      tags: [],
      relatedSkills: [],
      triggers: { keywords: [], verbs: [], patterns: [] },
      toolsets: [],
      invocation: { model: true, user: true, paths: [], products: [], internal: false },
      args: { names: [] },
      execution: { context: "inline" },
      tools: { allowed: [], disallowed: [] },
      gating: {
        always: false,
        os: [],
        bins: [],
        anyBins: [],
        commands: [],
        config: [],
        environments: [],
        credentialFiles: [],
        env: [],
        mcp: [],
        skills: [],
        requiresTools: [],
        requiresToolsets: [],
        fallbackForTools: [],
        fallbackForToolsets: [],
      },
      install: [],
      ui: {},
      metadata: {},
      extra: {},
    });
  });

  it("says what was wrong, where, and what to do", () => {
    expect(
      parseSkill("---\nname: a\ndescription: Use this: now\n---\n", { file: "a/SKILL.md" }).diagnostics,
    ).toEqual([
      {
        code: "unquoted-colon",
        severity: "info",
        message: "The value holds a colon and a space without being quoted; it was read as if it were.",
        file: "a/SKILL.md",
        range: { line: 3, column: 14 },
        hint: "Put the whole value in quotes.",
      },
    ]);
  });

  it("has an error exactly where it has no manifest, whatever the text", () => {
    const mode = fc.constantFrom("strict" as const, "lenient" as const);
    const property = fc.property(fc.oneof(files(), fc.string({ unit: "binary" })), mode, (text, chosen) => {
      const { manifest, diagnostics } = parseSkill(text, { mode: chosen });
      const errors = diagnostics.filter(({ severity }) => severity === "error");
      expect(errors.length > 0).toBe(manifest === undefined);
      for (const { hint, range } of diagnostics) {
        expect(hint).not.toBe("");
        expect(range?.line).toBeGreaterThan(0);
        expect(range?.column).toBeGreaterThan(0);
      }
    });
    fc.assert(property, { numRuns: 2000 });
  });
});

describe("lenient loading", () => {
  const skill = { name: "a", description: "b", body: "" };

  it.each([
    ["a byte order mark", "\uFEFF---\nname: a\ndescription: b\n---\n", ["info byte-order-mark 1:1"]],
    ["CRLF line ends", "---\r\nname: a\r\ndescription: b\r\n---\r\n", ["info crlf-line-ends 1:1"]],
    [
      "blank lines before the fence",
      "\n \n---\nname: a\ndescription: b\n---\n",
      ["info leading-blank-lines 1:1"],
    ],
    [
      "a comment before the fence",
      "<!-- c\n -->\n---\nname: a\ndescription: b\n---\n",
      ["info leading-comment 1:1"],
    ],
    ["spaces behind the opening fence", "--- \nname: a\ndescription: b\n---\n", ["info fence-spaces 1:4"]],
    ["spaces behind the closing fence", "---\nname: a\ndescription: b\n---\t\n", ["info fence-spaces 4:4"]],
    ["YAML named on the fence", "---yaml\nname: a\ndescription: b\n---\n", ["info fence-spaces 1:4"]],
    ["a comment on the fence", "--- # x\nname: a\ndescription: b\n---\n", ["info fence-spaces 1:4"]],
    ["a long fence", "-----\nname: a\ndescription: b\n-----\n", ["info long-fence 1:1"]],
    ["a flow map", "---\nname: a\ndescription: b\nmetadata: {c: d}\n---\n", ["info flow-style 4:11"]],
    ["tabs", "---\nname: a\ndescription: b\nmetadata:\n\tc: d\n---\n", ["info tab-indentation 5:1"]],
    [
      "a list of tools",
      "---\nname: a\ndescription: b\nallowed-tools:\n- Read\n---\n",
      ["info allowed-tools-list 4:1"],
    ],
    [
      "tools with commas",
      "---\nname: a\ndescription: b\nallowed-tools: Read, Grep\n---\n",
      ["info allowed-tools-commas 4:1"],
    ],
    [
      "a YAML 1.1 boolean",
      "---\nname: a\ndescription: b\nuser-invocable: yes\n---\n",
      ["info boolean-spelling 4:1"],
    ],
    ["a key twice", "---\nname: x\nname: a\ndescription: b\n---\n", ["warning duplicate-key 3:1"]],
    [
      "a missing bracket",
      "---\nname: a\ndescription: b\nmetadata: {c: [d]\n---\n",
      ["info flow-style 4:11", "warning unclosed-bracket 4:11"],
    ],
    [
      "a reserved first character",
      "---\nname: a\ndescription: b\nauthor: @me\n---\n",
      ["info unquoted-value 4:9"],
    ],
    [
      "text that begins with an asterisk",
      "---\nname: a\ndescription: b\nauthor: *me*\n---\n",
      ["info unquoted-value 4:9"],
    ],
    [
      "brackets that are no list",
      "---\nname: a\ndescription: b\nargument-hint: [c] [d]\n---\n",
      ["info unquoted-value 4:16"],
    ],
    ["a missing closing fence", "---\nname: a\ndescription: b\n", ["warning unclosed-frontmatter 1:1"]],
    [
      "dots as the closing fence",
      "---\nname: a\ndescription: b\n...\n",
      ["warning unclosed-frontmatter 1:1"],
    ],
    ["a missing opening fence", "name: a\ndescription: b\n---\n", ["warning unopened-frontmatter 1:1"]],
    ["a stray line", "---\nname: a\n<<<<<<< HEAD\ndescription: b\n---\n", ["warning line-ignored 3:1"]],
    ["a number as the description", "---\nname: a\ndescription: 5\n---\n", ["info not-text 3:14"]],
  ])("loads %s with one diagnostic", (_what, text, faults) => {
    const loaded = load(text);
    expect({ ...loaded, description: loaded.description === "5" ? "b" : loaded.description }).toEqual({
      ...skill,
      faults,
    });
  });

  it.each([
    [
      "in a block scalar",
      "description: |\n  Use this: when\n  it is: needed\n",
      "Use this: when\nit is: needed",
      [],
    ],
    [
      "over several lines",
      "description: Use this: when\n  it is: needed\n",
      "Use this: when it is: needed",
      ["info unquoted-colon 3:14"],
    ],
    [
      "on a later line",
      "description: Use this\n  when: needed\n",
      "Use this when: needed",
      ["info unquoted-colon 3:14"],
    ],
    [
      "before a comment",
      "description: it's this: now # note\n",
      "it's this: now",
      ["info unquoted-colon 3:14"],
    ],
    ["at the end", "description: such as:\n", "such as:", ["info unquoted-colon 3:14"]],
    [
      "beside a flow map",
      'description: a: b\nmetadata: {"c": "d: e"}\n',
      "a: b",
      ["info unquoted-colon 3:14", "info flow-style 4:11"],
    ],
    [
      "behind a quoted beginning",
      'description: "A" and b: c\n',
      '"A" and b: c',
      ["info unquoted-value 3:14"],
    ],
  ])("reads an unquoted colon %s", (_what, lines, description, faults) => {
    expect(load(`---\nname: a\n${lines}---\n`)).toEqual({ ...skill, description, faults });
  });

  it.each([
    ["the folder's name", { directoryName: "tool" }, "tool"],
    ["words of the heading", {}, "my-2nd-tool"],
  ])("takes %s where there is no name", (_what, options, name) => {
    expect(load("---\ndescription: b\n---\n# My 2nd Tool!\n", options)).toEqual({
      name,
      description: "b",
      body: "# My 2nd Tool!",
      faults: ["warning missing-name 2:1"],
    });
  });

  it("takes the first paragraph where there is no description", () => {
    expect(load("---\nname: a\n---\n# A\n\nDoes *this*\nand that.\n\nMore.")).toEqual({
      name: "a",
      description: "Does *this* and that.",
      body: "# A\n\nDoes *this*\nand that.\n\nMore.",
      faults: ["warning missing-description 2:1"],
    });
  });

  it.each([
    [
      "with a folder",
      { directoryName: "tool" },
      { name: "tool", faults: ["warning missing-frontmatter 1:1"] },
    ],
    [
      "without a folder",
      {},
      { name: "my-tool", faults: ["warning missing-frontmatter 1:1", "warning missing-name 1:1"] },
    ],
  ])("takes heading and first paragraph where there is no frontmatter, %s", (_what, options, expected) => {
    const body = "# My Tool\n\nDoes this.";
    expect(load(`${body}\n`, options)).toEqual({ description: "Does this.", body, ...expected });
  });

  it("takes prose between two rulers for a body", () => {
    expect(load("---\n\n# A\n\nSome text\n\n---\n\nMore.\n", { directoryName: "a" })).toMatchObject({
      name: "a",
      description: "Some text",
      faults: ["warning missing-frontmatter 1:1"],
    });
  });

  it("finds the end of a header that only a ruler of the body closes", () => {
    const text = "---\nname: a\ndescription: b\n\n# A\n\nSome text.\n\n---\n\nMore.\n";
    expect(load(text)).toEqual({
      ...skill,
      body: "# A\n\nSome text.\n\n---\n\nMore.",
      faults: ["warning unclosed-frontmatter 1:1"],
    });
  });

  it("finds the end of a header whose closing fence is indented", () => {
    expect(load("---\nname: a\ndescription: |\n  b\n\n  c\n  ---\n  body\n")).toEqual({
      ...skill,
      description: "b\n\nc",
      body: "  body",
      faults: ["warning unclosed-frontmatter 1:1"],
    });
  });

  it("never takes dashes inside a value for the closing fence", () => {
    expect(
      load("---\nname: a\ndescription: b --- c\nlicense: |\n  ---\n  x\n---x: y\n---\nbody"),
    ).toMatchObject({
      name: "a",
      description: "b --- c",
      body: "body",
    });
  });

  it.each([
    ["name-too-long", `${"a".repeat(65)}`],
    ["name-not-lowercase", "Abc"],
    ["name-hyphens", "a--b"],
    ["name-characters", "a_b"],
    ["name-not-ascii", "übung"],
  ])("warns of %s and loads", (code, name) => {
    expect(load(`---\nname: ${name}\ndescription: b\n---\n`)).toEqual({
      ...skill,
      name,
      faults: [`warning ${code} 2:7`],
    });
  });

  it("warns where folder and name differ, but not where they are one name in two encodings", () => {
    const text = "---\nname: ﬁle\ndescription: b\n---\n";
    expect(load(text, { directoryName: "file" }).faults).toEqual(["warning name-not-ascii 2:7"]);
    expect(load(text, { directoryName: "File" }).faults).toContain("warning name-directory-mismatch 2:7");
  });

  it("keeps long descriptions", () => {
    const description = "é".repeat(1025);
    expect(load(`---\nname: a\ndescription: ${description}\n---\n`)).toEqual({
      ...skill,
      description,
      faults: ["warning description-too-long 3:14"],
    });
  });

  it.each([
    ["an empty file", "", "error missing-frontmatter 1:1"],
    ["nothing but white space", " \n\n", "error missing-frontmatter 1:1"],
    ["no description and no text", "---\nname: a\n---\n# A\n", "error missing-description 2:1"],
    ["no name at all", "---\ndescription: b\n---\n", "error missing-name 2:1"],
    ["hopeless YAML", "---\nauthor: [a\n  b: c\n- d\n---\ntext\n", "error invalid-yaml 2:10"],
  ])("skips %s with an error", (_what, text, fault) => {
    const { manifest, diagnostics } = parseSkill(text);
    expect(manifest).toBeUndefined();
    expect(summarise(diagnostics)).toEqual([fault]);
  });

  it("does not claim that an empty file has a heading and a paragraph", () => {
    const { message } = parseSkill("").diagnostics[0] ?? {};
    expect(message).toBe("The file does not begin with frontmatter; it is described by nothing else.");
  });
});

describe("hostile headers", () => {
  it.each(["---js\n", "---javascript\n", "--- json\n", "---toml\n", "---coffee\r\n"])(
    "never evaluates %j",
    (fence) => {
      const text = `${fence}name: a\ndescription: b\nmodule.exports = { name: "x", description: "y" }\n---\nbody\n`;
      const { manifest, diagnostics } = parseSkill(text);
      expect(manifest).toBeUndefined();
      expect(summarise(diagnostics)).toEqual(["error language-frontmatter 1:1"]);
    },
  );

  it.each([
    ["aliases", "a: &x [y]\nb: [*x, *x]\n", "error yaml-alias 4:7"],
    ["an alias bomb", "a: &a [x]\nb: &b [*a, *a]\nc: &c [*b, *b]\nd: [*c, *c]\n", "error yaml-alias 4:7"],
    ["a lone anchor", "a: &x y\n", "error yaml-alias 4:7"],
    ["a tag", "a: !!js/function 'x'\n", "error yaml-tag 4:18"],
    ["a tag on a map", "a: !x\n  b: c\n", "error yaml-tag 5:3"],
    ["a directive", "%YAML 1.1\n--- # x\n", "error yaml-directive 2:1"],
    ["deep flow collections", `a: ${"[".repeat(40)}${"]".repeat(40)}\n`, "error header-too-deep 4:35"],
    ["very deep flow collections", `a: ${"[".repeat(20_000)}\n`, "error header-too-deep 4:35"],
    ["very deep lists", `a:\n  ${"- ".repeat(10_000)}x\n`, "error header-too-deep 5:65"],
    ["very deep keys", `${"? ".repeat(10_000)}x\n`, "error header-too-deep 4:65"],
    ["pairs in deep lists", `a: ${"[b: ".repeat(20)}${"]".repeat(20)}\n`, "error header-too-deep 4:65"],
    ["brackets behind quoted ones", `a: ${'["]",'.repeat(6000)}\n`, "error header-too-deep 4:159"],
    ["brackets behind commented ones", `a: ${"[ #]\n ".repeat(4000)}\n`, "error header-too-deep 35:2"],
    ["an oversized header", `a: "${"x".repeat(33_000)}"\n`, "error header-too-large 2:1"],
  ])("refuses %s in both modes", (_what, lines, fault) => {
    const header = lines.startsWith("%")
      ? `${lines}name: a\ndescription: b\n`
      : `name: a\ndescription: b\n${lines}`;
    for (const mode of ["strict", "lenient"] as const) {
      const { manifest, diagnostics } = parseSkill(`---\n${header}---\nbody\n`, {
        mode,
      });
      expect(manifest).toBeUndefined();
      expect(summarise(diagnostics.filter(({ severity }) => severity === "error"))).toEqual([fault]);
    }
  });

  it("keeps keys away from prototypes", () => {
    const text =
      "---\nname: a\ndescription: b\n__proto__: {polluted: 1}\nmetadata:\n  __proto__: x\n  constructor: y\n---\n";
    const { manifest } = parseSkill(text);
    expect(Object.keys(manifest?.extra ?? {})).toEqual(["__proto__"]);
    expect(manifest?.metadata.toString).toBeUndefined();
    expect(Object.entries(manifest?.metadata ?? {})).toEqual([
      ["__proto__", "x"],
      ["constructor", "y"],
    ]);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  it("names the first hundred faults and counts the rest", () => {
    const lines = Array.from({ length: 2000 }, (_, index) => `key${index}: x\n`).join("");
    const { diagnostics } = parseSkill(`---\nname: a\ndescription: b\n${lines}---\n`, { mode: "strict" });
    expect(diagnostics.length).toBe(101);
    expect(diagnostics.at(-1)).toMatchObject({
      code: "more-faults",
      message: expect.stringContaining("1900"),
    });
  });

  // Each of these would take minutes or end the process if any step were worse than linear.
  const size = 30_000;
  const fill = (piece: string): string => piece.repeat(Math.floor(size / piece.length));
  it.each([
    ["a: b\n", fill("a: b\n")],
    ["a: b: c", `a: ${fill("b: ")}`],
    ["quotes", fill('a: "\n')],
    ["apostrophes", fill("a: '\n")],
    ["doubled apostrophes", `a: '${fill("''")}`],
    ["backslashes", `a: "${fill("\\")}`],
    ["brackets", `a: ${fill("[")}`],
    ["braces", `a: ${fill("{a: ")}`],
    ["commas", `a: [${fill(",")}]`],
    ["hashes", `a: ${fill("x#")}`],
    ["spaces", `a: ${fill(" ")}b${fill(" ")}#`],
    ["blank lines in a block scalar", `a: >\n  x\n${fill("  \n")}  y`],
    ["falling indentation", Array.from({ length: 200 }, (_, index) => `${" ".repeat(index)}a: {`).join("\n")],
    ["tabs", fill("\ta: b\n")],
    ["dashes", fill("- ")],
    ["flow lines", `x: y: z\na:\n {\n${fill(' "b": 1,\n')} }`],
    ["continuation lines", `a: b: c\n${fill(" d\n")}`],
    ["fences", fill("---x\n")],
    [
      "variables",
      `metadata: {openclaw: {requires: {env: [${Array.from({ length: 4000 }, (_, i) => `A${i}`).join(",")}]}}}`,
    ],
  ])("finishes on a header full of %s", (_what, header) => {
    const closed = `---\n${header}\n---\nbody`;
    for (const [text, mode] of [
      [closed, "strict"],
      [closed, "lenient"],
      [`---\n${header}`, "lenient"],
    ] as const) {
      expect(parseSkill(text, { mode, directoryName: "a" }).diagnostics.length).toBeGreaterThan(0);
    }
  });

  it.each([
    "\n",
    " ",
    "#",
    "# ",
    "---x\n",
    "--- x\n",
    "<!--",
    "<!---->",
    "```\n",
    "| ",
    "> ",
    "- ",
    "\r",
    "é",
    "...\n",
  ])("finishes on a body full of %j", (piece) => {
    const filling = piece.repeat(Math.floor(400_000 / Buffer.byteLength(piece)));
    for (const start of ["", "---\nname: a\n---\n", "---\nname: a\n", "---\n", "name: a\n", "\uFEFF"]) {
      const { diagnostics } = parseSkill(start + filling, { directoryName: "a" });
      expect(diagnostics.length).toBeGreaterThan(0);
    }
  });
});

describe("parseSkillBytes", () => {
  it("reads a plain skill without its body", () => {
    const text = "---\nname: greet\ndescription: Says hello.\n---\n\n# Greet\n\nSay hello ✓.\n";
    const { manifest, bodyCharacters, diagnostics } = parseSkillBytes(Buffer.from(text));
    expect({ name: manifest?.name, description: manifest?.description }).toEqual({
      name: "greet",
      description: "Says hello.",
    });
    expect(bodyCharacters).toBe("# Greet\n\nSay hello ✓.".length);
    expect(diagnostics).toEqual([]);
  });

  it("gives the same manifest, diagnostics and length of body as parseSkill, for any file and mode", () => {
    const mode = fc.constantFrom("strict" as const, "lenient" as const, "lenient" as const);
    const property = fc.property(files(), mode, fc.nat(7), (text, chosen, shift) => {
      const encoded = Buffer.from(text);
      const bytes = new Uint8Array(shift + encoded.length).subarray(shift);
      bytes.set(encoded);
      const options = { mode: chosen, file: "a/SKILL.md", directoryName: "a" };
      const parsed = parseSkill(encoded.toString("utf8"), options);
      expect(comparable(parseSkillBytes(bytes, options))).toEqual(
        comparable({ ...parsed, bodyCharacters: parsed.body.length }),
      );
    });
    fc.assert(property, { numRuns: 2000 });
  });

  it.each(["é", "🎬", "ab漢", ""])("counts a body of %j", (body) => {
    const text = `---\nname: a\ndescription: b\n---\n${body}`;
    expect(parseSkillBytes(Buffer.from(text)).bodyCharacters).toBe(body.length);
  });

  it("never throws, and says why it skips, for any bytes", () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc.uint8Array({ maxLength: 200 }).map((rest) => Buffer.concat([Buffer.from("---\n"), rest])),
    );
    fc.assert(
      fc.property(bytes, (value) => expectReason(parseSkillBytes(value))),
      { numRuns: 2000 },
    );
  });

  it.each([
    [
      "Latin-1",
      Buffer.from("---\nname: caf\xe9\n---\n", "latin1"),
      "not valid UTF-8",
      { line: 2, column: 10 },
    ],
    ["UTF-16", Buffer.from("\uFEFF---\n", "utf16le"), "UTF-16", { line: 1, column: 1 }],
  ])("refuses %s and points at the first wrong byte", (_what, bytes, message, range) => {
    expect(parseSkillBytes(bytes)).toMatchObject({
      bodyCharacters: 0,
      diagnostics: [
        {
          code: "not-utf8",
          severity: "error",
          message: `The file is ${message}.`,
          file: "SKILL.md",
          range,
          hint: "Save it as UTF-8.",
        },
      ],
    });
  });

  it("refuses files above the limit, and warns of large ones below it", () => {
    const skill = "---\nname: a\ndescription: b\n---\n";
    const codes = (size: number): string[] => {
      const { diagnostics } = parseSkillBytes(Buffer.from(skill.padEnd(size, "x")));
      return diagnostics.map(({ severity, code }) => `${severity} ${code}`);
    };
    expect(codes(256_000)).toEqual([]);
    expect(codes(256_001)).toEqual(["warning file-large"]);
    expect(codes(MAX_SKILL_BYTES)).toEqual(["warning file-large"]);
    expect(codes(MAX_SKILL_BYTES + 1)).toEqual(["error skill-too-large"]);
  });

  it("shares what is empty between manifests", () => {
    const [first, second] = ["a", "b"].map((name) =>
      parseSkillBytes(Buffer.from(`---\nname: ${name}\ndescription: c\n---\n`)),
    );
    expect(first?.manifest?.gating).toBe(second?.manifest?.gating);
    expect(first?.manifest?.metadata).toBe(second?.manifest?.metadata);
    expect(first?.diagnostics).toBe(second?.diagnostics);
    expect(Object.isFrozen(first?.manifest?.tags)).toBe(true);
  });
});

function expectReason(parsed: ReturnType<typeof parseSkillBytes>): void {
  const errors = parsed.diagnostics.filter(({ severity }) => severity === "error");
  expect(errors.length > 0).toBe(parsed.manifest === undefined);
  for (const error of errors)
    expect(error).toMatchObject({ hint: expect.any(String), range: expect.any(Object) });
}

/** As JSON, because the order of keys in maps counts as well. */
function comparable(parsed: Partial<ReturnType<typeof parseSkillBytes>>): unknown {
  const { manifest, bodyCharacters, diagnostics } = parsed;
  return { manifest: JSON.stringify(manifest), bodyCharacters, diagnostics };
}

describe("findInvalidUtf8", () => {
  it.each([
    ["a wrong first byte", [0xff, 0x61], { line: 1, column: 1 }],
    ["a continuation without a beginning", [0x61, 0x0a, 0x62, 0x80], { line: 2, column: 2 }],
    ["a sequence that is cut off", [0x61, 0xe6, 0xbc, 0x0a], { line: 1, column: 2 }],
    ["an overlong form", [0xc0, 0xaf], { line: 1, column: 1 }],
    ["a byte behind other letters", [0xc3, 0xa9, 0xf0, 0x9f, 0x8e, 0xac, 0x80, 0x61], { line: 1, column: 4 }],
    ["a surrogate", [0x61, 0x61, 0xed, 0xa0, 0x80], { line: 1, column: 3 }],
  ])("points at %s", (_what, bytes, place) => {
    expect(findInvalidUtf8(Uint8Array.from(bytes))).toEqual(place);
  });
});
