import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findCollisions } from "../entry-path.ts";
import type { FetchStep, OpenedSource } from "../fetch-context.ts";
import { parseSource } from "../parse-source.ts";
import type { GitSource } from "../source.ts";
import { openGitSource } from "./open-git-source.ts";
import { resolveGit } from "./resolve-remote.ts";
import { GitFixture, gitMissing, type Repository } from "./testing/git-fixture.ts";
import { GitHttpServer, httpBackendMissing } from "./testing/git-http-server.ts";

const missing = gitMissing() ?? httpBackendMissing();
if (missing !== undefined) console.warn(`Repositories are not fetched in tests: ${missing}.`);

const SKILL = "---\nname: pdf\ndescription: x\n---\n# x\n";
const git = (url: string, more: Partial<GitSource> = {}): GitSource => ({ kind: "git", url, ...more });
const texts = async (opened: OpenedSource, paths: readonly string[]): Promise<readonly string[]> =>
  (await opened.read(paths)).map(({ bytes }) => Buffer.from(bytes).toString());

describe.skipIf(missing !== undefined)("a repository", () => {
  let fixture: GitFixture;
  let repository: Repository;
  let server: GitHttpServer;
  let first: string;
  let second: string;

  beforeAll(async () => {
    fixture = new GitFixture();
    repository = fixture.repository("repo");
    first = repository.commit({ "skills/pdf/SKILL.md": "old", "README.md": "one" });
    repository.git(["tag", "--annotate", "v1", "--message", "one"]);
    second = repository.commit({
      "skills/pdf/SKILL.md": SKILL,
      "skills/pdf/scripts/run.sh": "echo hi\n",
      "skills/pdf/same.sh": "echo hi\n",
      "skills/pdf/empty": "",
      "skills/pdf/binary": Buffer.from([0, 255, 10, 13, 10]),
    });
    chmodSync(join(repository.directory, "skills/pdf/scripts/run.sh"), 0o755);
    second = repository.commit({});
    repository.git(["branch", "feature/one/two"]);
    repository.git(["config", "uploadpack.allowFilter", "true"]);
    server = await GitHttpServer.start(fixture.root);
  });
  afterAll(async () => {
    await server.stop();
    fixture.remove();
  });

  test.each(["file", "http"])("over %s gives its names, and the bytes that are asked for", async (how) => {
    const url = how === "file" ? repository.url : server.url("repo/.git");
    const opened = await openGitSource(git(url), fixture.context());
    expect(opened.resolved).toEqual({ kind: "git", url, ref: "refs/heads/main", commit: second });
    expect(opened.identity).toBeUndefined();
    expect(opened.entries).toEqual([
      { path: "README.md", mode: "644" },
      { path: "skills/pdf/SKILL.md", mode: "644" },
      { path: "skills/pdf/binary", mode: "644" },
      { path: "skills/pdf/empty", mode: "644" },
      { path: "skills/pdf/same.sh", mode: "644" },
      { path: "skills/pdf/scripts/run.sh", mode: "755" },
    ]);
    expect(
      await opened.read(["skills/pdf/scripts/run.sh", "skills/pdf/same.sh", "skills/pdf/binary"]),
    ).toEqual([
      { path: "skills/pdf/scripts/run.sh", mode: "755", bytes: Buffer.from("echo hi\n") },
      { path: "skills/pdf/same.sh", mode: "644", bytes: Buffer.from("echo hi\n") },
      { path: "skills/pdf/binary", mode: "644", bytes: Buffer.from([0, 255, 10, 13, 10]) },
    ]);
    const files = await opened.read(["skills/pdf/empty", "skills/pdf/SKILL.md"]);
    expect(files.map(({ bytes }) => Buffer.from(bytes).toString())).toEqual(["", SKILL]);
    // In memory of its own, so that a file that is kept does not keep the others.
    for (const { bytes } of files) expect(bytes.buffer.byteLength).toBe(bytes.length);
    expect(await texts(opened, [])).toEqual([]);
    await opened.close();
    await expect(opened.read(["README.md"])).rejects.toMatchObject({ code: "source-closed" });
    expect(fixture.quarantined()).toEqual([]);
  });

  test("tells how many bytes came so far, of what is listed and of what is read", async () => {
    const steps: FetchStep[] = [];
    const opened = await openGitSource(
      git(server.url("repo/.git")),
      fixture.context({ onStep: (step) => steps.push(step) }),
    );
    const amounts = (): readonly number[] => steps.flatMap(({ doneBytes = [] }) => doneBytes);
    const listed = amounts().length;
    expect(listed).toBeGreaterThan(0);
    await opened.read(["skills/pdf/SKILL.md"]);
    expect(amounts().length).toBeGreaterThan(listed);
    expect(amounts().every((bytes) => bytes > 0)).toBe(true);
    await opened.close();
  });

  test("ends with the error that a progress callback throws, and leaves nothing", async () => {
    const onStep = ({ doneBytes }: FetchStep): void => {
      if (doneBytes !== undefined) throw new Error("enough");
    };
    await expect(openGitSource(git(repository.url), fixture.context({ onStep }))).rejects.toThrow("enough");
    expect(fixture.quarantined()).toEqual([]);
  });

  test("no blob comes before it is asked for, and none but that", async () => {
    const opened = await openGitSource(git(repository.url), fixture.context());
    const [folder = ""] = fixture.quarantined();
    const blobs = (): string =>
      execFileSync(
        "git",
        ["cat-file", "--batch-all-objects", "--batch-check=%(objecttype) %(objectsize)", "--unordered"],
        { cwd: join(fixture.root, "home", "quarantine", folder, "repository.git"), encoding: "utf8" },
      )
        .split("\n")
        .filter((line) => line.startsWith("blob"))
        .join();
    expect(blobs()).toBe("");
    await opened.read(["README.md"]);
    expect(blobs()).toBe("blob 3");
    await opened.close();
  });

  test.each<[string, Partial<GitSource>, object, string | undefined]>([
    ["a branch", { ref: "main" }, { ref: "refs/heads/main" }, undefined],
    ["a branch with slashes", { ref: "feature/one/two" }, { ref: "refs/heads/feature/one/two" }, undefined],
    ["a full ref", { ref: "refs/heads/main" }, { ref: "refs/heads/main" }, undefined],
    [
      "a branch with slashes and a folder",
      { refAndFolder: "feature/one/two/skills/pdf" },
      { ref: "refs/heads/feature/one/two" },
      "skills/pdf",
    ],
    [
      "a branch with slashes alone",
      { refAndFolder: "feature/one/two" },
      { ref: "refs/heads/feature/one/two" },
      undefined,
    ],
    ["a branch and a folder", { refAndFolder: "main/skills" }, { ref: "refs/heads/main" }, "skills"],
  ])("is found by %s", async (_, more, pin, folder) => {
    const opened = await openGitSource(git(repository.url, more), fixture.context());
    expect(opened.resolved).toEqual({ kind: "git", url: repository.url, commit: second, ...pin });
    expect(opened.folder).toBe(folder);
    await opened.close();
  });

  test("an annotated tag stands for its commit", async () => {
    const opened = await openGitSource(git(repository.url, { ref: "v1" }), fixture.context());
    expect(opened.resolved).toEqual({ kind: "git", url: repository.url, ref: "refs/tags/v1", commit: first });
    expect(await texts(opened, ["skills/pdf/SKILL.md"])).toEqual(["old"]);
    await opened.close();
  });

  test.each(["file", "http"])(
    "over %s is opened at an old commit, with and without a folder after it",
    async (how) => {
      const url = how === "file" ? repository.url : server.url("repo/.git");
      for (const more of [{ ref: first }, { refAndFolder: `${first}/skills/pdf` }]) {
        const opened = await openGitSource(git(url, more), fixture.context());
        expect(opened.resolved).toEqual({ kind: "git", url, commit: first });
        expect(opened.folder).toBe("ref" in more ? undefined : "skills/pdf");
        expect(await texts(opened, ["skills/pdf/SKILL.md"])).toEqual(["old"]);
        await opened.close();
      }
    },
  );

  test("a pin is opened wherever its branch has gone since", async () => {
    const expected = { kind: "git", url: repository.url, ref: "refs/heads/main", commit: first } as const;
    const source = git(repository.url, { refAndFolder: "main/skills" });
    const opened = await openGitSource(source, fixture.context(), expected);
    expect(opened.resolved).toEqual(expected);
    expect(opened.folder).toBe("skills");
    expect(await texts(opened, ["README.md", "skills/pdf/SKILL.md"])).toEqual(["one", "old"]);
    await opened.close();
  });

  test("a pin of another repository, or one that is none, is refused", async () => {
    const pins = [
      { kind: "git", url: "file:///elsewhere", commit: first },
      { kind: "git", url: repository.url, commit: "main" },
      { kind: "git", url: repository.url, commit: "--upload-pack=x" },
      { kind: "git", url: repository.url, commit: first, ref: "+refs/*:refs/*" },
      { kind: "git", url: repository.url, commit: first, ref: "refs/heads/main\n+refs/pull/1/head" },
    ] as const;
    for (const pin of pins)
      await expect(openGitSource(git(repository.url), fixture.context(), pin)).rejects.toMatchObject({
        code: "git-pin-invalid",
      });
    expect(fixture.quarantined()).toEqual([]);
  });

  test("resolving asks for refs alone", async () => {
    server.requests.length = 0;
    const url = server.url("repo/.git");
    expect(await resolveGit(git(url), fixture.context())).toEqual({
      kind: "git",
      url,
      ref: "refs/heads/main",
      commit: second,
    });
    expect(server.requests.map(({ line }) => line)).toEqual([
      "GET /repo/.git/info/refs?service=git-upload-pack",
      "POST /repo/.git/git-upload-pack",
    ]);
    expect(fixture.quarantined()).toEqual([]);
  });

  test("a server that knows no filter and gives out nothing by its id still serves, old commits too", async () => {
    const old = fixture.repository("old");
    const commit = old.commit({ "SKILL.md": "old" });
    old.commit({ "SKILL.md": "new" });
    for (const protocol of ["0", "2"]) {
      // As servers answer that speak nothing newer.
      server.intercept = (request) => {
        if (protocol === "0") delete request.headers["git-protocol"];
        return false;
      };
      for (const [ref, text] of [
        ["main", "new"],
        [commit, "old"],
      ] as const) {
        const opened = await openGitSource(git(server.url("old/.git"), { ref }), fixture.context());
        expect(await texts(opened, ["SKILL.md"])).toEqual([text]);
        await opened.close();
      }
    }
    server.intercept = () => false;
  });

  test("a server that filters but gives out no blobs by their ids is asked for all", async () => {
    const half = fixture.repository("half");
    half.commit({ "SKILL.md": "text" });
    half.git(["config", "uploadpack.allowFilter", "true"]);
    server.intercept = (request) => {
      delete request.headers["git-protocol"];
      return false;
    };
    const opened = await openGitSource(git(server.url("half/.git")), fixture.context());
    expect(await texts(opened, ["SKILL.md"])).toEqual(["text"]);
    await opened.close();
    server.intercept = () => false;
  });

  test("a repository of SHA-256 ids is read like any other", async () => {
    const long = fixture.repository("long", "--object-format=sha256");
    const commit = long.commit({ "SKILL.md": "text" });
    const opened = await openGitSource(git(long.url), fixture.context());
    expect(opened.resolved).toEqual({ kind: "git", url: long.url, ref: "refs/heads/main", commit });
    expect(await texts(opened, ["SKILL.md"])).toEqual(["text"]);
    await opened.close();
  });

  test("a branch and a tag of one name are told apart, and it is said", async () => {
    const twin = fixture.repository("twin");
    twin.commit({ "SKILL.md": "tag" });
    twin.git(["tag", "same"]);
    const commit = twin.commit({ "SKILL.md": "branch" });
    twin.git(["branch", "same"]);
    const opened = await openGitSource(git(twin.url, { ref: "same" }), fixture.context());
    expect(opened.resolved).toEqual({ kind: "git", url: twin.url, ref: "refs/heads/same", commit });
    expect(opened.diagnostics).toMatchObject([
      { code: "git-ref-ambiguous", hint: "Write #refs/tags/same for the tag." },
    ]);
    await opened.close();
  });

  test("a repository in a folder with odd characters is found", async () => {
    const odd = fixture.repository("a b#c@d%e");
    odd.commit({ "SKILL.md": "text" });
    const source = parseSource(
      `file://${encodeURI(odd.directory).replaceAll("#", "%23").replaceAll("@", "%40")}`,
      {
        workspace: "/",
        userHome: "/",
      },
    );
    const opened = await openGitSource(source as GitSource, fixture.context());
    expect(await texts(opened, ["SKILL.md"])).toEqual(["text"]);
    await opened.close();
  });

  test("links are listed and read as text, submodules are named and not fetched, pointers of LFS are reported", async () => {
    const odd = fixture.repository("odd");
    const commit = odd.commit({
      "big.bin": `version https://git-lfs.github.com/spec/v1\noid sha256:${"a".repeat(64)}\nsize 12\n`,
      ".gitattributes": "*.bin filter=lfs\n*.sh filter=evil\n* text eol=crlf\n",
      "run.sh": "echo\n",
    });
    const link = odd.blob("/etc/passwd");
    odd.git(["update-index", "--add", "--cacheinfo", `120000,${link},link`]);
    odd.git(["update-index", "--add", "--cacheinfo", `160000,${commit},module`]);
    odd.git(["commit", "--quiet", "--message", "odd"]);
    const opened = await openGitSource(git(odd.url), fixture.context());
    expect(opened.entries.filter(({ mode }) => mode !== "644")).toEqual([
      { path: "link", mode: "120000" },
      { path: "module", mode: "160000" },
    ]);
    expect(await opened.read(["link", "run.sh"])).toEqual([
      { path: "link", mode: "120000", bytes: Buffer.from("/etc/passwd") },
      { path: "run.sh", mode: "644", bytes: Buffer.from("echo\n") },
    ]);
    await opened.read(["big.bin"]);
    await opened.read(["big.bin"]);
    expect(opened.diagnostics.map(({ code, file }) => [code, file])).toEqual([
      ["git-submodule", "module"],
      ["git-lfs-pointer", "big.bin"],
    ]);
    await expect(opened.read(["module"])).rejects.toMatchObject({ code: "source-entry-missing" });
    await expect(opened.read(["nothing"])).rejects.toMatchObject({ code: "source-entry-missing" });
    await opened.close();
  });

  test("names that differ in case alone are listed as they are, and found to collide", async () => {
    const folded = fixture.repository("folded");
    const id = folded.blob("x");
    folded.branch(
      "main",
      folded.tree([
        { mode: "100644", name: "README.md", id },
        { mode: "100644", name: "readme.md", id },
      ]),
    );
    const opened = await openGitSource(git(folded.url), fixture.context());
    const paths = opened.entries.map(({ path }) => path);
    expect(paths).toEqual(["README.md", "readme.md"]);
    expect(findCollisions(paths)).toContain("composition");
    await opened.close();
  });

  test("the user's own git config cannot bring in hooks, templates or other protocols", async () => {
    const context = fixture.context();
    const home = context.environment.HOME!;
    const trap = join(home, "trap");
    mkdirSync(join(home, "hooks"), { recursive: true });
    for (const hook of ["post-checkout", "reference-transaction", "post-index-change"])
      writeFileSync(join(home, "hooks", hook), `#!/bin/sh\ntouch ${trap}\n`, { mode: 0o755 });
    writeFileSync(
      join(home, ".gitconfig"),
      `[core]\n\thooksPath = ${home}/hooks\n\tfsmonitor = touch ${trap}\n[init]\n\ttemplateDir = ${home}\n[protocol]\n\tallow = always\n[url "ext::touch ${trap}"]\n\tinsteadOf = ssh://evil.example/\n`,
    );
    const opened = await openGitSource(git(repository.url), context);
    expect(await texts(opened, ["README.md"])).toEqual(["one"]);
    await opened.close();
    await expect(openGitSource(git("ssh://evil.example/x"), context)).rejects.toMatchObject({
      code: "git-protocol-refused",
    });
    expect(existsSync(trap)).toBe(false);
    writeFileSync(join(home, ".gitconfig"), "");
  });
});
