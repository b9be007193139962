import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { LocalSource, MemorySource } from "@skillet/core";
import { expect, onTestFinished, test } from "vitest";
import { findTriggerSets } from "./find-trigger-sets.ts";

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
