import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readRuns } from "./read-runs.ts";
import { forgeRun, makePlace } from "./testing/record-run.ts";

const namesOf = (runs: readonly { readonly runFolder: string }[]): readonly string[] =>
  runs.map(({ runFolder }) => runFolder.slice(runFolder.lastIndexOf("/") + 1));

test("a folder is a run or holds runs, and what is neither is passed over", async () => {
  const { runs: folder } = makePlace({});
  for (const name of ["b", "a"]) forgeRun(join(folder, name), [{ kind: "turn-ended" }]);
  mkdirSync(join(folder, "empty"));
  writeFileSync(join(folder, "file"), "");
  expect(namesOf((await readRuns([folder])).runs)).toEqual(["a", "b"]);
  expect(namesOf((await readRuns([join(folder, "b"), folder])).runs)).toEqual(["b", "a"]);
  expect(await readRuns([join(folder, "empty"), join(folder, "nowhere")])).toEqual({
    runs: [],
    diagnostics: [],
  });
});

test("links in a folder of runs are not followed", async () => {
  const { runs: folder, home } = makePlace({});
  forgeRun(join(home, "elsewhere"), [{ kind: "turn-ended" }]);
  mkdirSync(folder, { recursive: true });
  symlinkSync(join(home, "elsewhere"), join(folder, "link"));
  expect((await readRuns([folder])).runs).toEqual([]);
});

test("a run that cannot be read is said, and the others still count", async () => {
  const { runs: folder, home } = makePlace({});
  forgeRun(join(folder, "good"), [{ kind: "turn-ended" }]);
  mkdirSync(join(folder, "bad"));
  symlinkSync(join(home, "journal.jsonl"), join(folder, "bad", "journal.jsonl"));
  writeFileSync(join(home, "journal.jsonl"), "");
  const { runs, diagnostics } = await readRuns([folder]);
  expect(diagnostics.map(({ code, file }) => [code, file])).toEqual([
    ["run-unreadable", join(folder, "bad")],
  ]);
  expect(namesOf(runs)).toEqual(["bad", "good"]);
});

test("of very many runs the last by name are read, and that is said", async () => {
  const { runs: folder } = makePlace({});
  for (let run = 0; run < 1002; run += 1)
    forgeRun(join(folder, `run-${String(run).padStart(4, "0")}`), [{ kind: "turn-ended" }]);
  const { runs, diagnostics } = await readRuns([folder]);
  expect([runs.length, namesOf(runs)[0]]).toEqual([1000, "run-0002"]);
  expect(diagnostics.map(({ code }) => code)).toEqual(["runs-cut"]);
});
