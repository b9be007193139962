import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseToolset } from "./parse-toolset.ts";

const FILE = "forms/toolsets/forms.yaml";
const parse = (text: string): ReturnType<typeof parseToolset> => parseToolset(text, { file: FILE });
const codes = (text: string): string[] =>
  parse(text).diagnostics.map(
    ({ code, severity, range }) => `${range?.line}:${range?.column} ${severity} ${code}`,
  );
const one = (lines: string): string =>
  `tools:\n  - name: fill\n    description: Fills.\n    script: scripts/fill.py\n${lines}`;

const WHOLE = `tools:
  - name: fill
    description: |
      Fills in
      a form.
    inputSchema:
      type: object
      required: [file]
      properties:
        file: { type: string, description: "The\\u202e file" }
    outputSchema: { type: object }
    script: scripts/fill.py
    args: [--json, "-"]
    timeoutMs: 5000
`;
const FILL = {
  name: "fill",
  description: "Fills in a form.",
  inputSchema: {
    type: "object",
    required: ["file"],
    properties: { file: { type: "string", description: "The file" } },
  },
  outputSchema: { type: "object" },
  script: "scripts/fill.py",
  args: ["--json", "-"],
  timeoutMs: 5000,
};

describe("a toolset file", () => {
  test("is read from YAML, with one line for each description and no unseen characters", () => {
    const range = { line: 2, column: 11, endLine: 2, endColumn: 15 };
    expect(parse(WHOLE)).toEqual({ tools: [{ ...FILL, range }], diagnostics: [] });
  });

  test.each([undefined, 2, "\t"])("is read from JSON, indented by %j", (indent) => {
    const { tools, diagnostics } = parse(`\uFEFF${JSON.stringify({ tools: [FILL] }, undefined, indent)}\r\n`);
    expect({ tools, diagnostics }).toEqual({
      tools: [{ ...FILL, range: expect.anything() }],
      diagnostics: [],
    });
  });

  test("needs no schema and no arguments for a tool that takes nothing", () => {
    expect(parse(one("")).tools).toEqual([
      {
        name: "fill",
        description: "Fills.",
        inputSchema: { type: "object", properties: {}, additionalProperties: false },
        script: "scripts/fill.py",
        args: [],
        range: { line: 2, column: 11, endLine: 2, endColumn: 15 },
      },
    ]);
  });

  test("keeps what one tool says although another is wrong", () => {
    const { tools } = parse(`${one("")}  - name: 1\n  - 2\n`);
    expect(tools.map(({ name }) => name)).toEqual(["fill"]);
  });

  test("puts its keys on no prototype", () => {
    const [tool] = parse(
      one("    inputSchema: { type: object, properties: { __proto__: { type: string } } }\n"),
    ).tools;
    const properties = tool?.inputSchema.properties as object;
    expect([Object.keys(properties), Object.getPrototypeOf(properties)]).toEqual([["__proto__"], null]);
    expect(Object.isFrozen(properties)).toBe(true);
  });
});

