import { execFileSync, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { HAS_GIT } from "./cli/git-repository.ts";

const RELEASE = join(import.meta.dirname, "../scripts/release.mjs");

/** Two packages, of which one needs the other. */
const FILES = {
  LICENSE: "MIT\n",
  "CHANGELOG.md": "# Changelog\n\n## Unreleased\n\n- Pans.\n",
  "package.json": JSON.stringify({ private: true, scripts: { build: "true" } }),
  ...packageFiles("lid", "export declare const LID: string;\n", 'export const LID = "lid";\n'),
  ...packageFiles(
    "pan",
    'export { LID as PAN } from "@kitchen/lid";\n',
    'export { LID as PAN } from "@kitchen/lid";\n',
    { "@kitchen/lid": "1.2.0" },
  ),
};

const CHANGELOG = { "CHANGELOG.md": "# Changelog\n\n## 1.2.0\n\n- Pans.\n" };
const REPOSITORY = {
  "packages/lid/package.json": manifest("lid", {}, { repository: { url: "https://example.test/kitchen" } }),
  "packages/pan/package.json": manifest(
    "pan",
    { "@kitchen/lid": "1.2.0" },
    { repository: { url: "https://example.test/kitchen" } },
  ),
};

/** As npm, except that it reaches no registry: there the lid is, and nothing else. */
const NPM = `#!/bin/sh
case "$1" in view | publish) echo "$@" >> "$HOME/calls" ;; esac
case "$1 $2" in "view @kitchen/lid@1.2.0") echo 1.2.0 ;; esac
case "$1" in view | publish) exit 0 ;; esac
PATH='${process.env.PATH}' exec npm "$@"
`;

describe.skipIf(!HAS_GIT)("npm run release", () => {
  test("says in a dry run what would be published, dependencies first, and publishes nothing", () => {
    const { status, stdout, stderr, left, calls } = release(FILES, ["--dry-run"]);
    expect({ status, stderr, left, calls }).toEqual({ status: 0, stderr: "", left: [], calls: [] });
    expect(stdout).toContain('✓ CHANGELOG.md has "## Unreleased", to be renamed to "## 1.2.0"\n');
    expect(stdout).toContain("2 entries imported and type-checked");
    expect(stdout).toMatch(
      /npm publish TARBALL --provenance .*\n +kitchen-lid-1\.2\.0\.tgz .*\n +kitchen-pan-1\.2\.0\.tgz .*\nNothing was published/,
    );
  });

  test.each([
    {
      fault: "a file that is not committed",
      files: {},
      later: { "notes.txt": "" },
      says: "The tree is not clean. Commit first:\n?? notes.txt",
    },
    {
      fault: "a package of another version",
      files: { "packages/lid/package.json": manifest("lid", {}, { version: "1.1.0" }) },
      says: "@kitchen/pan has version 1.2.0, not 1.1.0.",
    },
    {
      fault: "a dependency on another version of a sister",
      files: { "packages/pan/package.json": manifest("pan", { "@kitchen/lid": "^1.2.0" }) },
      says: "@kitchen/pan depends on @kitchen/lid ^1.2.0, not 1.2.0.",
    },
    {
      fault: "a changelog without the version",
      files: { "CHANGELOG.md": "# Changelog\n\n## 1.1.0\n" },
      says: 'CHANGELOG.md has no section "## 1.2.0".',
    },
    {
      fault: "a build that fails",
      files: {
        "package.json": JSON.stringify({ private: true, scripts: { build: "echo no flour; false" } }),
      },
      says: "npm run --silent build failed.\nno flour",
    },
    {
      fault: "a build that writes outside of dist",
      files: { "package.json": JSON.stringify({ private: true, scripts: { build: "touch crumbs" } }) },
      says: "The tree is not clean. Commit first:\n?? crumbs",
    },
    {
      fault: "a package without a license",
      files: { "packages/lid/LICENSE": undefined },
      says: "@kitchen/lid: the tarball lacks LICENSE.",
    },
    {
      fault: "another license",
      files: { "packages/lid/LICENSE": "All rights reserved.\n" },
      says: "@kitchen/lid: its LICENSE is not that of the repository.",
    },
    {
      fault: "a map whose source is not shipped",
      files: { "packages/pan/dist/index.js.map": '{ "sources": ["../src/pan.ts"] }' },
      says: "@kitchen/pan: the tarball lacks ../src/pan.ts, which dist/index.js.map names.",
    },
    {
      fault: "types that lead nowhere",
      files: { "packages/pan/dist/index.d.ts": 'export { POT as PAN } from "@kitchen/lid";\n' },
      says: "has no exported member 'POT'",
    },
    {
      fault: "code that cannot be imported",
      files: { "packages/pan/dist/index.js": 'export { PAN } from "./pan.js";\n' },
      says: "Cannot find module",
    },
  ])("stops at $fault", ({ files, later = {}, says }) => {
    const { status, stderr, left } = release({ ...FILES, ...files }, ["--dry-run"], later);
    expect(stderr).toContain(says);
    expect(stderr).toMatch(/\nPublished: nothing\.\n$/);
    expect({ status, left }).toEqual({ status: 1, left: [] });
  });

  test.each([
    { lacks: "a section of the changelog", files: FILES, says: 'Rename "## Unreleased" to it.' },
    {
      lacks: "a repository to name in the provenance",
      files: { ...FILES, ...CHANGELOG },
      says: 'Provenance needs the field "repository" in package.json of @kitchen/lid, @kitchen/pan.',
    },
  ])("publishes nothing without $lacks", ({ files, says }) => {
    const { status, stderr, calls } = release(files, []);
    expect(stderr).toContain(`${says}\nPublished: nothing.\n`);
    expect({ status, calls }).toEqual({ status: 1, calls: [] });
  });

  test("publishes with provenance what an earlier attempt did not", () => {
    const { status, stderr, calls } = release({ ...FILES, ...CHANGELOG, ...REPOSITORY }, []);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(calls).toEqual([
      "view @kitchen/lid@1.2.0 version",
      "view @kitchen/pan@1.2.0 version",
      "publish kitchen-pan-1.2.0.tgz --provenance --access public --ignore-scripts",
    ]);
  });
});

type Files = Readonly<Record<string, string | undefined>>;

function release(files: Files, args: readonly string[], later: Files = {}) {
  const folder = mkdtempSync(join(tmpdir(), "skillet-release-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [root, temporary, home] = [join(folder, "root"), join(folder, "tmp"), join(folder, "home")];
  for (const path of [root, temporary, home]) mkdirSync(path);
  write(root, files);
  writeFileSync(join(home, "npm"), NPM, { mode: 0o755 });
  const PATH = `${home}:${process.env.PATH}`;
  const env = { PATH, HOME: home, TMPDIR: temporary, GIT_CONFIG_NOSYSTEM: "1" };
  for (const command of [
    ["init", "-q"],
    ["add", "."],
    ["commit", "-qm", "Cook"],
  ])
    execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@example.test", ...command], {
      cwd: root,
      env,
    });
  write(root, later);
  const { status, stdout, stderr } = spawnSync(process.execPath, [RELEASE, ...args], {
    cwd: root,
    env,
    encoding: "utf8",
  });
  const calls = existsSync(join(home, "calls"))
    ? readFileSync(join(home, "calls"), "utf8").trim().split("\n")
    : [];
  return { status, stdout, stderr, calls, left: readdirSync(temporary) };
}

function write(root: string, files: Files): void {
  for (const [path, text] of Object.entries(files)) {
    if (text === undefined) continue;
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

function packageFiles(name: string, types: string, code: string, dependencies: Files = {}): Files {
  return {
    [`packages/${name}/package.json`]: manifest(name, dependencies),
    [`packages/${name}/LICENSE`]: "MIT\n",
    [`packages/${name}/README.md`]: `# ${name}\n`,
    [`packages/${name}/dist/index.d.ts`]: types,
    [`packages/${name}/dist/index.js`]: code,
  };
}

function manifest(name: string, dependencies: Files, more: object = {}): string {
  const exports = { ".": { types: "./dist/index.d.ts", default: "./dist/index.js" } };
  const usual = { name: `@kitchen/${name}`, version: "1.2.0", type: "module", files: ["dist"] };
  return JSON.stringify({ ...usual, exports, dependencies, ...more });
}
