import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runScript, TemporaryRepository, temporaryFolder } from "./temporary-repository.ts";

describe("repeat-test.sh", () => {
  const script = "debug-failing-test/scripts/repeat-test.sh";
  const flaky =
    'n=$(cat n 2>/dev/null || echo 0); echo $((n + 1)) >n; echo "run $n"; [ $((n % 3)) -ne 2 ] || exit 7';

  test("outcomes are counted, and the first failure's output is kept", () => {
    const cwd = temporaryFolder();
    const { status, stdout } = runScript(
      script,
      ["--runs", "7", "--log", "first log", "--", "sh", "-c", flaky],
      { cwd },
    );
    expect([status, stdout]).toEqual([1, "exit 0\t5\nexit 7\t2\nruns=7 passed=5 failed=2 timed-out=0\n"]);
    expect(readFileSync(join(cwd, "first log"), "utf8")).toBe("run 2\n");
  });

  test("it can stop at the first failure, and all passes end with 0", () => {
    const cwd = temporaryFolder();
    const stopped = runScript(script, ["--until-failure", "--", "sh", "-c", flaky], { cwd });
    expect(stopped.stdout).toContain("runs=3 passed=2 failed=1");
    const passed = runScript(script, ["--runs", "2", "--", "true"], { cwd });
    expect([passed.status, passed.stdout]).toEqual([0, "exit 0\t2\nruns=2 passed=2 failed=0 timed-out=0\n"]);
  });

  test("a run that hangs is ended and counted apart", () => {
    const { status, stdout } = runScript(script, ["--runs", "1", "--timeout", "1", "--", "sleep", "600"]);
    expect([status, stdout]).toEqual([1, "exit 124\t1\nruns=1 passed=0 failed=0 timed-out=1\n"]);
  });

  test("arguments reach the command unchanged", () => {
    const check = '[ "$1" = "a b; touch x" ] && [ "$2" = "*" ]';
    const cwd = temporaryFolder();
    const { status } = runScript(
      script,
      ["--runs", "1", "--", "sh", "-c", check, "sh", "a b; touch x", "*"],
      { cwd },
    );
    expect([status, readdirSync(cwd)]).toEqual([0, []]);
  });

  test("a log is never written over or through a link", () => {
    const cwd = temporaryFolder();
    symlinkSync(join(cwd, "elsewhere"), join(cwd, "log"));
    const { status } = runScript(script, ["--runs", "1", "--log", "log", "--", "false"], { cwd });
    expect([status, existsSync(join(cwd, "elsewhere"))]).toEqual([2, false]);
  });

  test("a command that cannot start is not a failing test", () => {
    expect(runScript(script, ["--", "/nowhere/at-all"])).toMatchObject({ status: 2, stdout: "" });
    expect(runScript(script, ["--runs", "0", "--", "true"])).toMatchObject({ status: 2, stdout: "" });
    expect(runScript(script, ["--runs", "5"])).toMatchObject({ status: 2, stdout: "" });
    expect(runScript(script, ["true"])).toMatchObject({ status: 2, stdout: "" });
  });
});

