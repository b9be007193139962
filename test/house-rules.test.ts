import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { countLines, readSources } from "../scripts/measure-house.mjs";

const REPOSITORY = join(import.meta.dirname, "..");
const HARD_LIMIT_LINES = 500;

const sources = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "packages"], {
  cwd: REPOSITORY,
  encoding: "utf8",
})
  .split("\n")
  .filter((file) => /\/src\/.*\.ts$/.test(file) && !file.endsWith(".test.ts") && !file.includes("/testing/"));

const linesOf = (file: string): number => readFileSync(join(REPOSITORY, file), "utf8").split("\n").length;

test("no source file is longer than 500 lines", () => {
  const lengths = sources.map((file) => ({ file, lines: linesOf(file) }));
  expect(lengths.filter(({ lines }) => lines > HARD_LIMIT_LINES)).toEqual([]);
});

interface Size {
  readonly lines: number;
  readonly files: number;
}

interface Budget extends Size {
  /** What an issue may add, until `npm run measure -- --write-budgets` settles it. */
  readonly allowance?: Size;
}

test("every package keeps within its budget of lines and files, and close to it", () => {
  const budgets: Record<string, Budget> = JSON.parse(
    readFileSync(join(REPOSITORY, "test/house.json"), "utf8"),
  );
  expect(findBudgetFaults(countLines(readSources()), budgets)).toEqual([]);
});

test("a package that outgrows its budget, falls far below it or has none is found", () => {
  const budgets = { core: { lines: 10_000, files: 100 } };
  expect(findBudgetFaults({ core: { lines: 9_800, files: 97 } }, budgets)).toEqual([]);
  expect(
    findBudgetFaults({ core: { lines: 10_001, files: 96 }, left: { lines: 1, files: 1 } }, budgets),
  ).toEqual([
    "core has 10001 lines, 1 more than its budget in test/house.json",
    "core has 96 files, far below its budget of 100: run npm run measure -- --write-budgets",
    "left has no budget in test/house.json",
  ]);
  const booked = { core: { ...budgets.core, allowance: { lines: 1, files: 0 } } };
  expect(findBudgetFaults({ core: { lines: 10_001, files: 50 } }, booked)).toEqual([]);
});

// A budget that is not written down when a package shrinks would let it grow again unseen.
const SLACK: Size = { lines: 50, files: 3 };
const SLACK_SHARE = 0.02;

function findBudgetFaults(counts: Record<string, Size>, budgets: Record<string, Budget>): string[] {
  return Object.entries(counts).flatMap(([name, count]) => {
    const budget = budgets[name];
    if (budget === undefined) return [`${name} has no budget in test/house.json`];
    return (["lines", "files"] as const).flatMap((unit) => {
      const over = count[unit] - budget[unit] - (budget.allowance?.[unit] ?? 0);
      if (over > 0)
        return [`${name} has ${count[unit]} ${unit}, ${over} more than its budget in test/house.json`];
      const isClose = -over <= Math.max(SLACK[unit], budget[unit] * SLACK_SHARE);
      return isClose || budget.allowance !== undefined
        ? []
        : [
            `${name} has ${count[unit]} ${unit}, far below its budget of ${budget[unit]}: run npm run measure -- --write-budgets`,
          ];
    });
  });
}

// Reading calls of node:fs; statuses and listings do not read content.
const READS = /\b(?:readFile|readFileSync|open|openSync|read|readSync|createReadStream)\b/;
const GATES = [
  "packages/kit/src/files/",
  "packages/kit/src/log.ts",
  // The cache of discovery, and its own code, to know its version by.
  "packages/core/src/registry/scan/discovery-cache.ts",
  // What the kernel says about processes and their descriptors, and whether a file is a program.
  "packages/kit/src/process/",
  "packages/run/src/sandbox/limit-group.ts",
  // Which scans a process that ended left unfinished.
  "packages/scan/src/cache/unfinished-scans.ts",
  // Staged copies, which are digested again before each use.
  "packages/run/src/sandbox/ssh/remote-tree.ts",
  "packages/run/src/stage/read-staged-tree.ts",
  // What hooks of one conversation leave for each other, and the event on standard input.
  "packages/adapters/src/hooks/hook-state.ts",
  "packages/adapters/src/hooks/run-hook.ts",
  // The two ends of an agent's conversation, for its title.
  "packages/author/src/transcript/find-sessions.ts",
  // The conversation that an agent goes on with, which it holds open to append to.
  "packages/agent/src/conversation/transcript.ts",
  // What lies at a place, against its lock.
  "packages/hub/src/place/find-drift.ts",
];

test("files are read through the gates alone: skills in source/, Skillet's own files and what the kernel says in those listed here", () => {
  const readers = sources.filter((file) => {
    const text = readFileSync(join(REPOSITORY, file), "utf8");
    const imports = text.matchAll(/import (\*|\{[^}]*\})[^;]* from "node:fs(?:\/promises)?"/g);
    return Array.from(imports, ([, names = ""]) => names).some((names) => names === "*" || READS.test(names));
  });
  expect(readers.filter((file) => !GATES.some((gate) => file.startsWith(gate)))).toEqual([]);
  expect(GATES.filter((gate) => !readers.some((file) => file.startsWith(gate)))).toEqual([]);
});

test("processes are started in one place", () => {
  const starters = sources.filter((file) =>
    readFileSync(join(REPOSITORY, file), "utf8").includes("node:child_process"),
  );
  expect(starters).toEqual(["packages/kit/src/process/spawn-child.ts"]);
});
