import { spawnSync } from "node:child_process";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "tsdown";

const bench = import.meta.dirname;
const repository = join(bench, "..");

/** Builds the product's packages where their output is missing or older than their sources. */
export function buildPackages() {
  const isStale = ["kit", "shell", "select", "core", "run", "scan", "author", "cli"].some((name) => {
    const folder = join(repository, "packages", name);
    return newestFile(join(folder, "src")) > newestFile(join(folder, "dist"));
  });
  if (!isStale) return;
  const result = spawnSync("npm", ["run", "--silent", "build"], {
    cwd: repository,
    stdio: ["ignore", "ignore", "inherit"],
    shell: process.platform === "win32",
  });
  if (result.status === 0) return;
  console.error("The packages could not be built, so there is nothing to measure; see `npm run build`.");
  process.exit(2);
}

/** Builds the bench itself: Node 20 does not run TypeScript. */
export async function buildBench() {
  await build({
    config: false,
    cwd: bench,
    entry: [
      "src/discover.ts",
      "src/catalog.ts",
      "src/corpus.ts",
      "src/scripts.ts",
      "src/sessions.ts",
      "src/tokens.ts",
      "src/loader-child.ts",
    ],
    format: "esm",
    platform: "node",
    target: "node20.19",
    unbundle: true,
    dts: false,
    fixedExtension: false,
    tsconfig: false,
    deps: { neverBundle: [/^@skillet\//] },
    logLevel: "warn",
  });
}

/** Builds the evaluation of the scanner together with the scanner's own sources: what is measured is what is there. */
export async function buildEvaluation() {
  await build({
    config: false,
    cwd: bench,
    entry: [
      "src/eval-scan.ts",
      "src/eval-scan-sets.ts",
      "src/eval-scan-code.ts",
      "src/eval-scan-wild.ts",
      "src/eval-judge.ts",
      "src/eval-scan-mutations.ts",
      "src/fit-scan.ts",
    ],
    outDir: "dist/evaluation",
    format: "esm",
    platform: "node",
    target: "node20.19",
    dts: false,
    fixedExtension: false,
    // Its paths lead to the packages' sources.
    tsconfig: join(repository, "tsconfig.json"),
    plugins: [BUNDLED_PARSER],
    deps: { alwaysBundle: [/^@skillet\//] },
    logLevel: "warn",
  });
}

/** Builds the benchmarks of fetching, verifying and interrupting together with the hub's own sources. */
export async function buildInstallBench() {
  await build({
    config: false,
    cwd: bench,
    entry: {
      "install-git": "src/install-git.ts",
      verify: "src/verify.ts",
      "install-faults": "src/install-faults.ts",
      "commit-child": join(repository, "packages/hub/src/place/testing/commit-child.ts"),
    },
    outDir: "dist/install",
    format: "esm",
    platform: "node",
    target: "node20.19",
    dts: false,
    fixedExtension: false,
    tsconfig: join(repository, "tsconfig.json"),
    plugins: [BUNDLED_PARSER],
    deps: { alwaysBundle: [/^@skillet\//] },
    logLevel: "warn",
  });
}

/**
 * The shell parser is required on first need. From the folder of a bundle that would find the copy of another version
 * at the root, so it is bundled.
 */
const BUNDLED_PARSER = {
  name: "bundled-parser",
  transform: {
    filter: { code: 'createRequire(import.meta.url)("unbash")' },
    handler: (/** @type {string} */ code) =>
      `import * as unbashModule from "unbash";\n${code.replace('createRequire(import.meta.url)("unbash")', "unbashModule")}`,
  },
};

/**
 * Runs a built module of the bench and takes over its exit code.
 *
 * @param {string} module
 * @param {string[]} args
 */
export function runBench(module, args) {
  const path = fileURLToPath(new URL(`dist/${module}`, import.meta.url));
  const result = spawnSync(process.execPath, ["--expose-gc", path, ...args], { stdio: "inherit" });
  if (result.error !== undefined) throw result.error;
  process.exitCode = result.status ?? 2;
}

/**
 * When the newest file below a folder was written; -1 where there is none.
 *
 * @param {string} directory
 * @returns {number}
 */
function newestFile(directory) {
  if (statSync(directory, { throwIfNoEntry: false }) === undefined) return -1;
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true });
  const times = entries
    .filter((entry) => entry.isFile())
    .map((entry) => statSync(join(entry.parentPath, entry.name)).mtimeMs);
  return times.reduce((newest, time) => Math.max(newest, time), -1);
}
