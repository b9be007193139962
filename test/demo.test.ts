import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { HAS_GIT } from "./cli/git-repository.ts";

const HAS_SANDBOX = spawnSync("bwrap", ["--ro-bind", "/", "/", "--unshare-all", "true"]).status === 0;

describe.skipIf(!HAS_GIT)("npm run demo", () => {
  let [folder, home, temporary] = ["", "", ""];
  let stdout = "";
  let ending: unknown;
  /** What a command printed, by its name. */
  let steps: ReadonlyMap<string, string>;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "skillet-demo-test-"));
    [home, temporary] = [join(folder, "home"), join(folder, "tmp")];
    for (const path of [home, temporary]) mkdirSync(path);
    const demo = join(import.meta.dirname, "../scripts/demo.mjs");
    const env = { PATH: process.env.PATH, HOME: home, TMPDIR: temporary };
    const { status, stderr, ...run } = spawnSync(process.execPath, [demo, "--built"], {
      env,
      encoding: "utf8",
    });
    stdout = run.stdout;
    ending = { status, stderr };
    steps = new Map(
      [...stdout.matchAll(/^\$ skillet (\w+)[^─]*/gm)].map(([step, name = ""]) => [name, step]),
    );
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test("ends well", () => {
    expect(ending).toEqual({ status: 0, stderr: "" });
  });

  test.each([
    { step: "show", says: /✓ commit-style +claude-code +safe/ },
    { step: "show", says: /✓ query-plans +codex +safe/ },
    { step: "install", says: /✓ expense-report +installed/ },
    { step: "install", says: /✗ file-receipts +blocked/ },
    { step: "install", says: /~\/\.ssh \(ssh\) goes to\s+receipts\.example/ },
    { step: "search", says: /expense-report +\d+ % / },
    { step: "activate", says: /^<skill_content name="expense-report" origin="community"/m },
    { step: "audit", says: /blocked +file-receipts/ },
    { step: "audit", says: /✓ \d+ records, each sealed by the next/ },
  ])("$step says $says", ({ step, says }) => {
    expect(steps.get(step)).toMatch(says);
  });

  test.runIf(HAS_SANDBOX)("runs the script where the home cannot be seen, and shows the record of it", () => {
    expect(steps.get("run")).toContain("travel 405\nFiles in your home that this script can see: 0\n");
    expect(steps.get("records")).toMatch(/✓ run +expense-report +scripts\/sum\.sh/);
  });

  test.skipIf(HAS_SANDBOX)("says that the script was not run, and what it takes", () => {
    expect(stdout).toContain("sudo apt-get install bubblewrap");
  });

  test("fits into 80 columns", () => {
    // A path cannot be broken, and that of this test's temporary folder is long; a command to copy must not be.
    expect(
      stdout.split("\n").filter((line) => line.length > 80 && /^(?!skillet ).* /.test(line.trim())),
    ).toEqual([]);
  });

  test("touches no home but its own, and leaves nothing", () => {
    expect([...readdirSync(home), ...readdirSync(temporary)]).toEqual([]);
  });
});
