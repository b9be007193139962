import { mkdirSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../../../kit/src/testing/temporary-directory.ts";
import { MAX_JOURNAL_BYTES, readJournal } from "./journal.ts";
import { NOW, REFUSAL } from "./testing/sample-records.ts";

const entry = (sequence: number) => ({ sequence, runId: "42", time: NOW, record: REFUSAL });
const line = (sequence: number): string => JSON.stringify(entry(sequence));

test("a damaged line is a diagnostic with its number, and everything around it is read", async () => {
  const { runFolder, file } = write([line(1), "{", line(3), line(4)]);
  const { entries, diagnostics } = await readJournal(runFolder);
  expect(entries).toEqual([entry(1), entry(3), entry(4)]);
  expect(diagnostics).toEqual([
    {
      code: "journal-line-damaged",
      severity: "error",
      message: "The line is not a JSON object.",
      file,
      range: { line: 2, column: 1 },
      hint: "Keep the journal as evidence and start a new run in another folder.",
    },
  ]);
});

test.each([
  ["no JSON", Buffer.from("what?")],
  [
    "no UTF-8",
    Buffer.concat([Buffer.from('{"sequence":2,"runId":"'), Buffer.from([0xff]), Buffer.from('"}')]),
  ],
  ["an empty line", Buffer.from("")],
  ["a list", Buffer.from("[]")],
  ["a number where text belongs", Buffer.from(line(2).replace('"42"', "42"))],
  ["a sequence of nothing", Buffer.from(line(0))],
  ["a record that lacks a field", Buffer.from(line(2).replace('"subject"', '"object"'))],
  ["a record of no kind", Buffer.from(line(2).replace('"kind"', '"sort"'))],
  ["a digest that is none", Buffer.from(line(2).replace("}}", '},"shortened":{"count":1,"fields":[{}]}}'))],
  ["zeros after a power cut", Buffer.alloc(5000)],
  [
    "lists a million deep",
    Buffer.from(line(2).replace('"subject":', `"deep":${nested(1_000_000)},"subject":`)),
  ],
])("%s is no record", async (_, bytes) => {
  const { runFolder } = write([line(1), bytes, line(3)]);
  const { entries, diagnostics } = await readJournal(runFolder);
  expect(entries).toEqual([entry(1), entry(3)]);
  expect(codes(diagnostics)).toEqual([["journal-line-damaged", "error", 2]]);
});

test("a line too long to be a record is not kept in memory and not read", async () => {
  const { runFolder } = write([line(1), Buffer.alloc(20 * 1024 * 1024, "x"), line(3)]);
  const { entries, diagnostics } = await readJournal(runFolder);
  expect([entries, codes(diagnostics)]).toEqual([
    [entry(1), entry(3)],
    [["journal-line-damaged", "error", 2]],
  ]);
});

test("a record of a later version is passed over with a warning and keeps its number", async () => {
  const { runFolder } = write([line(1), line(2).replace('"refusal"', '"dream"'), line(3)]);
  const { entries, diagnostics } = await readJournal(runFolder);
  expect([entries, codes(diagnostics)]).toEqual([
    [entry(1), entry(3)],
    [["journal-record-unknown", "warning", 2]],
  ]);
});

test.each([
  ["removed", [1, 3], 2],
  ["added twice", [1, 1], 2],
  ["removed at the beginning", [2, 3], 1],
])("a line that was %s is noticed by the numbers", async (_, numbers, at) => {
  const { runFolder } = write(numbers.map(line));
  const { entries, diagnostics } = await readJournal(runFolder);
  expect([entries, codes(diagnostics)]).toEqual([
    numbers.map(entry),
    [["journal-out-of-sequence", "error", at]],
  ]);
});

test("lines that change places are noticed at each of them", async () => {
  const { runFolder } = write([1, 3, 2, 4].map(line));
  expect(codes((await readJournal(runFolder)).diagnostics)).toEqual(
    [2, 3, 4].map((at) => ["journal-out-of-sequence", "error", at]),
  );
});

test("a file that is no journal gives a hundred diagnostics and one that counts the rest", async () => {
  const { runFolder } = write(Array.from({ length: 250 }, () => "no"));
  const { diagnostics } = await readJournal(runFolder);
  expect([diagnostics.length, diagnostics.at(-1)?.message]).toEqual([
    101,
    "There are 150 more faults below this line.",
  ]);
});

test("a journal beyond its limit is not read", async () => {
  const { runFolder, file } = write([line(1)]);
  truncateSync(file, MAX_JOURNAL_BYTES + 1);
  const { entries, diagnostics } = await readJournal(runFolder);
  expect([entries, codes(diagnostics)]).toEqual([[], [["journal-too-large", "error", 1]]]);
});

test("a run folder that is not there has no journal", async () => {
  const runFolder = join(temporaryDirectory(), "absent");
  expect(await readJournal(runFolder)).toEqual({
    exists: false,
    entries: [],
    diagnostics: [],
    lastSequence: 0,
  });
});

function nested(depth: number): string {
  return "[".repeat(depth) + "]".repeat(depth);
}

function codes(diagnostics: readonly Diagnostic[]) {
  return diagnostics.map(({ code, severity, range }) => [code, severity, range?.line]);
}

function write(lines: readonly (string | Uint8Array)[]): { runFolder: string; file: string } {
  const runFolder = join(temporaryDirectory(), "run");
  mkdirSync(runFolder);
  const file = join(runFolder, "journal.jsonl");
  writeFileSync(file, Buffer.concat(lines.flatMap((text) => [Buffer.from(text), Buffer.from("\n")])));
  return { runFolder, file };
}