describe("bisect-test.sh", () => {
  const script = "debug-failing-test/scripts/bisect-test.sh";
  const broken = ["sh", "-c", "test ! -e broken"];

  /** Eight commits; "broken" appears with the fifth. */
  function history(): { repository: TemporaryRepository; hashes: string[] } {
    const repository = new TemporaryRepository();
    const hashes = [1, 2, 3, 4, 5, 6, 7, 8].map((step) =>
      repository.commit(`step ${step}`, { step: `${step}\n`, ...(step >= 5 ? { broken: "" } : {}) }),
    );
    return { repository, hashes };
  }

  test("the commit that broke the test is found, and the user's repository is as it was", () => {
    const { repository, hashes } = history();
    repository.write("step", "edited\n");
    repository.write("un tracked", "");
    const before = [repository.git("status", "--porcelain", "--branch"), repository.git("for-each-ref")];
    const { status, stdout } = runScript(script, [
      "--repo",
      repository.folder,
      "--good",
      hashes[0]!,
      "--",
      ...broken,
    ]);
    expect([status, stdout]).toEqual([0, `first-bad\t${hashes[4]}\tstep 5\n`]);
    expect([repository.git("status", "--porcelain", "--branch"), repository.git("for-each-ref")]).toEqual(
      before,
    );
    expect(repository.git("worktree", "list").split("\n")).toHaveLength(1);
    expect(() => repository.git("bisect", "log")).toThrow("not bisecting");
  });

  test("neighbouring ends need no further run", () => {
    const { repository, hashes } = history();
    const args = ["--repo", repository.folder, "--good", hashes[3]!, "--bad", hashes[4]!, "--", ...broken];
    expect(runScript(script, args)).toMatchObject({ status: 0, stdout: `first-bad\t${hashes[4]}\tstep 5\n` });
  });

  test("a failure for another reason is skipped, not blamed", () => {
    const { repository, hashes } = history();
    const other =
      'case $(cat step) in 3 | 4) echo other; exit 1 ;; esac; test ! -e broken || { echo "the bug"; exit 1; }';
    const common = ["--repo", repository.folder, "--good", hashes[0]!];
    const misled = runScript(script, [...common, "--", "sh", "-c", other]);
    expect(misled.stdout).toBe(`first-bad\t${hashes[2]}\tstep 3\n`);
    const careful = runScript(script, [...common, "--match", "the bug", "--", "sh", "-c", other]);
    expect([careful.status, careful.stdout.split("\n").slice(0, -1).sort()]).toEqual([
      1,
      [2, 3, 4].map((index) => `suspect\t${hashes[index]}\tstep ${index + 1}`).sort(),
    ]);
  });

  test("a test that rewrites tracked files does not stop the search", () => {
    const { repository, hashes } = history();
    const dirty = ["sh", "-c", "echo dirty >step; test ! -e broken"];
    const args = ["--repo", repository.folder, "--good", hashes[0]!, "--", ...dirty];
    expect(runScript(script, args)).toMatchObject({ status: 0, stdout: `first-bad\t${hashes[4]}\tstep 5\n` });
  });

  test("ends that do not hold are refused", () => {
    const { repository, hashes } = history();
    const at = ["--repo", repository.folder];
    const passing = runScript(script, [...at, "--good", hashes[0]!, "--", "true"]);
    expect([passing.status, passing.stdout]).toEqual([2, ""]);
    expect(passing.stderr).toContain("the bad end HEAD does not fail as asked");
    const failing = runScript(script, [...at, "--good", hashes[5]!, "--", ...broken]);
    expect(failing.stderr).toContain(`the good end ${hashes[5]} does not pass`);
    const reversed = runScript(script, [...at, "--good", "HEAD", "--bad", "HEAD~3", "--", ...broken]);
    expect(reversed.stderr).toContain("is not an ancestor");
    expect(repository.git("worktree", "list").split("\n")).toHaveLength(1);
  });

  test("hooks of the repository are not run, and an untracked folder can be linked in and survives", () => {
    const { repository, hashes } = history();
    repository.write(".git/hooks/post-checkout", `#!/bin/sh\ntouch '${repository.folder}/hooked'\n`);
    chmodSync(join(repository.folder, ".git/hooks/post-checkout"), 0o755);
    repository.write(".git/info/exclude", "node_modules\n");
    repository.write("node_modules/tool", "here\n");
    const needsTool = ["sh", "-c", "test -e node_modules/tool || exit 125; test ! -e broken"];
    const args = [
      "--repo",
      repository.folder,
      "--good",
      hashes[0]!,
      "--link",
      "node_modules",
      "--",
      ...needsTool,
    ];
    expect(runScript(script, args)).toMatchObject({ status: 0, stdout: `first-bad\t${hashes[4]}\tstep 5\n` });
    expect(existsSync(join(repository.folder, "hooked"))).toBe(false);
    expect(readFileSync(join(repository.folder, "node_modules/tool"), "utf8")).toBe("here\n");
  });

  test("a linked folder cannot be led out of the worktree by a link that a commit holds", () => {
    const outside = temporaryFolder();
    const repository = new TemporaryRepository();
    symlinkSync(outside, join(repository.folder, "web"));
    const good = repository.commit("web is a link");
    rmSync(join(repository.folder, "web"));
    repository.commit("web is a folder", { "web/broken": "" });
    repository.write("web/node_modules/tool", "");
    const command = ["sh", "-c", "test ! -e web/broken"];
    const args = [
      "--repo",
      repository.folder,
      "--good",
      good,
      "--link",
      "web/node_modules",
      "--",
      ...command,
    ];
    const { status, stderr } = runScript(script, args);
    expect([status, readdirSync(outside)]).toEqual([2, []]);
    expect(stderr).toContain("web is itself a link");
  });

  test("links out of the repository and wrong use are refused", () => {
    const { repository, hashes } = history();
    const common = ["--repo", repository.folder, "--good", hashes[0]!];
    for (const link of ["../outside", "/etc", "a/../../b", ".git"]) {
      expect(runScript(script, [...common, "--link", link, "--", ...broken])).toMatchObject({
        status: 2,
        stdout: "",
      });
    }
    expect(runScript(script, ["--repo", repository.folder, "--", "true"])).toMatchObject({
      status: 2,
      stdout: "",
    });
    expect(runScript(script, common)).toMatchObject({ status: 2, stdout: "" });
    expect(runScript(script, [...common, "--bad", "--all", "--", "true"])).toMatchObject({
      status: 2,
      stdout: "",
    });
    expect(runScript(script, ["--repo", temporaryFolder(), "--good", "a", "--", "true"])).toMatchObject({
      status: 2,
    });
  });
});
