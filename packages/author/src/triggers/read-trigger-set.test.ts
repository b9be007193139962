import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { LocalSource, MemorySource } from "@skillet/core";
import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { findTriggerSets, readTriggerSet } from "./read-trigger-set.ts";
import type { TriggerSet } from "./trigger-set.ts";

const read = (text: string, file = "evals/eval_queries.json", skillName?: string) =>
  readTriggerSet(text, { file, ...(skillName !== undefined && { skillName }) });
const pairs = (text: string, file?: string, skillName?: string) =>
  read(text, file, skillName).queries.map(({ query, shouldTrigger }) => [query, shouldTrigger]);
const EXPECTED = [
  ["fill in this form", true],
  ["bake a cake", false],
];

describe("dialects", () => {
  test.each([
    [
      "the usual list",
      '[{"query":"fill in this form","should_trigger":true},{"query":"bake a cake","should_trigger":false}]',
    ],
    [
      "camel case",
      '[{"prompt":"fill in this form","shouldTrigger":true},{"prompt":"bake a cake","shouldTrigger":false}]',
    ],
    [
      "a named list",
      '{"skill_name":"forms","queries":[{"message":"fill in this form","expected":"yes"},{"message":"bake a cake","expected":"no"}]}',
    ],
    ["cases", '{"cases":[{"input":"fill in this form","trigger":1},{"input":"bake a cake","trigger":0}]}'],
    [
      "tests",
      '{"tests":[{"text":"fill in this form","label":"positive"},{"text":"bake a cake","label":"Negative"}]}',
    ],
    ["two lists", '{"should_trigger":["fill in this form"],"should_not_trigger":["bake a cake"]}'],
    [
      "two lists of rows",
      '{"positive":[{"query":"fill in this form"}],"negative":[{"query":"bake a cake"}]}',
    ],
    [
      "two lists inside",
      '{"skill":"forms","queries":{"positive":["fill in this form"],"negative":["bake a cake"]}}',
    ],
    [
      "expected skills",
      '[{"query":"fill in this form","expected_skill":"forms"},{"query":"bake a cake","expected_skill":null}]',
    ],
    [
      "a byte order mark",
      '\uFEFF[{"query":"fill in this form","should_trigger":true},{"query":"bake a cake","should_trigger":false}]',
    ],
  ])("%s", (_what, text) => {
    expect(pairs(text, "x.json", "forms")).toEqual(EXPECTED);
  });

  test("JSON lines, YAML and tables", () => {
    const jsonl =
      '{"query":"fill in this form","should_trigger":true}\n\n{"query":"bake a cake","should_trigger":false}\n';
    const yaml =
      "- query: fill in this form\n  should_trigger: true\n- query: bake a cake\n  should_trigger: false\n";
    const csv = 'id,query,should_trigger\na,fill in this form,TRUE\nb,"bake a cake",false\n';
    expect([pairs(jsonl, "q.jsonl"), pairs(yaml, "q.yaml"), pairs(csv, "q.csv")]).toEqual([
      EXPECTED,
      EXPECTED,
      EXPECTED,
    ]);
  });

  test("a set of plain objects survives every way of writing it", () => {
    const row = fc.record({
      query: fc.string({ minLength: 1 }).filter((text) => text.trim() !== ""),
      should_trigger: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(row, { minLength: 1, maxLength: 8 }), (rows) => {
        const expected = rows.map((one) => [one.query, one.should_trigger]);
        const quote = (text: string): string => `"${text.replaceAll('"', '""')}"`;
        expect(pairs(JSON.stringify(rows), "x.json")).toEqual(expected);
        expect(pairs(JSON.stringify({ evals: rows }, undefined, 2), "x.json")).toEqual(expected);
        expect(pairs(rows.map((one) => JSON.stringify(one)).join("\n"), "x.jsonl")).toEqual(expected);
        expect(
          pairs(
            ["query,should_trigger", ...rows.map((one) => `${quote(one.query)},${one.should_trigger}`)].join(
              "\n",
            ),
            "x.csv",
          ),
        ).toEqual(expected);
      }),
    );
  });

  test("no text makes the reader throw, whatever its ending", () => {
    fc.assert(
      fc.property(fc.string(), fc.constantFrom("json", "jsonl", "yaml", "csv", "txt"), (text, ending) => {
        const { queries, diagnostics } = read(text, `x.${ending}`);
        expect(queries.length > 0 || diagnostics.some(({ severity }) => severity === "error")).toBe(true);
      }),
    );
  });
});

