import type { TreeFile } from "@skillet/core";
import { afterAll, describe, expect, test } from "vitest";
import { type OpenedSource, openTree } from "../sources/fetch-context.ts";
import { openGitSource } from "../sources/git/open-git-source.ts";
import { GitFixture, gitMissing } from "../sources/git/testing/git-fixture.ts";
import { skillText } from "../testing/hub-sandbox.ts";
import { findOffers } from "./find-offers.ts";

const LOCAL = { kind: "local", path: "/x" } as const;

function opened(files: Readonly<Record<string, string>>): OpenedSource & { readonly asked: string[] } {
  const tree = openTree({
    resolved: LOCAL,
    files: Object.entries(files).map(
      ([path, text]): TreeFile => ({ path, mode: "644", bytes: Buffer.from(text) }),
    ),
  });
  const asked: string[] = [];
  return {
    ...tree,
    asked,
    read: (paths, options) => {
      asked.push(...paths);
      return tree.read(paths, options);
    },
  };
}

const look = (source: OpenedSource, more: Partial<Parameters<typeof findOffers>[1]> = {}) =>
  findOffers(source, { folder: "", names: [], rootName: "root", ...more });

describe("the order of skills", () => {
  test("the root comes first, then skills, its hidden collections, agents' folders and the rest", async () => {
    const source = opened({
      "SKILL.md": "---\ndescription: d\n---\nx",
      ".claude/skills/d/SKILL.md": skillText("d"),
      "deep/er/f/SKILL.md": skillText("f"),
      "e/SKILL.md": skillText("e"),
      "skills/.curated/c/SKILL.md": skillText("c"),
      "skills/b/SKILL.md": skillText("b"),
    });
    const { offers } = await look(source);
    expect(offers.map(({ name, folder }) => `${name} ${folder}`)).toEqual([
      "root ",
      "b skills/b",
      "c skills/.curated/c",
      "d .claude/skills/d",
      "e e",
      "f deep/er/f",
    ]);
  });

  test("of one name the better place is meant, and the other is named", async () => {
    const source = opened({
      ".claude/skills/pdf/SKILL.md": skillText("pdf"),
      "skills/pdf/SKILL.md": skillText("pdf"),
    });
    const { offers, diagnostics } = await look(source);
    expect(offers.map(({ folder }) => folder)).toEqual(["skills/pdf"]);
    expect(diagnostics).toMatchObject([{ code: "offer-shadowed", file: ".claude/skills/pdf/SKILL.md" }]);
  });

  test("two in places that are as good both stay", async () => {
    const source = opened({ "a/pdf/SKILL.md": skillText("pdf"), "b/pdf/SKILL.md": skillText("pdf") });
    expect((await look(source)).offers).toHaveLength(2);
  });

  test("copies that builds, package managers and version control keep are not offered", async () => {
    const source = opened({
      "build/a/SKILL.md": skillText("a"),
      "dist/b/SKILL.md": skillText("b"),
      "dist/skills/c/SKILL.md": skillText("c"),
      "node_modules/d/SKILL.md": skillText("d"),
    });
    expect((await look(source)).offers.map(({ name }) => name)).toEqual(["c"]);
  });

  test("what a source's own lock lists as brought in from elsewhere is not its to give", async () => {
    const source = opened({
      ".agents/skills/mine/SKILL.md": skillText("mine"),
      ".agents/skills/theirs/SKILL.md": skillText("theirs"),
      "skills-lock.json": JSON.stringify({ version: 1, skills: { theirs: { source: "o/r" } } }),
    });
    expect((await look(source)).offers.map(({ name }) => name)).toEqual(["mine"]);
  });

  test("below a folder only what lies there is found, by its own places", async () => {
    const source = opened({
      "other/SKILL.md": skillText("other"),
      "packs/one/SKILL.md": skillText("one"),
      "packs/one/skills/two/SKILL.md": skillText("two"),
      "packs/one-more/SKILL.md": skillText("one-more"),
    });
    const { offers } = await look(source, { folder: "packs/one" });
    expect(offers.map(({ name }) => name)).toEqual(["one", "two"]);
  });

  test("a skill with an unreadable header still has its folder's name", async () => {
    const source = opened({ "skills/broken/SKILL.md": "---\nname: [\n---\n" });
    expect((await look(source)).offers).toMatchObject([{ name: "broken", description: "" }]);
  });

  test("internal skills are marked", async () => {
    const source = opened({ "skills/i/SKILL.md": skillText("i", "x", "metadata:\n  internal: true\n") });
    expect((await look(source)).offers).toMatchObject([{ name: "i", internal: true }]);
  });

  test("where a source says itself where its skills are, nothing else is searched", async () => {
    const tree = opened({
      "extra/SKILL.md": skillText("extra"),
      "node_modules/odd/SKILL.md": skillText("odd"),
      "skills/a/SKILL.md": skillText("a"),
    });
    const source = { ...tree, skillFolders: ["node_modules/odd", "skills/a"] };
    expect((await look(source)).offers.map(({ name }) => name)).toEqual(["a", "odd"]);
  });
});

