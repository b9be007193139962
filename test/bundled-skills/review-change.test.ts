import { spawnSync } from "node:child_process";
import { chmodSync, rmSync, symlinkSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  type Outcome,
  runScript,
  scriptPath,
  TemporaryRepository,
  temporaryFolder,
} from "./temporary-repository.ts";

const script = "review-change/scripts/summarise-diff.mjs";

interface Summary {
  readonly comparison: string;
  readonly totals: { files: number; added: number; deleted: number };
  readonly kinds: readonly { kind: string; files: number }[];
  readonly signals: readonly { code: string; count: number; where: readonly string[] }[];
  readonly files: readonly {
    status: string;
    kind: string;
    added: number | null;
    path: string;
    from?: string;
  }[];
  readonly omitted: number;
}

function summarise(repository: TemporaryRepository, ...args: string[]): Summary {
  const outcome: Outcome = runScript(script, ["--repo", repository.folder, "--json", ...args]);
  expect(outcome).toMatchObject({ status: 0, stderr: "" });
  return JSON.parse(outcome.stdout) as Summary;
}

function signals(summary: Summary): Record<string, readonly string[]> {
  return Object.fromEntries(summary.signals.map(({ code, where }) => [code, where]));
}

test("a branch is compared with where it left the base, not with the base's newer work", () => {
  const repository = new TemporaryRepository();
  repository.commit("start", { "src/a.ts": "one\n" });
  repository.git("switch", "--quiet", "--create", "topic");
  repository.commit("mine", { "src/b.ts": "two\nthree\n", "src/b.test.ts": "test\n" });
  repository.git("switch", "--quiet", "main");
  repository.commit("theirs", { "src/c.ts": "other\n" });
  const summary = summarise(repository, "--base", "main", "--head", "topic");
  expect(summary.totals).toEqual({ files: 2, added: 3, deleted: 0 });
  expect(summary.files.map(({ kind, path }) => [kind, path])).toEqual([
    ["source", "src/b.ts"],
    ["test", "src/b.test.ts"],
  ]);
  expect(summary.signals).toEqual([]);
});

test("uncommitted work, the index and untracked files are told apart, also from a subfolder", () => {
  const repository = new TemporaryRepository();
  repository.commit("start", { "src/a.ts": "one\n", "src/b.ts": "one\n", ".gitignore": "ignored\n" });
  repository.write("src/a.ts", "two\n");
  repository.git("add", "src/a.ts");
  repository.write("src/b.ts", "two\n");
  repository.write("ignored", "");
  repository.write("docs/new.md", "# new\n");
  const inSubfolder = runScript(script, ["--json"], { cwd: join(repository.folder, "src") });
  const everything = JSON.parse(inSubfolder.stdout) as Summary;
  expect(everything.files.map(({ status, path }) => [status, path])).toEqual([
    ["M", "src/a.ts"],
    ["M", "src/b.ts"],
    ["?", "docs/new.md"],
  ]);
  expect(summarise(repository, "--staged").files.map(({ path }) => path)).toEqual(["src/a.ts"]);
});

test("before the first commit everything is new", () => {
  const repository = new TemporaryRepository();
  repository.write("a.ts", "one\n");
  repository.git("add", "a.ts");
  expect(summarise(repository, "--staged").totals).toEqual({ files: 1, added: 1, deleted: 0 });
});

test("what a reviewer must look at is a signal with its place", () => {
  const repository = new TemporaryRepository();
  repository.commit("start", { "test/old.ts": "x\n", "a.ts": "1\n" });
  repository.git("rm", "--quiet", "test/old.ts");
  repository.write("a.ts", `1\nconst access = "user\u202E";\n<<<<<<< HEAD\n`);
  repository.write("test/b.test.ts", "ok\nit.only('x', () => {});\n");
  repository.write(".github/workflows/ci.yml", "on: push\n");
  repository.write("package-lock.json", "{}\n");
  repository.write(".env", "KEY=1\n");
  repository.write(".env.example", "KEY=\n");
  repository.write("logo.png", new Uint8Array([0, 1, 2, 0]));
  repository.write("db/migrations/1.sql", "alter table a add b int;\n");
  repository.write("run.sh", "#!/bin/sh\n");
  chmodSync(join(repository.folder, "run.sh"), 0o755);
  symlinkSync("/etc/hostname", join(repository.folder, "link"));
  repository.git("add", "--all");
  expect(signals(summarise(repository, "--staged"))).toEqual({
    "bidi-control": ["a.ts:2"],
    "conflict-marker": ["a.ts:3"],
    "secret-file": [".env"],
    "ci-changed": [".github/workflows/ci.yml"],
    symlink: ["link"],
    executable: ["run.sh"],
    binary: ["logo.png"],
    "test-deleted": ["test/old.ts"],
    "test-weakened": ["test/b.test.ts:2"],
    "lockfile-alone": ["package-lock.json"],
    migration: ["db/migrations/1.sql"],
  });
});

test("content that looks like a diff header does not move a signal to another file", () => {
  const repository = new TemporaryRepository();
  repository.commit("start", { "a.ts": "1\n", "b.ts": "1\n" });
  repository.write("a.ts", "1\n++ b/b.ts\n@@ -1 +900 @@\n>>>>>>> theirs\n");
  expect(signals(summarise(repository))["conflict-marker"]).toEqual(["a.ts:4"]);
});