describe("rows", () => {
  test("results are told apart by id: equal queries, equal ids and equal places stay two rows", () => {
    const { queries, diagnostics } = read(
      '[{"query":"a","should_trigger":true},\n{"query":"a","should_trigger":true},\n{"id":"1","query":"b","should_trigger":false},{"id":7,"query":"c","should_trigger":false}]',
    );
    expect(queries.map(({ id, line }) => [id, line])).toEqual([
      ["1", 1],
      ["2", 2],
      ["1#2", 3],
      ["7", 3],
    ]);
    expect(diagnostics).toEqual([
      {
        code: "trigger-row-repeated",
        severity: "info",
        message: "2 asks the same as 1; both count",
        file: "evals/eval_queries.json",
        range: { line: 2, column: 1 },
        hint: "say it in another way, or remove one of them",
      },
    ]);
  });

  test("rows that contradict each other are told with their place", () => {
    const { queries, diagnostics } = read(
      '[{"query":"Fill it  in","should_trigger":true},\n {"query":"fill it in","should_trigger":false}]',
    );
    expect(queries).toHaveLength(2);
    expect(diagnostics.map(({ code, severity, range }) => [code, severity, range?.line])).toEqual([
      ["trigger-row-contradictory", "warning", 2],
    ]);
  });

  test.each([
    ['{"should_trigger":true}', "it has no message (query, prompt, message, input, text, utterance)"],
    ['{"query":"","should_trigger":true}', "its message is not a text"],
    ['{"query":7,"should_trigger":true}', "its message is not a text"],
    ['{"query":"a","should_trigger":"maybe"}', "it does not say yes or no to should_trigger"],
    ['{"query":"a"}', "it does not say yes or no to should_trigger"],
    ["[1]", "it is a list"],
    [
      `{"query":"${"x".repeat(20_001)}","should_trigger":true}`,
      "its message is longer than 20000 characters",
    ],
  ])("%j is left out, and told", (row, why) => {
    const { queries, diagnostics } = read(
      `[{"query":"a","should_trigger":true},{"query":"b","should_trigger":false},\n${row}]`,
    );
    expect(queries).toHaveLength(2);
    expect(diagnostics).toEqual([
      expect.objectContaining({
        code: "trigger-row-invalid",
        message: `row 3 is left out: ${why}`,
        range: { line: 2, column: 1 },
      }),
    ]);
  });

  test("of a file for many skills the rows of this one are read", () => {
    const text = [
      '{"skill":"other","query":"a","should_trigger":true}',
      '{"skill":"forms","query":"b","should_trigger":true}',
      '{"skill":"forms","query":"c","should_trigger":false}',
    ].join("\n");
    const { queries, diagnostics } = read(text, "q.jsonl", "forms");
    expect(queries.map(({ id, query }) => [id, query])).toEqual([
      ["2", "b"],
      ["3", "c"],
    ]);
    expect(diagnostics).toEqual([
      expect.objectContaining({
        code: "trigger-rows-foreign",
        message: "1 of 3 rows are about other skills and left out",
      }),
    ]);
    expect(read(text, "q.jsonl").queries).toHaveLength(3);
    const none = read(text, "q.jsonl", "nobody");
    expect([none.queries, none.diagnostics[0]?.code]).toEqual([[], "trigger-rows-foreign"]);
  });

  test("a set of one kind says which figure means nothing", () => {
    expect(read('[{"query":"a","should_trigger":true}]').diagnostics[0]?.message).toContain("precision");
    expect(read('[{"query":"a","should_trigger":false}]').diagnostics[0]?.message).toContain("recall");
  });

  test("more rows than are read, and more remarks than are listed, are counted", () => {
    const many = Array.from({ length: 2_100 }, (_, index) => ({
      query: "a",
      should_trigger: index % 2 === 0,
    }));
    const { queries, diagnostics } = read(JSON.stringify(many));
    expect(queries).toHaveLength(2_000);
    expect(diagnostics.map(({ code }) => code)).toContain("trigger-set-cut");
    expect(diagnostics.at(-1)).toMatchObject({ code: "trigger-set-more" });
    expect(diagnostics.length).toBeLessThan(25);
  });
});

