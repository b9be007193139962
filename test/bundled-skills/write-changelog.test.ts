import { expect, test } from "vitest";
import { runScript, TemporaryRepository, temporaryFolder } from "./temporary-repository.ts";

const script = "write-changelog/scripts/collect-commits.mjs";

interface Entry {
  readonly hash: string;
  readonly group: string;
  readonly type?: string;
  readonly scope?: string;
  readonly text: string;
  readonly breaking?: string;
  readonly references: readonly string[];
}

interface Collection {
  readonly range: { from: string | null; to: string };
  readonly commits: number;
  readonly breaking: readonly Entry[];
  readonly groups: readonly { name: string; entries: readonly Entry[] }[];
  readonly cancelled: readonly { subject: string }[];
  readonly mergesSkipped: number;
}

function collect(repository: TemporaryRepository, ...args: string[]): Collection {
  const { status, stdout } = runScript(script, ["--repo", repository.folder, "--json", ...args]);
  expect(status).toBe(0);
  return JSON.parse(stdout) as Collection;
}

function texts(collection: Collection): Record<string, string[]> {
  const filled = collection.groups.filter(({ entries }) => entries.length > 0);
  return Object.fromEntries(filled.map(({ name, entries }) => [name, entries.map(({ text }) => text)]));
}

test("commits since the last tag are grouped by type, and none is lost", () => {
  const repository = new TemporaryRepository();
  repository.commit("feat: before the tag");
  repository.git("tag", "v1.0.0");
  repository.commit("feat(api): list rows (#12)");
  repository.commit("Fix: keep order\n\nCloses #7, see other/place#9");
  repository.commit("perf: faster start");
  repository.commit("chore: tidy");
  repository.commit("docs(readme): explain");
  repository.commit("parser: a bare scope is no type");
  repository.commit("Just a sentence");
  const collection = collect(repository);
  expect(collection.range).toMatchObject({ from: "v1.0.0", to: "HEAD" });
  expect(collection.commits).toBe(7);
  expect(texts(collection)).toEqual({
    feat: ["list rows (#12)"],
    fix: ["keep order"],
    perf: ["faster start"],
    other: ["Just a sentence", "parser: a bare scope is no type"],
    internal: ["explain", "tidy"],
  });
  const [fix] = collection.groups.find(({ name }) => name === "fix")!.entries;
  expect(fix).toMatchObject({ type: "fix", references: ["#7"] });
});

test("breaking changes are found by mark and by footer, whatever the type", () => {
  const repository = new TemporaryRepository();
  repository.commit("chore!: require node 20");
  repository.commit(
    "feat: move config\n\nWhy.\n\nBREAKING CHANGE: the file is called\nconfig.yaml now\nRefs: #3",
  );
  repository.commit("fix: nothing\n\nbreaking change: in lower case is prose");
  expect(collect(repository).breaking.map(({ breaking }) => breaking)).toEqual([
    "the file is called config.yaml now",
    "require node 20",
  ]);
});

test("a commit and its revert cancel out, and a reverted revert brings the commit back", () => {
  const repository = new TemporaryRepository();
  repository.commit("start");
  repository.git("tag", "v1");
  const gone = repository.commit("feat: gone", { a: "1\n" });
  const kept = repository.commit("feat: kept", { b: "1\n" });
  repository.git("revert", "--no-edit", gone);
  repository.git("revert", "--no-edit", kept);
  repository.git("revert", "--no-edit", "HEAD");
  const collection = collect(repository);
  expect(texts(collection)).toEqual({ feat: ["kept"] });
  expect(collection.cancelled).toHaveLength(4);
});

test("a revert of something released is an entry of its own", () => {
  const repository = new TemporaryRepository();
  const released = repository.commit("feat: released", { a: "1\n" });
  repository.git("tag", "v1");
  repository.git("revert", "--no-edit", released);
  expect(texts(collect(repository))).toEqual({ revert: ['Revert "feat: released"'] });
});

test("merges are skipped, or with --first-parent titled from the pull request", () => {
  const repository = new TemporaryRepository();
  repository.commit("start");
  repository.git("tag", "v1");
  repository.git("switch", "--quiet", "--create", "topic");
  repository.commit("wip", { a: "1\n" });
  repository.git("switch", "--quiet", "main");
  repository.git(
    "merge",
    "--quiet",
    "--no-ff",
    "-m",
    "Merge pull request #31 from x/topic\n\nfeat: a thing",
    "topic",
  );
  const all = collect(repository);
  expect([texts(all), all.mergesSkipped]).toEqual([{ other: ["wip"] }, 1]);
  const [entry] = collect(repository, "--first-parent").groups[0]!.entries;
  expect(entry).toMatchObject({ group: "feat", text: "a thing", references: ["#31"] });
});

test("paths, tag patterns and explicit ends choose the range", () => {
  const repository = new TemporaryRepository();
  repository.commit("feat: one", { "api/a": "1" });
  repository.git("tag", "api-v1");
  repository.commit("feat: two", { "api/a": "2" });
  repository.git("tag", "web-v1");
  repository.commit("feat: three", { "web/[x] y": "3" });
  repository.commit("feat: no pattern", { "web/x y": "3" });
  repository.git("tag", "api-v2-rc.1");
  repository.commit("feat: four", { "api/a": "4" });
  expect(texts(collect(repository))).toEqual({ feat: ["four"] });
  expect(texts(collect(repository, "--match", "api-v*", "--exclude", "*-rc*", "--path", "api"))).toEqual({
    feat: ["four", "two"],
  });
  expect(
    texts(collect(repository, "--from", "api-v1", "--to", "api-v2-rc.1", "--path", "web/[x] y")),
  ).toEqual({
    feat: ["three"],
  });
});

test("without a tag the whole history is taken, and it says so", () => {
  const repository = new TemporaryRepository();
  repository.commit("feat: one");
  const { status, stdout, stderr } = runScript(script, ["--repo", repository.folder]);
  expect([status, stderr]).toEqual([
    0,
    "collect-commits: no earlier tag was found, so this is the whole history\n",
  ]);
  expect(stdout).toContain("(first commit)..HEAD");
});

test("control and text-reversing characters of a message are shown, not sent to the terminal", () => {
  const repository = new TemporaryRepository();
  repository.commit("feat: \u001b[2J wipe \u202E reversed");
  const { stdout } = runScript(script, ["--repo", repository.folder]);
  expect(stdout).toContain("\\u{1b}[2J wipe \\u{202e} reversed");
});

test("a tagged tip, a missing revision and a folder without git are explained", () => {
  const repository = new TemporaryRepository();
  repository.commit("feat: one");
  repository.git("tag", "v1");
  const tagged = runScript(script, ["--repo", repository.folder]);
  expect([tagged.status, tagged.stderr]).toEqual([
    0,
    "collect-commits: HEAD is tagged v1 and nothing came after it; pass --from with the tag before\n",
  ]);
  expect(runScript(script, ["--repo", repository.folder, "--from=--all"])).toMatchObject({
    status: 2,
    stdout: "",
  });
  expect(runScript(script, ["--repo", repository.folder, "--from", "v1", "--match", "v*"])).toMatchObject({
    status: 2,
  });
  expect(runScript(script, ["--repo", temporaryFolder()])).toMatchObject({ status: 2, stdout: "" });
});

test("nothing is written to the repository", () => {
  const repository = new TemporaryRepository();
  repository.commit("feat: one", { a: "1" });
  const before = repository.fingerprint();
  collect(repository);
  expect(repository.fingerprint()).toBe(before);
});