test("odd file names and renames come through whole, escaped and never obeyed", () => {
  const repository = new TemporaryRepository();
  const body = "line\n".repeat(20);
  repository.commit("start", { "old name.ts": body });
  repository.git("mv", "--", "old name.ts", '-n new\n\u001b[31m"name".ts');
  repository.write("tab\there.ts", "x\n");
  repository.write("ünï.ts", "x\n");
  repository.git("add", "--all");
  const summary = summarise(repository, "--staged");
  expect(summary.files.map(({ status, path, from }) => [status, path, from])).toEqual([
    ["A", "tab\\u{9}here.ts", undefined],
    ["A", "ünï.ts", undefined],
    ["R", '-n new\\u{a}\\u{1b}[31m"name".ts', "old name.ts"],
  ]);
  expect(signals(summary)["suspicious-path"]).toEqual([
    "tab\\u{9}here.ts",
    '-n new\\u{a}\\u{1b}[31m"name".ts',
  ]);
  expect(runScript(script, ["--repo", repository.folder, "--staged"]).stdout).not.toContain("\u001b");
});

test("a file marked as generated does not count as source", () => {
  const repository = new TemporaryRepository();
  repository.commit("start", { ".gitattributes": "client/** linguist-generated\n" });
  repository.commit("generate", { "client/api.ts": "x\n".repeat(900) });
  const summary = summarise(repository, "--base", "HEAD~1");
  expect(summary.kinds.map(({ kind }) => kind)).toEqual(["generated"]);
  expect(summary.signals).toEqual([]);
});

test("a large change without tests is said to be both, and a limit says what it left out", () => {
  const repository = new TemporaryRepository();
  repository.commit("start");
  repository.commit("grow", { "a.ts": "x\n".repeat(300), "b.ts": "x\n".repeat(200) });
  const summary = summarise(repository, "--base", "HEAD~1", "--limit", "1");
  expect(signals(summary)).toEqual({ "no-tests": ["(whole change)"], large: ["(500 lines)"] });
  expect([summary.files.length, summary.omitted]).toEqual([1, 1]);
});

test("nothing is written, and no program named in the repository's configuration is started", () => {
  const repository = new TemporaryRepository();
  repository.commit("start", { ".gitattributes": "* diff=planted\n", "a.txt": "1\n", "same.txt": "1\n" });
  const planted = join(repository.folder, "planted.sh");
  repository.write("planted.sh", `#!/bin/sh\ntouch '${repository.folder}/started'\n`);
  chmodSync(planted, 0o755);
  for (const key of [
    "core.fsmonitor",
    "diff.external",
    "diff.planted.textconv",
    "diff.planted.command",
    "core.pager",
  ]) {
    repository.git("config", key, `'${planted}'`);
  }
  // The index must know the monitor, and hold a stale time, for git to be tempted to start one and to write.
  repository.git("update-index", "--fsmonitor");
  utimesSync(join(repository.folder, "same.txt"), 1, 1);
  rmSync(join(repository.folder, "started"), { force: true });
  repository.write("a.txt", "2\n");
  const before = repository.fingerprint();
  expect(summarise(repository).totals.files).toBe(2);
  expect(repository.fingerprint()).toBe(before);
});

test("an edit of the same size, at the same time as the index, is seen", () => {
  const repository = new TemporaryRepository();
  repository.git("config", "core.trustctime", "false");
  const set = (path: string): void => utimesSync(join(repository.folder, path), 1_700_000_000, 1_700_000_000);
  repository.write("a.ts", "one\n");
  set("a.ts");
  repository.commit("start");
  repository.write("a.ts", "two\n");
  set("a.ts");
  set(".git/index");
  expect(summarise(repository).totals).toEqual({ files: 1, added: 1, deleted: 1 });
});

test("a reader that stops early is no fault", () => {
  const repository = new TemporaryRepository();
  for (let index = 0; index < 1000; index += 1) repository.write(`${index}${"-long".repeat(40)}.ts`, "");
  const piped = ["-c", '"$0" --repo "$1" --limit 1000 | head -n 1', scriptPath(script), repository.folder];
  const { stdout, stderr } = spawnSync("bash", piped, { encoding: "utf8" });
  expect([stdout, stderr]).toEqual(["comparison: working tree against HEAD\n", ""]);
});

test("a user's diff settings do not change the answer", () => {
  const repository = new TemporaryRepository();
  repository.commit("start", { "a.ts": "1\n" });
  repository.write("a.ts", "1\n<<<<<<< HEAD\n");
  for (const [key, value] of [
    ["diff.noprefix", "true"],
    ["diff.mnemonicPrefix", "true"],
    ["color.ui", "always"],
    ["diff.relative", "true"],
    ["core.quotePath", "false"],
  ] as const) {
    repository.git("config", key, value);
  }
  expect(signals(summarise(repository))["conflict-marker"]).toEqual(["a.ts:2"]);
});

test("wrong use and missing revisions end with 2 and say what is wrong", () => {
  const repository = new TemporaryRepository();
  repository.commit("start");
  const fails = (...args: string[]): string => {
    const { status, stdout, stderr } = runScript(script, args);
    expect([status, stdout]).toEqual([2, ""]);
    return stderr;
  };
  expect(fails("--repo", repository.folder, "--base", "nowhere")).toContain("--base nowhere: no such commit");
  expect(fails("--repo", repository.folder, "--base=--output=x")).toContain("no such commit");
  expect(fails("--repo", repository.folder, "--staged", "--base", "HEAD")).toContain("exclude each other");
  expect(fails("--repo", repository.folder, "--limit", "many")).toContain("--limit takes a whole number");
  expect(fails("--repo", temporaryFolder())).toContain("not a git repository");
});