describe("not a set", () => {
  test.each([
    ["[", "trigger-set-invalid", "the text ends where a value is expected"],
    ["7", "trigger-set-unknown", "it is a single value, not a list"],
    ["[]", "trigger-set-unknown", "it is empty"],
    [
      '{"a":1,"b":2}',
      "trigger-set-unknown",
      'it is a map with the keys "a", "b", none of which holds queries',
    ],
    ['[{"a":1}]', "trigger-set-unknown", "its rows have no message"],
    [
      '{"skill_name":"x","evals":[{"id":1,"prompt":"p","expected_output":"o"}]}',
      "trigger-set-unknown",
      "evals of what a skill writes, not of when it is called",
    ],
    ['[{"query":"a","expected_skill":"pdf"}]', "trigger-set-unknown", "it is not known whose set this is"],
    [`["${"x".repeat(1024 * 1024)}"]`, "trigger-set-too-large", "more than 1048576 bytes"],
  ])("%j", (text, code, message) => {
    const { queries, diagnostics } = read(text);
    expect([queries, diagnostics.map((one) => one.code)]).toEqual([[], [code]]);
    expect(diagnostics[0]).toMatchObject({ severity: "error", message: expect.stringContaining(message) });
    expect(diagnostics[0]?.hint).toBeTruthy();
  });

  test("a fault of JSON lines is told on its own line", () => {
    expect(read('{"query":"a","should_trigger":true}\n{"query":\n', "q.jsonl").diagnostics[0]?.range).toEqual(
      {
        line: 2,
        column: 10,
      },
    );
  });

  test("keys of objects' own machinery are keys like others", () => {
    expect(read('{"__proto__":[{"query":"a","should_trigger":true}],"constructor":1}').queries).toEqual([]);
  });
});

test("a set of exactly as many rows as are read is whole", () => {
  const rows = (count: number): string =>
    JSON.stringify(
      Array.from({ length: count }, (_, index) => ({ query: `q ${index}`, should_trigger: true })),
    );
  const codes = (count: number): readonly string[] => read(rows(count)).diagnostics.map(({ code }) => code);
  expect(codes(2_000)).not.toContain("trigger-set-cut");
  expect(codes(2_001)).toContain("trigger-set-cut");
});

test("a row that expects the skill in other letters is left out and told, not taken for a near miss", () => {
  const text =
    '[{"query":"a","expected_skill":"pdf "},{"query":"b","expected_skill":"PDF"},{"query":"c","expected_skill":"docx"}]';
  const { queries, diagnostics } = read(text, "s.json", "pdf");
  expect(queries.map(({ query, shouldTrigger }) => [query, shouldTrigger])).toEqual([
    ["a", true],
    ["c", false],
  ]);
  expect(diagnostics).toMatchObject([
    {
      code: "trigger-row-invalid",
      message: expect.stringContaining('expects "PDF" where the skill is called "pdf"'),
    },
  ]);
});

test("YAML, which is slow to read, may have a quarter of the bytes", () => {
  const row = '- {query: "fill in this form", should_trigger: true}\n';
  const { queries, diagnostics } = read(row.repeat(6_000), "s.yaml");
  expect(queries).toEqual([]);
  expect(diagnostics).toMatchObject([
    { code: "trigger-set-too-large", message: expect.stringContaining("262144") },
  ]);
});

test("a set of another skill counts, and is told", () => {
  const readFor = (owner: string): TriggerSet =>
    readTriggerSet(
      JSON.stringify({
        skill_name: owner,
        evals: [
          { query: "fill it in", should_trigger: true },
          { query: "bake", should_trigger: false },
        ],
      }),
      { file: "x.json", skillName: "pdf-forms" },
    );
  expect(readFor("other")).toMatchObject({
    queries: [{}, {}],
    diagnostics: [{ code: "trigger-set-foreign", severity: "warning", file: "x.json" }],
  });
  expect(readFor("pdf-forms").diagnostics).toEqual([]);
});

const find = (...files: readonly string[]) =>
  findTriggerSets(new MemorySource(Object.fromEntries(["SKILL.md", ...files].map((file) => [file, "x"]))));

test.each([
  [["evals/eval_queries.json"], ["evals/eval_queries.json"], []],
  [["eval/trigger-eval.yaml"], ["eval/trigger-eval.yaml"], []],
  [["eval_set.csv"], ["eval_set.csv"], []],
  [
    ["eval_set.json", "evals/train_queries.json", "evals/validation_queries.json"],
    ["evals/train_queries.json", "evals/validation_queries.json"],
    ["eval_set.json"],
  ],
  [["evals/evals.json", "references/eval_queries.json", "evals/x/eval_set.json"], [], []],
])("of %j %j is read", async (there, files, others) => {
  expect(await find(...there)).toEqual({ files, others });
});

test("a link that is called like a set is not followed", async () => {
  const root = mkdtempSync(join(tmpdir(), "skillet-author-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const file of ["skill/SKILL.md", "elsewhere.json"]) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), "x");
  }
  symlinkSync(join(root, "elsewhere.json"), join(root, "skill/eval_queries.json"));
  expect(await findTriggerSets(new LocalSource(join(root, "skill")))).toEqual({ files: [], others: [] });
});
