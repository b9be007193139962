import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { serve } from "../http/testing/serve.ts";
import type { GitSource } from "../source.ts";
import { openGitSource } from "./open-git-source.ts";
import { GitFixture, gitMissing, type Repository } from "./testing/git-fixture.ts";

const missing = gitMissing();
if (missing !== undefined) console.warn(`Hostile repositories are not tested: ${missing}.`);

const git = (url: string, more: Partial<GitSource> = {}): GitSource => ({ kind: "git", url, ...more });
type Entries = Parameters<Repository["tree"]>[0];

describe.skipIf(missing !== undefined)("a hostile repository", () => {
  let fixture: GitFixture;
  let repository: Repository;
  beforeAll(() => {
    fixture = new GitFixture();
    repository = fixture.repository("evil");
    repository.git(["config", "uploadpack.allowFilter", "true"]);
  });
  afterAll(() => fixture.remove());

  const trees: readonly (readonly [string, (id: string) => Entries])[] = [
    ["..", (id) => [{ mode: "100644", name: "..", id }]],
    [".", (id) => [{ mode: "100644", name: ".", id }]],
    [".git", (id) => [{ mode: "100644", name: ".git", id }]],
    [".GIT", (id) => [{ mode: "100644", name: ".GIT", id }]],
    ["git~1", (id) => [{ mode: "100644", name: "git~1", id }]],
    [".g\u200cit", (id) => [{ mode: "100644", name: ".g\u200cit", id }]],
    ["../x in one name", (id) => [{ mode: "100644", name: "../x", id }]],
    ["/etc/x in one name", (id) => [{ mode: "100644", name: "/etc/x", id }]],
    ["..\\x", (id) => [{ mode: "100644", name: "..\\x", id }]],
    [
      "one name twice",
      (id) => [
        { mode: "100644", name: "a", id },
        { mode: "100644", name: "a", id },
      ],
    ],
    [
      "names out of order",
      (id) => [
        { mode: "100644", name: "b", id },
        { mode: "100644", name: "a", id },
      ],
    ],
    ["a name that is not UTF-8", (id) => [{ mode: "100644", name: Buffer.from([0x61, 0xff]), id }]],
    ["a link as .gitmodules", (id) => [{ mode: "120000", name: ".gitmodules", id }]],
  ];

  test.each(trees)("with %s gives nothing", async (name, entries) => {
    const branch = `case-${trees.findIndex(([one]) => one === name)}`;
    const commit = repository.branch(branch, repository.tree(entries(repository.blob("x"))));
    for (const ref of [branch, commit]) {
      const error = await openGitSource(git(repository.url, { ref }), fixture.context()).then(
        async (opened) => {
          await opened.close();
          return undefined;
        },
        (thrown) => thrown,
      );
      expect(error?.code).toMatch(/^(?:source-entry-refused|git-objects-refused)$/);
      expect(error.message).toMatch(/nothing of (?:it|the repository) was used/);
    }
    expect(fixture.quarantined()).toEqual([]);
  });

  test("with .. as a folder gives nothing", async () => {
    const inner = repository.tree([{ mode: "100644", name: "x", id: repository.blob("x") }]);
    repository.branch("folder", repository.tree([{ mode: "40000", name: "..", id: inner }]));
    await expect(
      openGitSource(git(repository.url, { ref: "folder" }), fixture.context()),
    ).rejects.toMatchObject({ code: expect.stringMatching(/^(?:source-entry|git-objects)-refused$/) });
  });

  test("with modes of devices and setuid programs gives neither", async () => {
    const id = repository.blob("x");
    const tree = repository.tree([
      { mode: "60000", name: "device", id },
      { mode: "104755", name: "setuid", id },
    ]);
    repository.branch("modes", tree);
    const opened = await openGitSource(git(repository.url, { ref: "modes" }), fixture.context());
    // git knows no other modes: what is none of them counts as a submodule, which is never read.
    expect(opened.entries).toEqual([
      { path: "device", mode: "160000" },
      { path: "setuid", mode: "755" },
    ]);
    await expect(opened.read(["device"])).rejects.toMatchObject({ code: "source-entry-missing" });
    await opened.close();
  });

  test("of few trees that hold each other very often ends at the limit for names", async () => {
    let tree = repository.tree([{ mode: "100644", name: "f", id: repository.blob("x") }]);
    for (let level = 0; level < 9; level += 1) {
      const id = tree;
      tree = repository.tree(
        Array.from({ length: 10 }, (_, index) => ({ mode: "40000", name: `d${index}`, id })),
      );
    }
    repository.branch("bomb", tree);
    await expect(
      openGitSource(git(repository.url, { ref: "bomb" }), fixture.context({ limits: { maxEntries: 1_000 } })),
    ).rejects.toMatchObject({ code: "source-too-large", data: { limit: "maxEntries" } });
    expect(fixture.quarantined()).toEqual([]);
  });

  test("of few trees that hold each other and no file ends there too, and not at the deadline", async () => {
    let tree = repository.tree([]);
    for (let level = 0; level < 12; level += 1) {
      const id = tree;
      tree = repository.tree(
        Array.from({ length: 10 }, (_, index) => ({ mode: "40000", name: `d${index}`, id })),
      );
    }
    repository.branch("hollow", tree);
    const context = fixture.context({ limits: { maxEntries: 1_000 } });
    await expect(openGitSource(git(repository.url, { ref: "hollow" }), context)).rejects.toMatchObject({
      code: "source-too-large",
      data: { limit: "maxEntries" },
    });
  });

  test("with a large file, or many files, ends at the limits for reading", async () => {
    const large = fixture.repository("large");
    large.commit({ "a/1": "x".repeat(6_000), "a/2": "y".repeat(6_000), "b/large": "z".repeat(20_000) });
    const limits = { maxFileBytes: 10_000, maxUnpackedBytes: 11_000 };
    const opened = await openGitSource(git(large.url), fixture.context({ limits }));
    await expect(opened.read(["b/large"])).rejects.toMatchObject({
      data: { limit: "maxFileBytes", path: "b/large" },
    });
    await expect(opened.read(["a/1", "a/2"])).rejects.toMatchObject({ data: { limit: "maxUnpackedBytes" } });
    await opened.close();
  });

  test("that sends too much ends at the limit for downloads, for names and for files", async () => {
    const heavy = fixture.repository("heavy");
    heavy.commit({ "SKILL.md": "x", data: randomBytes(300_000) });
    const context = fixture.context({ limits: { maxDownloadBytes: 100_000 } });
    // Without a filter everything comes at once.
    await expect(openGitSource(git(heavy.url), context)).rejects.toMatchObject({
      code: "source-too-large",
      data: { limit: "maxDownloadBytes" },
    });
    heavy.git(["config", "uploadpack.allowFilter", "true"]);
    const opened = await openGitSource(git(heavy.url), context);
    await opened.read(["SKILL.md"]);
    await expect(opened.read(["data"])).rejects.toMatchObject({ data: { limit: "maxDownloadBytes" } });
    await opened.close();
  });

  test.each([
    ["single objects", []],
    ["packs", ["repack", "-a", "-d", "-q"]],
  ])(
    "on a plain file server that sends too much ends at the limit for downloads: %s",
    async (form, packing) => {
      const name = form.replaceAll(" ", "-");
      const heavy = fixture.repository(name);
      heavy.commit({ "SKILL.md": "x", one: randomBytes(300_000), two: randomBytes(300_000) });
      if (packing.length > 0) heavy.git(packing);
      heavy.git(["update-server-info"]);
      const folder = join(heavy.directory, ".git");
      const { origin } = await serve((request, response) => {
        const file = join(folder, new URL(request.url ?? "/", "http://localhost").pathname);
        if (existsSync(file) && statSync(file).isFile()) response.end(readFileSync(file));
        else response.writeHead(404).end();
      });
      const opened = await openGitSource(git(origin), fixture.context());
      expect(opened.entries.map(({ path }) => path)).toEqual(["SKILL.md", "one", "two"]);
      await opened.close();
      const context = fixture.context({ limits: { maxDownloadBytes: 100_000 } });
      await expect(openGitSource(git(origin), context)).rejects.toMatchObject({
        code: "source-too-large",
        data: { limit: "maxDownloadBytes" },
      });
      expect(fixture.quarantined()).toEqual([]);
    },
  );

  test("whose refs look like options is not taken at its word", async () => {
    const commit = repository.commit({ "SKILL.md": "x" });
    repository.git(["update-ref", "refs/heads/--output=trap", commit]);
    for (const ref of ["--output=trap", "--upload-pack=touch trap", "-x"])
      await expect(openGitSource(git(repository.url, { ref }), fixture.context())).rejects.toMatchObject({
        code: "git-ref-missing",
      });
    const opened = await openGitSource(
      git(repository.url, { ref: "refs/heads/--output=trap" }),
      fixture.context(),
    );
    expect(opened.resolved).toMatchObject({ commit });
    await opened.close();
    expect(existsSync(join(repository.directory, "trap"))).toBe(false);
  });

  test.each([
    "ext::touch trap",
    "http://example.org/repo",
    "git://example.org/repo",
    "ftp://example.org/repo",
    "--upload-pack=touch trap",
    "-x@example.org:repo",
    "/srv/repo",
    "trap::x",
  ])("is not fetched by %s", async (url) => {
    await expect(openGitSource(git(url), fixture.context())).rejects.toMatchObject({
      code: "git-protocol-refused",
    });
    expect(fixture.quarantined()).toEqual([]);
  });
});
