import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runScript, TemporaryRepository, temporaryFolder } from "./temporary-repository.ts";

const script = "tidy-commits/scripts/check-commits.sh";

function check(
  repository: TemporaryRepository,
  ...args: string[]
): { status: number | null; rows: string[][] } {
  const { status, stdout } = runScript(script, ["--repo", repository.folder, "--base", "main", ...args]);
  const lines = stdout.split("\n").slice(0, -1);
  return { status, rows: lines.map((line) => line.split("\t").slice(1)) };
}

function topic(): TemporaryRepository {
  const repository = new TemporaryRepository();
  repository.commit("start", { "a.txt": "1\n" });
  repository.git("switch", "--quiet", "--create", "topic");
  return repository;
}

test("a tidy branch has no flags and ends with 0", () => {
  const repository = topic();
  repository.commit(`feat: ${"ü".repeat(66)}\n\nBecause.`, { "b.txt": "b\n" });
  repository.commit("fix: checkpointing keeps the order", { "b.txt": "c\n" });
  expect(check(repository)).toEqual({
    status: 0,
    rows: [
      ["-", `feat: ${"ü".repeat(66)}`],
      ["-", "fix: checkpointing keeps the order"],
    ],
  });
});

test("each fault has its flag, oldest commit first", () => {
  const repository = topic();
  repository.commit("feat: add b", { "b.txt": "b\n" });
  repository.commit("fixup! feat: add b", { "b.txt": "bb\n" });
  repository.commit("WIP: more", { "c.txt": "c\n" });
  repository.commit("address review comments", { "c.txt": "cc\n" });
  repository.commit(`feat: ${"x".repeat(67)}`, { "d.txt": "d\n" });
  repository.commit("feat: twice", { "e.txt": "trailing \n" });
  repository.commit("feat: twice", { "f.txt": "f\n" });
  repository.commit("feat: nothing");
  repository.write("message", "feat: no blank line\nsecond\n");
  repository.write("big\nfile", "x".repeat(3000));
  repository.git("add", "big\nfile");
  repository.git("commit", "--quiet", "--cleanup=verbatim", "--file=message");
  expect(check(repository, "--max-blob-kib", "2")).toEqual({
    status: 1,
    rows: [
      ["-", "feat: add b"],
      ["fixup", "fixup! feat: add b"],
      ["unfinished", "WIP: more"],
      ["vague", "address review comments"],
      ["long-subject", `feat: ${"x".repeat(67)}`],
      ["same-subject,whitespace", "feat: twice"],
      ["same-subject", "feat: twice"],
      ["empty", "feat: nothing"],
      ["no-blank-line,large-file", "feat: no blank line second"],
    ],
  });
});

test("published commits, merges and other authors are told apart", () => {
  const repository = topic();
  repository.git("config", "user.email", "test@example.test");
  const pushed = repository.commit("feat: pushed", { "b.txt": "b\n" });
  repository.git("update-ref", "refs/remotes/origin/topic", pushed);
  repository.git("switch", "--quiet", "--create", "side", "main");
  repository.write("c.txt", "c\n");
  repository.git("add", "c.txt");
  repository.git("commit", "--quiet", "--author", "Other <other@example.test>", "--message", "feat: theirs");
  repository.git("switch", "--quiet", "topic");
  repository.git("merge", "--quiet", "--no-ff", "--message", "merge side", "side");
  const { status, rows } = check(repository);
  expect(status).toBe(1);
  expect(Object.fromEntries(rows.map(([flags, subject]) => [subject, flags]))).toEqual({
    "feat: pushed": "published",
    "feat: theirs": "other-author",
    "merge side": "merge",
  });
});

test("control characters of a subject do not reach the terminal", () => {
  const repository = topic();
  repository.commit("feat: \u001b[31m red", { "b.txt": "b\n" });
  expect(check(repository).rows).toEqual([["-", "feat: ?[31m red"]]);
});

test("nothing is written to the repository", () => {
  const repository = topic();
  repository.commit("wip", { "b.txt": "b\n" });
  const before = repository.fingerprint();
  check(repository);
  expect(repository.fingerprint()).toBe(before);
});

test("a missing base, an unknown revision and a folder without git end with 2", () => {
  const repository = topic();
  for (const args of [
    ["--repo", repository.folder],
    ["--repo", repository.folder, "--base", "nowhere"],
    ["--repo", repository.folder, "--base", "--all"],
    ["--repo", repository.folder, "--base", "main", "--max-blob-kib", "x"],
    ["--repo", temporaryFolder(), "--base", "main"],
  ]) {
    expect(runScript(script, args)).toMatchObject({ status: 2, stdout: "" });
  }
});

test("a base that is far too old is refused with a question", () => {
  const repository = topic();
  const commit = "commit refs/heads/long\ncommitter Test <test@example.test> 0 +0000\ndata 1\nx\n";
  const input = `reset refs/heads/long\nfrom refs/heads/main\n\n${commit.repeat(501)}`;
  spawnSync("git", ["--git-dir", join(repository.folder, ".git"), "fast-import", "--quiet"], { input });
  const args = ["--repo", repository.folder, "--base", "main", "--head", "long"];
  expect(runScript(script, args)).toEqual({
    status: 2,
    stdout: "",
    stderr: "check-commits: main..long holds 501 commits, more than 500; is that the right base?\n",
  });
});