test.each([
  ["", "1:1 error toolset-invalid"],
  ["- a\n", "1:1 error toolset-invalid"],
  ["tools: none\n", "1:8 error toolset-invalid"],
  ["tools: [\n", "2:1 error toolset-invalid"],
  ["tools: []\ntools: []\n", "2:1 error toolset-invalid"],
  ["a: &x [1]\ntools: *x\n", "2:8 error toolset-invalid"],
  ["tools: !!js/function 'x'\n", "1:8 error toolset-invalid"],
  ["tools: []\n---\ntools: []\n", "2:1 error toolset-invalid"],
  [`tools: ${"[".repeat(40)}${"]".repeat(40)}\n`, "1:39 error toolset-invalid"],
  ["tool: []\ntools: []\n", "1:1 warning toolset-unknown-key"],
  ["tools: [1]\n", "1:9 error tool-field"],
  [one("    scrpit: x\n"), "5:5 warning toolset-unknown-key"],
  [one("    args: [1]\n"), "5:11 error tool-field"],
  [one('    args: ["a\\0b"]\n'), "5:11 error tool-field"],
  [one('    args: ["a\\u202eb"]\n'), "5:11 error tool-field"],
  [one("    timeoutMs: 0\n"), "5:16 error tool-field"],
  [one("    timeoutMs: 600001\n"), "5:16 error tool-field"],
  [one("    inputSchema: []\n"), "5:18 error tool-schema"],
  [one("    inputSchema: { type: string }\n"), "5:18 error tool-field"],
  [one("    inputSchema: { type: objekt }\n"), "5:26 error tool-schema"],
  [one("    inputSchema: { type: object, required: [1] }\n"), "5:44 error tool-schema"],
  [one("    inputSchema: { type: object, properties: { a: text } }\n"), "5:51 error tool-schema"],
  [one("    inputSchema: { type: object, default: { a: .inf } }\n"), "5:48 error tool-schema"],
  [one("    outputSchema: { items: { minLength: -1 } }\n"), "5:41 error tool-schema"],
  [one("    outputSchema: { pattern: a, items: { pattern: b } }\n"), "5:21 info tool-schema-unchecked"],
  [one("    outputSchema: { anyOf: [{ type: objekt }] }\n"), "5:21 info tool-schema-unchecked"],
])("%j has one fault, with its place", (text, expected) => {
  expect(codes(text)).toEqual([expected]);
});

// A byte each: variation selectors and tags carry any text, and nothing of it is seen.
const smuggled = [..."obey"]
  .map((letter) => String.fromCodePoint(0xe0100 + letter.charCodeAt(0) - 16))
  .join("");
const tags = [..."obey"].map((letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0))).join("");

describe("what hides", () => {
  const withSchema = (schema: object, key = "inputSchema"): ReturnType<typeof parseToolset> =>
    parse(
      JSON.stringify({
        tools: [{ name: "a", description: "A.", script: "scripts/a", [key]: { type: "object", ...schema } }],
      }),
    );

  test("in a description or a title is taken out", () => {
    const hiding = (text: string): string =>
      `${text}${smuggled} \u202e${tags}\u3164\u2028for\u200b\u0007 you`;
    const { tools, diagnostics } = parse(
      JSON.stringify({
        tools: [
          {
            name: "a",
            description: hiding("A"),
            script: "scripts/a",
            inputSchema: {
              type: "object",
              title: hiding("B"),
              properties: { c: { description: hiding("C") } },
            },
          },
        ],
      }),
    );
    expect([tools[0]?.description, tools[0]?.inputSchema, diagnostics]).toEqual([
      "A for you",
      { type: "object", title: "B for you", properties: { c: { description: "C for you" } } },
      [],
    ]);
  });

  test.each([
    ["the name of a property", { properties: { [`p${tags}`]: {} } }],
    ["the name of a property on two lines", { properties: { "p\nq": {} } }],
    ["a keyword", { [`x-${smuggled}`]: 1 }],
    ["a choice", { properties: { p: { enum: ["a", `b${tags}`] } } }],
    ["a constant", { properties: { p: { const: { q: `b${smuggled}` } } } }],
    ["a default", { properties: { p: { default: "a\u200bb" } } }],
    ["an example", { examples: [{ p: [`a${tags}`] }] }],
    ["a comment", { $comment: "a\u202eb" }],
    ["a required name", { required: ["p\u001b[2J"] }],
    ["what is not checked", { anyOf: [{ pattern: "\u3164" }] }],
    ["the key of a description", { properties: { p: { default: { [`description${tags}`]: "a" } } } }],
  ])("in %s leaves the tool out, with its place and a hint", (_what, schema) => {
    for (const key of ["inputSchema", "outputSchema"]) {
      const { tools, diagnostics } = withSchema(schema, key);
      expect([tools, diagnostics.filter(({ severity }) => severity === "error")]).toEqual([
        [],
        [
          {
            code: "tool-schema",
            severity: "error",
            message: expect.stringMatching(
              new RegExp(
                `^\`tools\\.0\\.${key}\\..*\` has invisible characters, so the tool is left out\\.$`,
              ),
            ),
            file: FILE,
            range: expect.objectContaining({ line: 1 }),
            hint: "Take the control and invisible characters out of names and values.",
          },
        ],
      ]);
    }
  });

  test("does not: lines of a default, emoji, the joiners of a language", () => {
    const schema = { properties: { می‌خواهم: { default: "a\n\tb", examples: ["👩‍💻 ❤️"] } } };
    expect(withSchema(schema)).toMatchObject({ tools: [{ inputSchema: schema }], diagnostics: [] });
  });
});

