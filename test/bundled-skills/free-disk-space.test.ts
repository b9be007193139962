import { linkSync, mkdirSync, readdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { createSandbox } from "../cli/sandbox.ts";
import { HAS_SANDBOX, runInSandbox } from "./sandboxed-script.ts";
import { runScript, temporaryFolder } from "./temporary-repository.ts";

const script = "free-disk-space/scripts/what-takes-space.sh";
const BLOCK = 4096;
const OLD = new Date("2020-01-02T12:00:00Z");

function write(folder: string, path: string, blocks: number, fill = path): void {
  const absolute = join(folder, path);
  mkdirSync(dirname(absolute), { recursive: true });
  writeFileSync(absolute, fill.repeat(Math.ceil((blocks * BLOCK) / fill.length)).slice(0, blocks * BLOCK));
}

/** Dependencies, a repository, a copy, a second name, a link and something old. */
function fill(folder: string): void {
  write(folder, "web/node_modules/big.bin", 40);
  writeFileSync(join(folder, "web/package.json"), "{}");
  write(folder, "not-a-project/node_modules/x.bin", 10);
  write(folder, ".git/objects/pack", 50);
  write(folder, "media/film.mp4", 30, "film");
  write(folder, 'media/odd \n\t"name\\.mp4', 30, "film");
  linkSync(join(folder, "media/film.mp4"), join(folder, "media/second name.mp4"));
  symlinkSync("/usr", join(folder, "link"));
  write(folder, "old/log.txt", 20);
  utimesSync(join(folder, "old/log.txt"), OLD, OLD);
}

const ARGS = ["--min-size", String(8 * BLOCK), "--top", "4"];

describe("what-takes-space.sh", () => {
  test("it lists what is large, can be made again, is old or is there twice", () => {
    const cwd = temporaryFolder();
    fill(cwd);
    const { status, stdout, stderr } = runScript(script, [...ARGS, "--json"], { cwd });
    expect([status, stderr]).toEqual([0, ""]);
    const copy = 'media/odd \n\t"name\\.mp4';
    expect(JSON.parse(stdout)).toEqual({
      folder: ".",
      bytes: 181 * BLOCK,
      files: 7,
      unreadable: 0,
      folders: [
        { bytes: 60 * BLOCK, path: "media" },
        { bytes: 50 * BLOCK, path: ".git" },
        { bytes: 41 * BLOCK, path: "web" },
        { bytes: 20 * BLOCK, path: "old" },
      ],
      largest: [
        { bytes: 50 * BLOCK, path: ".git/objects/pack" },
        { bytes: 40 * BLOCK, path: "web/node_modules/big.bin" },
        { bytes: 30 * BLOCK, path: "media/film.mp4" },
        { bytes: 30 * BLOCK, path: copy },
      ],
      madeAgain: [{ bytes: 40 * BLOCK, path: "web/node_modules", by: "package.json" }],
      madeAgainBytes: 40 * BLOCK,
      stale: [{ bytes: 20 * BLOCK, path: "old/log.txt", changed: "2020-01-02" }],
      duplicates: [{ bytes: 30 * BLOCK, path: copy, sameAs: "media/film.mp4" }],
    });
  });

  test("people get the same as text, on which no name acts", () => {
    const cwd = temporaryFolder();
    fill(cwd);
    write(cwd, "\x1b[2Jx.bin", 60);
    const { status, stdout } = runScript(script, ARGS, { cwd });
    expect(status).toBe(0);
    expect(stdout).toContain(
      "Can be made again: 160.0 kB\n  160.0 kB  web/node_modules  (by package.json)\n",
    );
    expect(stdout).toContain("  240.0 kB  ?[2Jx.bin\n");
    expect(stdout).toContain('There twice\n  120.0 kB  media/odd ??"name\\.mp4  (same as media/film.mp4)\n');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
    expect(stdout).not.toMatch(/[\0-\x09\x0b-\x1f]/);
  });

  test("files are not read to compare them when that is not wanted, and an empty folder has nothing", () => {
    const cwd = temporaryFolder();
    fill(cwd);
    const { stdout } = runScript(script, [...ARGS, "--no-duplicates", "--json", "media"], { cwd });
    expect(JSON.parse(stdout)).toMatchObject({ folder: "media", files: 2, duplicates: [] });
    expect(runScript(script, [], { cwd: temporaryFolder() })).toEqual({
      status: 0,
      stdout: ".: 0 B in 0 files\n",
      stderr: "",
    });
  });

  test("wrong use ends with 2 and prints nothing", () => {
    for (const args of [
      ["--top", "0"],
      ["--top", "x"],
      ["--top"],
      ["--stale-days", "-1"],
      ["no such folder"],
      ["a", "b"],
    ]) {
      const { status, stdout, stderr } = runScript(script, args);
      expect([args, status, stdout]).toEqual([args, 2, ""]);
      expect(stderr).toMatch(/^what-takes-space: /);
    }
  });
});

test.skipIf(!HAS_SANDBOX)(
  "in the sandbox it sources its helpers, and leaves the workspace as it is",
  async () => {
    const sandbox = createSandbox();
    fill(sandbox.project);
    const before = namesIn(sandbox.project);
    const { exitCode, stdout, stderr } = await runInSandbox(
      sandbox,
      "free-disk-space:scripts/what-takes-space.sh",
      ARGS,
    );
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(stdout).toContain(
      "Can be made again: 160.0 kB\n  160.0 kB  web/node_modules  (by package.json)\n",
    );
    expect(stdout).toContain(
      "Not changed for 180 days\n   80.0 kB  old/log.txt  (last changed 2020-01-02)\n",
    );
    expect(namesIn(sandbox.project)).toEqual(before);
  },
);

// With types, because without them links are followed, here through all of /usr.
function namesIn(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries.map((entry) => join(entry.parentPath, entry.name)).sort();
}