describe("what is read", () => {
  test("a name that is a folder's is found without reading any other skill", async () => {
    const files = Object.fromEntries(
      Array.from({ length: 50 }, (_, index) => [`skills/s${index}/SKILL.md`, skillText(`s${index}`)]),
    );
    const source = opened(files);
    const { offers } = await look(source, { names: ["s7"] });
    expect(offers.map(({ name }) => name)).toEqual(["s7"]);
    expect(source.asked).toEqual(["skills/s7/SKILL.md"]);
  });

  test("a folder that bears a name without declaring it does not hide the skill that does", async () => {
    const source = opened({
      "skills/pdf/SKILL.md": skillText("other"),
      "skills/x/SKILL.md": skillText("pdf"),
    });
    const { offers } = await look(source, { names: ["pdf"] });
    expect(offers.find(({ name }) => name === "pdf")?.folder).toBe("skills/x");
  });

  test("skills that an index describes are not read to be listed", async () => {
    const tree = opened({ "a/SKILL.md": "", "b/SKILL.md": "" });
    const summaries = new Map(["a", "b"].map((name) => [name, { name, description: `Does ${name}.` }]));
    const { offers } = await look({ ...tree, summaries });
    expect(offers.map(({ description }) => description)).toEqual(["Does a.", "Does b."]);
    expect(tree.asked).toEqual([]);
  });

  const git = new GitFixture();
  afterAll(() => git.remove());
  test.skipIf(gitMissing())("of a repository with 2,000 skills one is read and 1,999 are not", async () => {
    const repository = git.repository("large");
    const lines = Array.from({ length: 2_000 }, (_, index) => {
      const text = skillText(`s${index}`);
      return `M 100644 inline skills/s${index}/SKILL.md\ndata ${Buffer.byteLength(text)}\n${text}\n`;
    });
    const head = "commit refs/heads/main\ncommitter A <a@example.org> 1767225600 +0000\ndata 1\nx\n";
    repository.git(["fast-import", "--quiet"], head + lines.join(""));
    repository.git(["config", "uploadpack.allowFilter", "true"]);
    const read: string[] = [];
    const source = await openGitSource({ kind: "git", url: repository.url }, git.context());
    try {
      const watched: OpenedSource = {
        ...source,
        read: (paths, options) => {
          read.push(...paths);
          return source.read(paths, options);
        },
      };
      const { offers } = await look(watched, { names: ["s1234"] });
      expect(offers.map(({ folder }) => folder)).toEqual(["skills/s1234"]);
      expect(read).toEqual(["skills/s1234/SKILL.md"]);
    } finally {
      await source.close();
    }
  });
});

describe("plugins", () => {
  test.each([".claude-plugin", ".codex-plugin", ".cursor-plugin", ".kimi-plugin"])(
    "a manifest in %s makes the source a plugin",
    async (folder) => {
      const source = opened({
        [`${folder}/plugin.json`]: '{"name":"p","description":"d"}',
        "skills/a/SKILL.md": skillText("a"),
      });
      const { offers } = await look(source);
      expect(offers).toMatchObject([
        { kind: "skill", name: "a", plugin: "p" },
        { kind: "plugin", name: "p", folder: "" },
      ]);
    },
  );

  test("a plugin that its marketplace lists is offered once, and its skills as part of it", async () => {
    const source = opened({
      ".claude-plugin/marketplace.json": JSON.stringify({
        plugins: [{ name: "tools", source: "./plugins/tools" }],
      }),
      "plugins/tools/.claude-plugin/plugin.json": '{"name":"tools"}',
      "plugins/tools/skills/a/SKILL.md": skillText("a"),
    });
    const { offers } = await look(source);
    expect(offers).toMatchObject([
      { kind: "skill", name: "a", plugin: "tools" },
      { kind: "plugin", name: "tools", folder: "plugins/tools" },
    ]);
    expect(offers).toHaveLength(2);
  });
});
