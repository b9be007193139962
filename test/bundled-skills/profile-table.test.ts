import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createSandbox } from "../cli/sandbox.ts";
import { HAS_SANDBOX, runInSandbox } from "./sandboxed-script.ts";
import { runScript, scriptPath, temporaryFolder } from "./temporary-repository.ts";

const script = "profile-table/scripts/profile-table.py";

interface Finding {
  readonly code: string;
  readonly column: string;
  readonly message: string;
  readonly lines: readonly number[];
}

function profile(content: string | Uint8Array, options: { name?: string; flags?: readonly string[] } = {}) {
  const cwd = temporaryFolder();
  const { name = "table.csv", flags = [] } = options;
  writeFileSync(join(cwd, name), content);
  const { status, stdout, stderr } = runScript(script, ["--json", ...flags, name], { cwd });
  expect([status, stderr]).toEqual([0, ""]);
  const [table] = JSON.parse(stdout).tables;
  const findings: Finding[] = table.findings;
  const kinds: Record<string, string> = Object.fromEntries(
    table.columns.map(({ name: column, kind }: { name: string; kind: string }) => [column, kind]),
  );
  return {
    table,
    kinds,
    findings: findings.map(({ code, column }) => `${code} ${column}`.trim()),
    details: findings,
  };
}

const rows = (count: number, row: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => `${row(index)}\n`).join("");

