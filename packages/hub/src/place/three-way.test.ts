import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TreeFile } from "@skillet/core";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Drift } from "../lock/lock-entry.ts";
import { temporaryDirectory } from "../testing/temporary-directory.ts";
import { commitChanges } from "./commit-changes.ts";
import { recordOf, sandboxProject, skillEntry, skillFiles } from "./testing/sandbox-project.ts";
import { compareEdits, lineDiff, renderDiff, threeWay } from "./three-way.ts";
import { verifyEntry } from "./verify-entry.ts";

test("each file is named with what happened here and there", () => {
  const base = tree({
    same: "1\n",
    here: "1\n",
    there: "1\n",
    alike: "1\n",
    both: "1\n",
    gone: "1\n",
    "gone-edited": "1\n",
    bin: "\0",
  });
  const ours = tree({
    same: "1\n",
    here: "2\n",
    there: "1\n",
    alike: "2\n",
    both: "2\n",
    gone: "1\n",
    "gone-edited": "2\n",
    bin: "\0a",
    mine: "x\n",
    twin: "x\n",
  });
  const theirs = tree({
    same: "1\n",
    here: "1\n",
    there: "2\n",
    alike: "2\n",
    both: "3\n",
    bin: "\0",
    yours: "x\n",
    twin: "y\n",
  });
  const found = threeWay(base, ours, theirs);
  expect(found.map(({ path, here, there, conflict }) => [path, here, there, conflict])).toEqual([
    ["alike", "changed", "changed", false],
    ["bin", "changed", "unchanged", false],
    ["both", "changed", "changed", true],
    ["gone", "unchanged", "removed", false],
    ["gone-edited", "changed", "removed", true],
    ["here", "changed", "unchanged", false],
    ["mine", "added", "unchanged", false],
    ["there", "unchanged", "changed", false],
    ["twin", "added", "added", true],
    ["yours", "unchanged", "added", false],
  ]);
  expect(found.find(({ path }) => path === "both")).toMatchObject({
    hereDiff: "@@ -1,1 +1,1 @@\n-1\n+2",
    thereDiff: "@@ -1,1 +1,1 @@\n-1\n+3",
  });
  expect(found.find(({ path }) => path === "bin")).not.toHaveProperty("hereDiff");
});

test("a file that only became executable is changed", () => {
  const [base] = tree({ run: "x" });
  expect(threeWay([base!], [{ ...base!, mode: "755" }], [base!])).toEqual([
    { path: "run", here: "changed", there: "unchanged", conflict: false },
  ]);
});

function tree(files: Readonly<Record<string, string>>): readonly TreeFile[] {
  return Object.entries(files).map(([path, text]) => ({ path, mode: "644", bytes: Buffer.from(text) }));
}

describe("lineDiff", () => {
  const text = fc
    .array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 30 })
    .map((lines) => lines.map((line) => `${line}\n`).join(""));

  test("its sides are the two texts", () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const lines = lineDiff(before, after);
        const side = (without: string): string =>
          lines
            .filter(({ kind }) => kind !== without)
            .map((line) => `${line.text}\n`)
            .join("");
        expect([side("added"), side("removed")]).toEqual([before, after]);
      }),
      { numRuns: 1_000 },
    );
  });

  test("it changes no more lines than needed", () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const changed = lineDiff(before, after).filter(({ kind }) => kind !== "same").length;
        const [left, right] = [before, after].map((side) => side.split("\n").slice(0, -1));
        expect(changed).toBe(left!.length + right!.length - 2 * longestCommon(left!, right!));
      }),
      { numRuns: 300 },
    );
  });

  test("texts that have nothing in common are replaced whole, in bounded work", () => {
    const many = (word: string): string =>
      Array.from({ length: 20_000 }, (_, index) => `${word}${index}\n`).join("");
    const lines = lineDiff(many("a"), many("b"));
    expect(lines).toHaveLength(40_000);
    expect(lines[0]).toEqual({ kind: "removed", text: "a0" });
  });

  test("reads like a patch, with three lines around each change", () => {
    const before = Array.from({ length: 20 }, (_, index) => `line ${index + 1}\n`).join("");
    const after = before.replace("line 5\n", "five\n").replace("line 20\n", "line 20");
    expect(renderDiff(lineDiff(before, after))).toBe(
      [
        "@@ -2,7 +2,7 @@",
        " line 2",
        " line 3",
        " line 4",
        "-line 5",
        "+five",
        " line 6",
        " line 7",
        " line 8",
        "@@ -17,4 +17,4 @@",
        " line 17",
        " line 18",
        " line 19",
        "-line 20",
        "+line 20",
        "\\ no newline at the end",
      ].join("\n"),
    );
    expect(renderDiff(lineDiff(before, before))).toBe("");
  });
});