test.each([
  ["name", ["", "1st", "a b", "a".repeat(42), "a\n"]],
  [
    "script",
    [
      "fill.py",
      "scripts/",
      "scripts/../x",
      "scripts//x",
      "./scripts/x",
      "/scripts/x",
      "scripts\\x",
      `scripts/a${"\u200b"}.py`,
    ],
  ],
  ["description", ["", " \u0007 "]],
])("a %s that cannot be used leaves the tool out, with a hint", (key, values) => {
  for (const value of values) {
    const tool = { name: "a", description: "A.", script: "scripts/a", [key]: value };
    const { tools, diagnostics } = parse(JSON.stringify({ tools: [tool] }));
    expect([tools, diagnostics.map(({ code }) => code), diagnostics[0]?.hint !== ""]).toEqual([
      [],
      ["tool-field"],
      true,
    ]);
  }
});

test("what a tool needs is missed by name", () => {
  expect(parse("tools: [{}]").diagnostics.map(({ message }) => message)).toEqual([
    "`tools.0` has no `name`, so the tool is left out.",
    "`tools.0` has no `description`, so the tool is left out.",
    "`tools.0` has no `script`, so the tool is left out.",
  ]);
});

test("more than 32 tools are cut off, and a description after 1,024 characters", () => {
  const tools = Array.from({ length: 40 }, (_, index) => ({
    name: `t${index}`,
    description: "é".repeat(2000),
    script: "scripts/a",
  }));
  const parsed = parse(JSON.stringify({ tools }));
  expect([parsed.tools.length, [...(parsed.tools[0]?.description ?? "")].length]).toEqual([32, 1024]);
  expect(parsed.diagnostics.filter(({ code }) => code === "toolset-limit")).toHaveLength(1);
});

test("a schema of more than 16 KiB leaves the tool out", () => {
  const inputSchema = { type: "object", description: "x".repeat(17_000) };
  const tools = [{ name: "a", description: "A.", script: "scripts/a", inputSchema }];
  expect(codes(JSON.stringify({ tools }))).toEqual([expect.stringMatching(/error tool-schema$/)]);
});

test("no text makes it throw, and every fault has a place and a hint", () => {
  const texts = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.json(),
    fc
      .array(
        fc.constantFrom(
          "tools",
          ":",
          " ",
          "\n",
          "- ",
          "name",
          "{",
          "}",
          "[",
          "]",
          "*a",
          "&a",
          "!x",
          "? ",
          "\t",
          '"',
          "inputSchema",
          "__proto__",
          "%YAML",
          "---",
        ),
      )
      .map((parts) => parts.join("")),
    fc.jsonValue().map((value) =>
      JSON.stringify({
        tools: [value, { name: "a", description: "b", script: "scripts/a", inputSchema: value }],
      }),
    ),
  );
  fc.assert(
    fc.property(texts, (text) => {
      const { tools, diagnostics } = parse(text);
      expect(diagnostics.length).toBeLessThanOrEqual(101);
      for (const { file, range, hint } of diagnostics) {
        expect(file).toBe(FILE);
        expect([(range?.line ?? 0) > 0, (range?.column ?? 0) > 0, (hint ?? "") !== ""]).toEqual([
          true,
          true,
          true,
        ]);
      }
      expect(() => JSON.stringify(tools)).not.toThrow();
    }),
    { numRuns: 400 },
  );
});
