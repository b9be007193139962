// Runs the benches of two checkouts in turns, and says what changed: see README.md.
import { spawnSync } from "node:child_process";
import { join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";

const USAGE = `Usage: node bench/compare.mjs --old DIR --new DIR [options] [bench...]

  --old DIR, --new DIR  two checkouts, both with their dependencies installed and built
  --rounds N            runs of each, in turns (default 9)
  --scan ARGS           arguments of eval:scan, such as "--manifest M.jsonl --root DIR"
  --select ARGS         arguments of eval:select, such as "--set DIR --distractors DIR"`;

const NUMBER = /\d+(?:\.\d+)?/g;

const { values: options, positionals: wanted } = parseArgs({
  allowPositionals: true,
  options: {
    old: { type: "string" },
    new: { type: "string" },
    rounds: { type: "string", default: "9" },
    scan: { type: "string", default: "" },
    select: { type: "string", default: "" },
  },
});

/** Which function of a checkout's bench builds a module, and what runs it; shorter than by itself, since it is repeated. */
const BENCHES = {
  "eval:scan": ["prepare.mjs", "buildEvaluation", "evaluation/eval-scan.js", words(options.scan)],
  "eval:scan-mutations": ["prepare.mjs", "buildEvaluation", "evaluation/eval-scan-mutations.js", []],
  "eval:select": [
    "prepare-select.mjs",
    "buildSelectBench",
    "select/eval-select.js",
    [...words(options.select), "--cross-validate"],
  ],
  "bench:run": ["prepare.mjs", "buildBench", "scripts.js", ["--runs", "3"]],
  "bench:verify": ["prepare.mjs", "buildInstallBench", "install/verify.js", ["--runs", "3"]],
  "bench:install-faults": [
    "prepare.mjs",
    "buildInstallBench",
    "install/install-faults.js",
    ["--kills", "50"],
  ],
};

if (options.old === undefined || options.new === undefined) {
  console.error(USAGE);
  process.exit(2);
}
const folders = { old: resolve(options.old), new: resolve(options.new) };
const rounds = Number(options.rounds);
const names = wanted.length > 0 ? wanted : ["bench:discover", ...Object.keys(BENCHES)];
const summary = [];

for (const name of names) {
  if (name === "bench:discover") compareDiscovery();
  else if (name in BENCHES) summary.push(await compare(name));
  else
    throw new TypeError(
      `There is no bench ${name}; choose from bench:discover, ${Object.keys(BENCHES).join(", ")}.`,
    );
}
for (const line of ["", "Processor time of whole runs, medians:", ...summary]) console.log(line);

/** It measures two builds in the same rounds by itself. */
function compareDiscovery() {
  const script = fileURLToPath(new URL("run-discover.mjs", pathToFileURL(join(folders.new, "bench/"))));
  const args = [script, "--peers", "none", "--runs", String(rounds), "--against", folders.old];
  const { status } = spawnSync(process.execPath, args, { stdio: ["ignore", "inherit", "inherit"] });
  if (status !== 0) throw new Error(`bench:discover ended with ${status}`);
}

/**
 * Runs one bench of both checkouts in turns, prints the lines whose numbers differ, and returns a line for the summary.
 *
 * @param {string} name
 */
async function compare(name) {
  const [script, build, module, args] = BENCHES[name];
  const runs = { old: [], new: [] };
  for (const folder of Object.values(folders))
    await (await import(pathToFileURL(join(folder, "bench", script)).href))[build]();
  for (let round = 0; round < rounds; round++)
    for (const which of round % 2 === 0 ? ["old", "new"] : ["new", "old"])
      runs[which].push(run(join(folders[which], "bench/dist", module), args));
  console.log(`\n${name}`);
  const [before, after] = [medianLines(runs.old), medianLines(runs.new)];
  for (const line of before) if (!after.includes(line)) console.log(`- ${line}`);
  for (const line of after) if (!before.includes(line)) console.log(`+ ${line}`);
  console.log(`  ${after.filter((line) => before.includes(line)).length} lines are the same`);
  const [old, now] = [runs.old, runs.new].map((all) => median(all.map(({ seconds }) => seconds)));
  return `${name.padEnd(22)} old ${old.toFixed(2)} s  new ${now.toFixed(2)} s  new/old ${(now / old).toFixed(2)}`;
}

/**
 * Runs a module to its end; bash tells the processor time of it and of everything that it started.
 *
 * @param {string} module
 * @param {readonly string[]} args
 */
function run(module, args) {
  const timed = 'TIMEFORMAT="%3U %3S"; { time "$@" 2>&4; } 4>&2 2>&3';
  const result = spawnSync("bash", ["-c", timed, "bash", process.execPath, module, ...args], {
    env: { ...process.env, LC_ALL: "C" },
    stdio: ["ignore", "pipe", "inherit", "pipe"],
    maxBuffer: 64 * 1024 * 1024,
    encoding: "utf8",
  });
  if (result.error !== undefined) throw result.error;
  if (result.status === 2) throw new Error(`${module} does not run with: ${args.join(" ")}`);
  const [user, system] = result.output[3].trim().split(" ").map(Number);
  return { lines: result.stdout.split("\n").filter((line) => line.trim() !== ""), seconds: user + system };
}

/**
 * The lines of the first run, every number being the median of that number in all runs.
 *
 * @param {readonly { lines: readonly string[] }[]} runs
 */
function medianLines(runs) {
  const [{ lines }] = runs;
  return lines.map((line, place) => {
    const others = runs.map((one) => one.lines[place] ?? "").filter((other) => mask(other) === mask(line));
    const numbers = others.map((other) => other.match(NUMBER) ?? []);
    let index = 0;
    return line
      .replaceAll(NUMBER, (text) => {
        const middle = median(numbers.map((found) => Number(found[index])));
        index += 1;
        return String(Number(middle.toFixed(text.split(".")[1]?.length ?? 0)));
      })
      .replaceAll(/ {2,}/g, "  ");
  });
}

/** @param {string} line */
function mask(line) {
  return line.replaceAll(NUMBER, "#").replaceAll(/ +/g, " ");
}

/** @param {readonly number[]} values */
function median(values) {
  const sorted = values.toSorted((left, right) => left - right);
  return ((sorted[Math.floor(sorted.length / 2)] ?? 0) + (sorted[Math.ceil(sorted.length / 2) - 1] ?? 0)) / 2;
}

/** @param {string} text */
function words(text) {
  return text.split(/\s+/).filter((word) => word !== "");
}
