// Checks a release from end to end, then publishes it; with --dry-run it says what would be published. See docs/release.md.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { checkTarballs, packAll, publishedPackages } from "./check-tarballs.mjs";

const root = process.cwd();
const { values: options } = parseArgs({ options: { "dry-run": { type: "boolean", default: false } } });
const isDryRun = options["dry-run"];
const published = [];
const folder = mkdtempSync(join(tmpdir(), "skillet-release-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

try {
  release();
} catch (error) {
  console.error(`✗ ${error.message}\nPublished: ${published.join(", ") || "nothing"}.`);
  process.exitCode = 1;
}

function release() {
  done(`the tree is clean, at ${checkTree()}`);
  const packages = publishedPackages(root);
  const version = checkVersions(packages);
  done(`${packages.length} packages, all of version ${version}`);
  done(`CHANGELOG.md has "${checkChangelog(version)}"`);
  checkRepository(packages);
  run("npm", ["run", "--silent", "build"]);
  checkTree(); // a build that writes outside of dist would be published without being in the repository
  done("built");
  const paths = packages.map(({ path }) => path);
  const tarballs = packAll(paths, join(folder, "tarballs"));
  const entries = checkTarballs(root, tarballs, folder);
  done(`installed together in an empty folder: ${entries.length} entries imported and type-checked`);
  publish(packages, tarballs);
}

function checkTree() {
  const changes = run("git", ["status", "--porcelain"]).trimEnd();
  if (changes !== "") throw new Error(`The tree is not clean. Commit first:\n${changes}`);
  return run("git", ["rev-parse", "--short", "HEAD"]).trim();
}

/** Sister packages are named by exact version, so that no two releases are ever mixed. */
function checkVersions(packages) {
  const [{ version }] = packages;
  for (const one of packages) {
    if (one.version !== version) throw new Error(`${one.name} has version ${one.version}, not ${version}.`);
    for (const [name, wanted] of Object.entries({ ...one.dependencies, ...one.devDependencies }))
      if (packages.some((sister) => sister.name === name) && wanted !== version)
        throw new Error(`${one.name} depends on ${name} ${wanted}, not ${version}.`);
  }
  return version;
}

function checkChangelog(version) {
  const headings = readFileSync(join(root, "CHANGELOG.md"), "utf8").match(/^## .*$/gm) ?? [];
  const heading = headings.find((line) => line.split(" ")[1] === version);
  if (heading !== undefined) return heading;
  if (isDryRun && headings[0] === "## Unreleased") return `## Unreleased", to be renamed to "## ${version}`;
  throw new Error(`CHANGELOG.md has no section "## ${version}". Rename "## Unreleased" to it.`);
}

/** Provenance names the repository, and the registry compares it with what the package says. */
function checkRepository(packages) {
  const missing = packages.filter(({ repository }) => repository?.url === undefined);
  if (missing.length === 0) return done("every package names its repository");
  const message = `Provenance needs the field "repository" in package.json of ${missing.map(({ name }) => name).join(", ")}.`;
  if (!isDryRun) throw new Error(message);
  console.log(`! ${message}`);
}

function publish(packages, tarballs) {
  const flags = ["--provenance", "--access", "public", "--ignore-scripts"];
  console.log(`\nnpm publish TARBALL ${flags.join(" ")}`);
  for (const { name, version } of packages) {
    const { filename, size, entryCount } = tarballs.find((tarball) => tarball.name === name);
    console.log(`  ${filename.padEnd(32)}${Math.ceil(size / 1000)} kB, ${entryCount} files`);
    // There already where an earlier attempt stopped halfway.
    if (isDryRun || isThere(`${name}@${version}`)) continue;
    execFileSync("npm", ["publish", filename, ...flags], { cwd: join(folder, "tarballs"), stdio: "inherit" });
    published.push(name);
  }
  if (isDryRun) console.log("Nothing was published: this was a dry run.");
}

function isThere(specifier) {
  return spawnSync("npm", ["view", specifier, "version"], { encoding: "utf8" }).stdout.trim() !== "";
}

function done(text) {
  console.log(`✓ ${text}`);
}

function run(command, args) {
  try {
    return execFileSync(command, args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  } catch (error) {
    throw new Error(`${command} ${args.join(" ")} failed.\n${error.stdout}${error.stderr}`, { cause: error });
  }
}
