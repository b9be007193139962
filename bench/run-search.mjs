import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildPackages } from "./prepare.mjs";

const ROUNDS = 3;
const LAUNCHER = join(import.meta.dirname, "../packages/cli/bin/skillet.cjs");

const [folder, ...words] = process.argv.slice(2);
if (folder === undefined || !statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
  console.error("Usage: npm run bench:search -- DIR [message...]");
  process.exit(2);
}
buildPackages();
const message = words.length === 0 ? "turn a contract into a PDF form" : words.join(" ");

/** One search from nothing and one more: discovery, the index and the scan of the rows that are shown. */
function searchTwice() {
  const home = mkdtempSync(join(tmpdir(), "skillet-search-"));
  const search = () => {
    const started = performance.now();
    const { status, stderr } = spawnSync(
      process.execPath,
      [LAUNCHER, "search", message, "--skills-root", folder],
      { env: { PATH: process.env.PATH, HOME: home, SKILLET_HOME: join(home, ".skillet") }, encoding: "utf8" },
    );
    if (status !== 0) throw new Error(`skillet search ended with ${status}: ${stderr}`);
    return (performance.now() - started) / 1000;
  };
  try {
    return [search(), search()];
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

const rounds = Array.from({ length: ROUNDS }, searchTwice);
for (const [index, name] of ["first", "second"].entries()) {
  const seconds = rounds.map((round) => round[index]).sort((left, right) => left - right);
  const [fastest, median] = [seconds[0], seconds[Math.floor(ROUNDS / 2)]];
  console.log(`${name} search  median ${median.toFixed(2)} s  fastest ${fastest.toFixed(2)} s`);
}
