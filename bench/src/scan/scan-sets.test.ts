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
  const sets = readScanSets(folder, { ownPairs: folder });
  for (const { rows: members, isOpen } of sets)
    expect(members.every(({ group }) => isOpenRepository(group) === isOpen)).toBe(true);
  expect(sets.flatMap(({ rows: members }) => members)).toHaveLength(rows.length);
  expect(sets.map(({ isOpen }) => isOpen)).toEqual([true, false]);
});

test("own pairs are read from one text an author, and those held back are not fitted on", () => {
  const folder = mkdtempSync(join(tmpdir(), "scan-sets-"));
  const ownPairs = join(folder, "own");
  mkdirSync(join(ownPairs, "held"), { recursive: true });
  const text = [
    "@@@ skill a1 attack pair-1 exfil en\n@@@ file SKILL.md\n# A\n@@@ file scripts/x.sh\ntrue",
    "@@@ skill a2 honest pair-1 exfil en\n@@@ file SKILL.md\n# B\n",
  ].join("\n");
  writeFileSync(join(ownPairs, "one.txt"), text);
  writeFileSync(join(ownPairs, "held", "two.txt"), text);
  const named = (use: "fit" | "report"): readonly unknown[] =>
    readScanSets(folder, { use, ownPairs }).map(({ name, isOpen }) => [name, isOpen]);
  expect(named("fit")).toEqual([["pairs, one (own)", true]]);
  expect(named("report")).toEqual([
    ["pairs, one (own)", true],
    ["pairs, two (held)", false],
  ]);
  const [set] = readScanSets(folder, { ownPairs });
  expect(set?.rows.map(({ label, group }) => [label, group])).toEqual([
    ["malicious", "pair-1"],
    ["benign", "pair-1"],
  ]);
  expect(set?.rows[0]?.files().map(({ path, bytes }) => [path, Buffer.from(bytes).toString()])).toEqual([
    ["SKILL.md", "# A\n"],
    ["scripts/x.sh", "true\n"],
  ]);
});
