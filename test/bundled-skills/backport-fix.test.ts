import { expect, test } from "vitest";
import { runScript, TemporaryRepository, temporaryFolder } from "./temporary-repository.ts";

const script = "backport-fix/scripts/check-backport.sh";

function check(
  repository: TemporaryRepository,
  ...args: string[]
): { status: number | null; rows: string[][] } {
  const { status, stdout } = runScript(script, ["--repo", repository.folder, ...args]);
  const lines = stdout.split("\n").slice(0, -1);
  return { status, rows: lines.map((line) => line.split("\t")) };
}

/** main: start, refactor, fix. The fix touches what the refactoring touched. */
function releaseHistory(): { repository: TemporaryRepository; refactor: string; fix: string } {
  const repository = new TemporaryRepository();
  repository.commit("start", { "a.txt": "one\ntwo\nthree\n" });
  repository.git("branch", "release/1");
  const refactor = repository.commit("refactor: rename", { "a.txt": "ONE\ntwo\nthree\n" });
  const fix = repository.commit("fix: it", { "a.txt": "ONE!\ntwo\nthree\n" });
  return { repository, refactor, fix };
}

const short = (hash: string): string => hash.slice(0, 12);

test("a conflict names its path and the commit that is missing on the branch", () => {
  const { repository, refactor, fix } = releaseHistory();
  const abbreviated = repository.git("rev-parse", "--short", refactor);
  expect(check(repository, "--onto", "release/1", fix)).toEqual({
    status: 1,
    rows: [
      ["release/1", short(fix), "conflict", "a.txt"],
      ["release/1", short(fix), "prerequisite", `${abbreviated} refactor: rename`],
    ],
  });
});

test("a series is simulated in order, each pick on the result of the one before", () => {
  const { repository, refactor, fix } = releaseHistory();
  expect(check(repository, "--onto", "release/1", refactor, fix)).toEqual({
    status: 0,
    rows: [
      ["release/1", short(refactor), "clean", "1 file(s)"],
      ["release/1", short(fix), "clean", "1 file(s)"],
    ],
  });
  expect(check(repository, "--onto", "release/1", fix, refactor).rows.at(-1)).toEqual([
    "release/1",
    short(refactor),
    "not-tried",
    "",
  ]);
});

test("a branch that has the commit, its content, or a pick that was undone, says which", () => {
  const { repository, refactor, fix } = releaseHistory();
  repository.git("branch", "has-commit");
  repository.git("switch", "--quiet", "--create", "has-content", "release/1");
  repository.git("cherry-pick", "-x", refactor, fix);
  const pick = repository.git("rev-parse", "--short", "HEAD");
  repository.git("switch", "--quiet", "--create", "undone");
  repository.git("revert", "--no-edit", "HEAD");
  const onto = ["--onto", "has-commit", "--onto", "has-content", "--onto", "undone"];
  expect(check(repository, ...onto, fix)).toEqual({
    status: 0,
    rows: [
      ["has-commit", short(fix), "contained", ""],
      ["has-content", short(fix), "applied", ""],
      ["undone", short(fix), "picked-before", `as ${pick}; reverted or overwritten since?`],
      ["undone", short(fix), "clean", "1 file(s)"],
    ],
  });
});

test("the prediction agrees with what git cherry-pick then does", () => {
  const { repository, refactor, fix } = releaseHistory();
  repository.git("switch", "--quiet", "release/1");
  expect(() => repository.git("cherry-pick", fix)).toThrow("could not apply");
  repository.git("cherry-pick", "--abort");
  repository.git("cherry-pick", refactor, fix);
});

test("a merge needs to know its mainline, and a first commit can be picked too", () => {
  const { repository } = releaseHistory();
  repository.git("switch", "--quiet", "--create", "topic");
  repository.commit("feat: new", { "b.txt": "b\n" });
  repository.git("switch", "--quiet", "main");
  repository.git("merge", "--quiet", "--no-ff", "--message", "merge topic", "topic");
  const merge = repository.git("rev-parse", "HEAD");
  const refused = runScript(script, ["--repo", repository.folder, "--onto", "release/1", merge]);
  expect(refused).toMatchObject({ status: 2, stdout: "" });
  expect(refused.stderr).toContain("is a merge; pass --mainline 1");
  expect(check(repository, "--onto", "release/1", "--mainline", "1", merge).rows).toEqual([
    ["release/1", short(merge), "clean", "1 file(s)"],
  ]);
  repository.git("switch", "--quiet", "--orphan", "other");
  const root = repository.commit("root", { "c.txt": "c\n" });
  expect(check(repository, "--onto", "release/1", root).rows).toEqual([
    ["release/1", short(root), "clean", "1 file(s)"],
  ]);
});

test("odd file names stay on one line, shell-quoted", () => {
  const repository = new TemporaryRepository();
  const name = ":(top)odd\n\tname";
  repository.commit("start", { [name]: "1\n" });
  repository.git("branch", "release/1");
  repository.commit("change", { [name]: "2\n" });
  const fix = repository.commit("fix", { [name]: "3\n" });
  const { rows } = check(repository, "--onto", "release/1", fix);
  expect(rows.map(([, , outcome]) => outcome)).toEqual(["conflict", "prerequisite"]);
  expect(rows[0]?.[3]).toBe(String.raw`$':(top)odd\n\tname'`);
});

test("nothing is written to the repository, not even an object", () => {
  const { repository, refactor, fix } = releaseHistory();
  const before = repository.fingerprint();
  check(repository, "--onto", "release/1", refactor, fix);
  check(repository, "--onto", "release/1", fix);
  expect(repository.fingerprint()).toBe(before);
});

test("wrong use and unknown revisions end with 2 and print no result", () => {
  const { repository, fix } = releaseHistory();
  const at = ["--repo", repository.folder];
  for (const args of [
    [...at, fix],
    [...at, "--onto", "release/1"],
    [...at, "--onto", "nowhere", fix],
    [...at, "--onto", "release/1", "nowhere"],
    [...at, "--onto", "release/1", "--mainline", "x", fix],
    [...at, "--onto", "release/1", "--mainline", "2", fix],
    [...at, "--onto", "release/1", "--unknown", fix],
    [...at, "--onto", "release/1", "--", "--all"],
    ["--repo", temporaryFolder(), "--onto", "release/1", fix],
  ]) {
    const { status, stdout, stderr } = runScript(script, args);
    expect([args, status, stdout]).toEqual([args, 2, ""]);
    expect(stderr).toContain("check-backport: ");
  }
});
