import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isOpenRepository, readScanSets } from "./scan-sets.ts";

test("honest skills are split by repository, and only one half may be listed", () => {
  const folder = mkdtempSync(join(tmpdir(), "scan-sets-"));
  mkdirSync(join(folder, "honest-dev"));
  const rows = ["a/one", "b/two", "c/three", "d/four"].flatMap((group) =>
    [1, 2].map((number) => ({
      id: `${group}-${number}`,
      path: "skills/x",
      label: "benign",
      stratum: "honest-text",
      group,
    })),
  );
  writeFileSync(
    join(folder, "honest-dev", "manifest.jsonl"),
    rows.map((row) => JSON.stringify(row)).join("\n"),
  );
  const sets = readScanSets(folder);
  for (const { rows: members, isOpen } of sets)
    expect(members.every(({ group }) => isOpenRepository(group) === isOpen)).toBe(true);
  expect(sets.flatMap(({ rows: members }) => members)).toHaveLength(rows.length);
  expect(sets.map(({ isOpen }) => isOpen)).toEqual([true, false]);
});

test("every hand of pairs is a set, and only those of pairs-open may be listed beside the first", () => {
  const folder = mkdtempSync(join(tmpdir(), "scan-sets-"));
  for (const hand of ["pairs-dev/amber", "pairs-dev/basil", "pairs-open/cedar", "pairs-more/dill"]) {
    mkdirSync(join(folder, hand), { recursive: true });
    const rows = ["malicious", "benign"].map((label, at) => ({
      id: `${hand}-${at}`,
      path: "skills/x",
      label,
      stratum: "pair",
      pair: 7,
    }));
    writeFileSync(join(folder, hand, "manifest.jsonl"), rows.map((row) => JSON.stringify(row)).join("\n"));
  }
  const sets = readScanSets(folder);
  expect(sets.map(({ name, isOpen }) => [name, isOpen])).toEqual([
    ["pairs, amber (seen)", true],
    ["pairs, basil (unseen)", false],
    ["pairs, dill (unseen)", false],
    ["pairs, cedar (seen)", true],
  ]);
  // An attack and its twin are one group.
  for (const { rows } of sets) expect(new Set(rows.map(({ group }) => group)).size).toBe(1);
});
