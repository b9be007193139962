import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const REPOSITORY = join(import.meta.dirname, "..");
const HARD_LIMIT_LINES = 500;
const MEDIAN_LIMIT_LINES = 100;

const sources = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "packages"], {
  cwd: REPOSITORY,
  encoding: "utf8",
})
  .split("\n")
  .filter((file) => /\/src\/.*\.ts$/.test(file) && !file.endsWith(".test.ts") && !file.includes("/testing/"));

const linesOf = (file: string): number => readFileSync(join(REPOSITORY, file), "utf8").split("\n").length;

test("no source file is longer than 500 lines, and half of them are under 100", () => {
  const lengths = sources.map((file) => ({ file, lines: linesOf(file) }));
  expect(lengths.filter(({ lines }) => lines > HARD_LIMIT_LINES)).toEqual([]);
  const sorted = lengths.map(({ lines }) => lines).sort((left, right) => left - right);
  expect(sorted[Math.floor(sorted.length / 2)]).toBeLessThan(MEDIAN_LIMIT_LINES);
});

// Reading calls of node:fs; statuses and listings are no reading of content.
const READS = /\b(?:readFile|readFileSync|open|openSync|read|readSync|createReadStream)\b/;
const GATES = [
  "packages/kit/src/files/",
  "packages/core/src/audit/",
  "packages/core/src/registry/scan/cache-file.ts",
  "packages/core/src/session/records/journal/open-journal-file.ts",
  // Its own code, to know its version by.
  "packages/core/src/registry/scan/code-identity.ts",
  // What the kernel says about processes and their descriptors, and whether a file is a program.
  "packages/kit/src/process/",
  "packages/run/src/runtime/is-native-program.ts",
  "packages/run/src/sandbox/limits/read-system-file.ts",
  // Which scans a process that ended left unfinished.
  "packages/scan/src/cache/unfinished-scans.ts",
  // Staged copies, which are digested again before each use.
  "packages/run/src/sandbox/ssh/staged-files.ts",
  "packages/run/src/stage/digest-staged-file.ts",
  // What is being placed, and what lies there against its lock.
  "packages/hub/src/place/write-synced.ts",
  "packages/hub/src/verify/find-drift.ts",
];

test("files are read through the gates alone: skills in source/, Skillet's own files and what the kernel says in those listed here", () => {
  const readers = sources.filter((file) => {
    const text = readFileSync(join(REPOSITORY, file), "utf8");
    const imports = text.matchAll(/import (\*|\{[^}]*\})[^;]* from "node:fs(?:\/promises)?"/g);
    return Array.from(imports, ([, names = ""]) => names).some((names) => names === "*" || READS.test(names));
  });
  expect(readers.filter((file) => !GATES.some((gate) => file.startsWith(gate)))).toEqual([]);
});

test("processes are started in one place", () => {
  const starters = sources.filter((file) =>
    readFileSync(join(REPOSITORY, file), "utf8").includes("node:child_process"),
  );
  expect(starters).toEqual(["packages/kit/src/process/spawn-child.ts"]);
});