function longestCommon(left: readonly string[], right: readonly string[]): number {
  const table = Array.from({ length: left.length + 1 }, () => new Array<number>(right.length + 1).fill(0));
  for (let i = 1; i <= left.length; i++)
    for (let j = 1; j <= right.length; j++)
      table[i]![j] =
        left[i - 1] === right[j - 1]
          ? table[i - 1]![j - 1]! + 1
          : Math.max(table[i - 1]![j]!, table[i]![j - 1]!);
  return table[left.length]![right.length]!;
}

test("edits are shown, and never what a link in the folder leads to", async () => {
  const project = sandboxProject(temporaryDirectory());
  const files = skillFiles("pdf", "1");
  const entry = skillEntry("pdf", files);
  await commitChanges({
    ...project,
    changes: [
      { kind: "put", record: recordOf("install", "pdf"), name: "pdf", files, entry, discardEdits: false },
    ],
  });
  const folder = join(project.root, ".agents/skills/pdf");
  const outside = temporaryDirectory();
  mkdirSync(join(outside, "references"));
  for (const name of ["key", "guide.md", "references/guide.md"])
    writeFileSync(join(outside, name), "SECRET\n");
  writeFileSync(join(folder, "SKILL.md"), "edited by hand\n");
  rmSync(join(folder, "scripts/run.sh"));
  symlinkSync(join(outside, "key"), join(folder, "scripts/run.sh"));
  symlinkSync(join(outside, "key"), join(folder, "extra.md"));
  const drift = await verifyEntry(project.root, "pdf", entry);
  rmSync(join(folder, "references"), { recursive: true });
  symlinkSync(join(outside, "references"), join(folder, "references"));
  // As if the folder had been swapped for a link after it was verified.
  const late: Drift = {
    target: ".agents/skills/pdf",
    file: "references/guide.md",
    kind: "changed",
    message: "",
  };
  const shown = await compareEdits({
    root: project.root,
    entry,
    drift: [...drift, late],
    theirs: skillFiles("pdf", "2"),
    store: project.store,
  });
  expect(JSON.stringify(shown)).toContain("edited by hand");
  expect(JSON.stringify(shown)).not.toContain("SECRET");
});

test("a file that became too large to be compared is changed, and not removed", async () => {
  const project = sandboxProject(temporaryDirectory());
  const files = skillFiles("pdf", "1");
  const entry = skillEntry("pdf", files);
  await commitChanges({
    ...project,
    changes: [
      { kind: "put", record: recordOf("install", "pdf"), name: "pdf", files, entry, discardEdits: false },
    ],
  });
  writeFileSync(join(project.root, ".agents/skills/pdf/SKILL.md"), Buffer.alloc(5 * 1024 * 1024, "x"));
  const drift = await verifyEntry(project.root, "pdf", entry);
  const { root, store } = project;
  const shown = await compareEdits({ root, entry, drift, theirs: files, store });
  expect(shown).toEqual([{ path: "SKILL.md", here: "changed", there: "unchanged", conflict: false }]);
});

test("a table that goes from a file of tables goes whole, with its head first", () => {
  const table = (path: string): string => `[[skills.config]]\npath = "${path}"\nenabled = false\n`;
  const changed = lineDiff(`${table("a")}\n${table("b")}`, table("a")).filter(({ kind }) => kind !== "same");
  expect(changed.map(({ text }) => text)).toEqual(["", "[[skills.config]]", 'path = "b"', "enabled = false"]);
  const first = lineDiff(`${table("a")}${table("b")}`, table("b")).filter(({ kind }) => kind !== "same");
  expect(first.map(({ text }) => text)).toEqual(["[[skills.config]]", 'path = "a"', "enabled = false"]);
});
