import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { LocalSource, MemorySource } from "@skillet/core";
import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { findTriggerSets, readTriggerSet } from "./read-trigger-set.ts";

const read = (text: string, file = "evals/eval_queries.json") => readTriggerSet(text, { file });
const pairs = (text: string, file?: string) =>
  read(text, file).queries.map(({ query, shouldTrigger }) => [query, shouldTrigger]);
const EXPECTED = [
  ["fill in this form", true],
  ["bake a cake", false],
];

describe("forms", () => {
  test.each([
    [
      "a list",
      "x.json",
      '[{"query":"fill in this form","should_trigger":true},{"query":"bake a cake","should_trigger":false}]',
    ],
    [
      "a byte order mark",
      "x.json",
      '\uFEFF[{"query":"fill in this form","should_trigger":true},{"query":"bake a cake","should_trigger":false}]',
    ],
    [
      "one row a line",
      "x.jsonl",
      '{"message":"fill in this form","expected":true}\n\n{"message":"bake a cake","expected":false}\n',
    ],
  ])("%s", (_what, file, text) => {
    expect(pairs(text, file)).toEqual(EXPECTED);
  });

  test("a set of plain objects survives every way of writing it", () => {
    const row = fc.record({
      query: fc.string({ minLength: 1 }).filter((text) => text.trim() !== ""),
      should_trigger: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(row, { minLength: 1, maxLength: 8 }), (rows) => {
        const expected = rows.map((one) => [one.query, one.should_trigger]);
        expect(pairs(JSON.stringify(rows), "x.json")).toEqual(expected);
        expect(pairs(JSON.stringify(rows, undefined, 2), "x.json")).toEqual(expected);
        expect(pairs(rows.map((one) => JSON.stringify(one)).join("\n"), "x.jsonl")).toEqual(expected);
      }),
    );
  });

  test("no text makes the reader throw, whatever its ending", () => {
    fc.assert(
      fc.property(fc.string(), fc.constantFrom("json", "jsonl", "txt"), (text, ending) => {
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
    ['{"should_trigger":true}', "it has no query"],
    ['{"query":"","should_trigger":true}', "it has no query"],
    ['{"query":7,"should_trigger":true}', "it has no query"],
    ['{"query":"a","should_trigger":"maybe"}', "it does not say true or false to should_trigger"],
    ['{"query":"a"}', "it does not say true or false to should_trigger"],
    ["[1]", "it has no query"],
    [`{"query":"${"x".repeat(20_001)}","should_trigger":true}`, "its query is longer than 20000 characters"],
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
    ["7", "trigger-set-unknown", "it is not a list"],
    ["[]", "trigger-set-unknown", "it is empty"],
    ['{"a":1,"b":2}', "trigger-set-unknown", "it is not a list"],
    ['[{"a":1}]', "trigger-set-unknown", "it has no query"],
    ['[{"query":"a"}]', "trigger-set-unknown", "it does not say true or false"],
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
    expect(read('[{"__proto__":{"query":"a","should_trigger":true}}]').queries).toEqual([]);
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

const find = (...files: readonly string[]) =>
  findTriggerSets(new MemorySource(Object.fromEntries(["SKILL.md", ...files].map((file) => [file, "x"]))));

test.each([
  [["evals/eval_queries.json"], ["evals/eval_queries.json"], []],
  [["evals/triggers.jsonl"], ["evals/triggers.jsonl"], []],
  [["trigger-eval.json"], ["trigger-eval.json"], []],
  [
    ["eval_set.json", "evals/train_queries.json", "evals/validation_queries.json"],
    ["evals/train_queries.json", "evals/validation_queries.json"],
    ["eval_set.json"],
  ],
  [["evals/evals.json", "references/eval_queries.json", "evals/x/eval_set.json"], [], []],
])("of %j %j is read", async (there, files, others) => {
  expect(await find(...there)).toEqual({ files, others, unreadable: [] });
});

test("a file that is called like a set is named where its format or folder is not read", async () => {
  const files = [
    "evals/triggers.yaml",
    "eval_set.csv",
    "evals/trigger-eval.ndjson",
    "eval/eval_queries.json",
  ];
  const found = await find("evals/eval_queries.json", "evals/notes.yaml", "docs/triggers.csv", ...files);
  expect(found.files).toEqual(["evals/eval_queries.json"]);
  expect([...found.unreadable].sort()).toEqual(files.sort());
});

test("a link that is called like a set is not followed", async () => {
  const root = mkdtempSync(join(tmpdir(), "skillet-author-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const file of ["skill/SKILL.md", "elsewhere.json"]) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), "x");
  }
  symlinkSync(join(root, "elsewhere.json"), join(root, "skill/eval_queries.json"));
  expect(await findTriggerSets(new LocalSource(join(root, "skill")))).toEqual({
    files: [],
    others: [],
    unreadable: [],
  });
});