describe("profile-table.py", () => {
  test("a clean table has kinds, figures and nothing odd", () => {
    const { table, kinds, findings } = profile(
      `id,name,price,paid,day\n${rows(30, (i) => `${i + 1},n${i % 7},${i}.5,${i % 2 ? "yes" : "no"},2025-01-${String(i + 1).padStart(2, "0")}`)}`,
    );
    expect(kinds).toEqual({ id: "integer", name: "text", price: "number", paid: "boolean", day: "date" });
    expect(findings).toEqual([]);
    expect(table).toMatchObject({ format: "csv", rows: 30, truncated: false, notes: [] });
    expect(table.columns[2]).toMatchObject({
      present: 30,
      missing: 0,
      distinct: 30,
      figures: { min: 0.5, q1: 7.75, median: 15, q3: 22.25, max: 29.5, mean: 15 },
    });
  });

  test("each fault is found with the line it is on", () => {
    const { details } = profile(
      "order,amount,day,code,note\n" +
        rows(
          40,
          (i) =>
            `A${i},${i % 5 ? 40 + (i % 9) : 50},2025-02-${String((i % 28) + 1).padStart(2, "0")},0${i},x`,
        ) +
        "A7,99999,03/04/2025,07,x\n" +
        "B1,n/a,2025-02-01,08\n" +
        "B2,about 50,2025-02-01,09, x\n" +
        "B2,about 50,2025-02-01,09, x\n",
    );
    expect(details).toEqual([
      { code: "ragged-rows", column: "", message: "1 row with another number of cells than 5", lines: [43] },
      { code: "repeated-rows", column: "", message: "1 row exactly like an earlier one", lines: [45] },
      { code: "gaps", column: "amount", message: "1 of 44 missing (2.3%: 1 n/a)", lines: [43] },
      { code: "odd-kind", column: "amount", message: "is integer, except for 2 text", lines: [44, 45] },
      { code: "outliers", column: "amount", message: "far from the other numbers: 99999", lines: [42] },
      {
        code: "unclear-dates",
        column: "day",
        message: "dates are written as 43 YYYY-MM-DD, 1 DD/MM or MM/DD",
        lines: [],
      },
      {
        code: "leading-zeros",
        column: "code",
        message: "has values such as 007; read it as text, or zeros are lost",
        lines: [],
      },
      { code: "gaps", column: "note", message: "1 of 44 missing (2.3%: 1 absent)", lines: [] },
      { code: "padding", column: "note", message: "2 values with surrounding spaces", lines: [] },
      { code: "constant", column: "note", message: "has one value only", lines: [] },
    ]);
  });

  test("separator, encoding and form are found out and told", () => {
    expect(profile("a;b\n1;2\n3;4\n").table).toMatchObject({
      columns: [{ name: "a" }, { name: "b" }],
      notes: ["columns are separated by semicolons"],
    });
    expect(profile(Buffer.from("name\nM\xfcller\n", "latin1")).table.notes).toEqual([
      "not UTF-8; read as Windows-1252",
    ]);
    expect(profile('{"a": 1}\n\n{"a": 2.5, "b": [1]}\n', { name: "data" }).table).toMatchObject({
      format: "jsonl",
      rows: 2,
      columns: [{ kind: "number" }, { kind: "list", missing: 1 }],
    });
    expect(profile('[{"a": "7"}, {"a": null}]', { name: "data.json" }).kinds).toEqual({ a: "text" });
    expect(profile("\ufeffa\tb\n1\t2\n", { name: "x.tsv" }).kinds).toEqual({ a: "integer", b: "integer" });
  });

  test("a quoted line break is one row, and lines are still those of the file", () => {
    const { table, details } = profile('a,b\n"one\ntwo",1\n"x",2,3\n');
    expect(table.rows).toBe(2);
    expect(details[0]).toMatchObject({ code: "ragged-rows", lines: [4] });
  });

  test("only as many rows are looked at as were asked for, and that is said", () => {
    expect(profile("a\n1\n2\n3\n", { flags: ["--rows", "2"] }).table).toMatchObject({
      rows: 2,
      truncated: true,
    });
    expect(profile("1\n2\n", { flags: ["--no-header"] }).table).toMatchObject({
      rows: 2,
      columns: [{ name: "column 1" }],
    });
    expect(profile("").table).toMatchObject({ rows: 0, columns: [], findings: [] });
  });

  test("nothing in a table acts on a terminal", () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, "x.csv"), "a\x1b[2J,b\n\x1b]0;owned\x07,\u202e1\n\x9b,2\n");
    const { status, stdout } = runScript(script, ["x.csv"], { cwd });
    expect(status).toBe(0);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
    expect(stdout).not.toMatch(/[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]/);
  });

  test("what cannot be read is named, and the other files are profiled", () => {
    const cwd = temporaryFolder();
    mkdirSync(join(cwd, "folder"));
    writeFileSync(join(cwd, "image.csv"), "\0\x01\x02");
    writeFileSync(join(cwd, "bad.jsonl"), '{"a": 1}\n{\n');
    writeFileSync(join(cwd, "good.csv"), "a\n1\n");
    const { status, stdout, stderr } = runScript(
      script,
      ["folder", "image.csv", "bad.jsonl", "gone.csv", "good.csv"],
      { cwd },
    );
    expect([status, stdout.includes("good.csv: 1 row,")]).toEqual([1, true]);
    expect(stderr.split("\n")).toEqual([
      "profile-table: folder: is a folder; pass the files in it",
      "profile-table: image.csv: holds NUL bytes, so it is no text; export the table as CSV first",
      expect.stringMatching(/^profile-table: bad\.jsonl: line 2: no JSON: /),
      "profile-table: gone.csv: No such file or directory",
      "",
    ]);
  });

  test("wrong use ends with 2, and the skill's folder stays as it is", () => {
    for (const args of [
      [],
      ["--top", "0", "x"],
      ["--format", "xls", "x"],
      ["--delimiter", "ab", "x"],
      ["--rows", "x"],
    ]) {
      const { status, stdout, stderr } = runScript(script, args);
      expect([args, status, stdout]).toEqual([args, 2, ""]);
      expect(stderr).toMatch(/^profile-table: /);
    }
    expect(readdirSync(scriptPath("profile-table/scripts")).sort()).toEqual([
      "profile-table.py",
      "table_profile",
    ]);
  });
});

describe.skipIf(!HAS_SANDBOX)("profile-table.py in the sandbox", () => {
  test("it imports its modules and reads the workspace", async () => {
    const sandbox = createSandbox();
    sandbox.write("project/data/orders.csv", "id,amount\n1,10\n2,20\n");
    const { exitCode, stdout, stderr } = await runInSandbox(
      sandbox,
      "profile-table:scripts/profile-table.py",
      ["data/orders.csv"],
    );
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(stdout).toBe(
      "data/orders.csv: 2 rows, 2 columns, csv\n\n" +
        "column  kind     missing  distinct  values\n" +
        "id      integer                  2  1 to 2, median 1.5, mean 1.5\n" +
        "amount  integer                  2  10 to 20, median 15, mean 15\n\n" +
        "Nothing odd was found.\n",
    );
  });

  test("it cannot read what lies outside", async () => {
    const sandbox = createSandbox();
    const secret = sandbox.write("home/secret.csv", "a\n1\n");
    const { exitCode, stdout, stderr } = await runInSandbox(
      sandbox,
      "profile-table:scripts/profile-table.py",
      [secret],
    );
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
    expect(stderr).toContain("secret.csv: No such file or directory\n");
  });
});
