// Runs the property tests with one random seed after another until the time is up, and prints how to replay what failed.
//
// npm run fuzz -- --minutes N [PATH…]
import { randomInt } from "node:crypto";
import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { parseArgs } from "node:util";
import { setUp } from "./set-up.mjs";

const root = join(import.meta.dirname, "..");
const { values, positionals } = parseArgs({
  options: { minutes: { type: "string", default: "5" } },
  allowPositionals: true,
});
const minutes = Number(values.minutes);
if (!(minutes > 0)) {
  console.error("Usage: npm run fuzz -- --minutes N [PATH…]");
  process.exit(2);
}

setUp();
const { createVitest } = await import("vitest/node");
const vitest = await createVitest("test", { root, watch: false, reporters: [{}], passWithNoTests: true });
const specifications = (await vitest.getRelevantTestSpecifications(positionals)).filter(({ moduleId }) =>
  readFileSync(moduleId, "utf8").includes('from "fast-check"'),
);
if (specifications.length === 0) {
  console.error("No property tests there.");
  process.exit(2);
}

const end = performance.now() + minutes * 60_000;
const failed = new Map();
let seeds = 0;
for (; performance.now() < end; seeds += 1) {
  const seed = randomInt(2 ** 31);
  process.env.FUZZ_SEED = String(seed);
  const timer = setTimeout(() => vitest.cancelCurrentRun("keyboard-input"), end - performance.now());
  const { testModules } = await vitest.runTestSpecifications(specifications, true);
  clearTimeout(timer);
  for (const testModule of testModules) reportFailures(testModule, seed);
}
await vitest.close();

console.log(
  `${specifications.length} files with property tests, ${seeds} seeds: ${failed.size} tests failed.`,
);
process.exit(failed.size === 0 ? 0 : 1);

/** Says once what failed first, so that a test which fails with every seed does not bury the others. */
function reportFailures(testModule, seed) {
  const file = relative(root, testModule.moduleId);
  for (const error of testModule.errors()) reportFailure(file, undefined, error, seed);
  for (const test of testModule.children.allTests("failed"))
    reportFailure(file, test.fullName, test.result().errors[0], seed);
}

function reportFailure(file, name, error, seed) {
  const key = `${file} ${name}`;
  if (failed.has(key)) return;
  failed.set(key, seed);
  const pattern = name?.replaceAll(" > ", " ").replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&");
  const only = pattern === undefined ? "" : ` -t '^ ?${pattern.replaceAll("'", "'\\''")}$'`;
  console.log(`\nFailed with seed ${seed}: ${file}${name === undefined ? "" : ` > ${name}`}`);
  console.log([error, error?.cause].map((one) => one?.message ?? "").join("\n"));
  console.log(`Replay: FUZZ_SEED=${seed} npx vitest run ${file}${only}\n`);
}
