import { symlinkSync } from "node:fs";
import { join } from "node:path";
import type { TreeFile } from "@skillet/core";
import { describe, expect, test } from "vitest";
import { DEFAULT_HUB_LIMITS } from "../hub-limits.ts";
import type { ReadItem } from "../plan-item.ts";
import { type OpenedSource, openTree, type SourceEntry } from "../sources/fetch-context.ts";
import { openLocalSource } from "../sources/local.ts";
import { hubSandbox, skillText, writeFiles } from "../testing/hub-sandbox.ts";
import { readItem } from "./read-item.ts";

type Content = string | { readonly link: string };

function opened(files: Readonly<Record<string, Content>>): OpenedSource {
  const list = Object.entries(files).map(
    ([path, content]): TreeFile =>
      typeof content === "string"
        ? { path, mode: "644", bytes: Buffer.from(content) }
        : { path, mode: "120000", bytes: Buffer.from(content.link) },
  );
  return openTree({ resolved: { kind: "local", path: "/x" }, files: list });
}

const OFFER = {
  state: "offered",
  kind: "skill",
  name: "s",
  description: "",
  folder: "s",
  internal: false,
} as const;
const read = (source: OpenedSource, more: object = {}, limits = DEFAULT_HUB_LIMITS) =>
  readItem(source, { ...OFFER, ...more }, { limits, rootName: "root" });
const taken = async (source: OpenedSource, more: object = {}): Promise<ReadItem> => {
  const reading = await read(source, more);
  if ("problem" in reading) throw new Error(reading.problem);
  return reading;
};
const problem = async (source: OpenedSource, limits = DEFAULT_HUB_LIMITS): Promise<string> => {
  const reading = await read(source, {}, limits);
  return "problem" in reading ? reading.problem : "";
};

test("a candidate holds the files of its folder alone, by their paths in it", async () => {
  const source = opened({ "s/SKILL.md": skillText("s"), "s/a/b.txt": "b", "t/SKILL.md": "", "s.txt": "" });
  const { files, name, manifest } = await taken(source);
  expect(files.map(({ path }) => path)).toEqual(["SKILL.md", "a/b.txt"]);
  expect([name, manifest?.name]).toEqual(["s", "s"]);
});

test("a name differs from no folder where the source has none: of an artefact, an archive or a site", async () => {
  const digest = `sha256:${"1".repeat(64)}` as const;
  const files = [{ path: "SKILL.md", mode: "644", bytes: Buffer.from(skillText("pdf")) }] as const;
  const codes = async (resolved: OpenedSource["resolved"]): Promise<readonly string[]> =>
    (await taken(openTree({ resolved, files }), { folder: "" })).diagnostics.map(({ code }) => code);
  const oci = { kind: "oci", registry: "r.example", repository: "team/pdf-tools", tag: "1", digest } as const;
  expect(await codes(oci)).toEqual([]);
  expect(await codes({ kind: "archive", location: "https://a.example/pdf-1.0.zip", digest })).toEqual([]);
  expect(await codes({ kind: "local", path: "/x/tools" })).toEqual(["name-directory-mismatch"]);
});

test("a skill inside the skill is left to itself, and named", async () => {
  const source = opened({
    "s/SKILL.md": skillText("s"),
    "s/in/SKILL.md": skillText("in"),
    "s/in/x": "",
    "s/inner.txt": "",
  });
  const { files, diagnostics } = await taken(source);
  expect(files.map(({ path }) => path)).toEqual(["SKILL.md", "inner.txt"]);
  expect(diagnostics).toMatchObject([{ code: "nested-skill", file: "in/SKILL.md" }]);
});

describe("links", () => {
  test("one to a file of the skill becomes a plain copy, through other links too", async () => {
    const source = opened({
      "s/SKILL.md": skillText("s"),
      "s/a.txt": "a",
      "s/b/one": { link: "../two" },
      "s/two": { link: "./a.txt" },
    });
    const { files } = await taken(source);
    expect(files.map(({ path, mode, bytes }) => [path, mode, Buffer.from(bytes).toString()])).toEqual([
      ["SKILL.md", "644", skillText("s")],
      ["a.txt", "644", "a"],
      ["b/one", "644", "a"],
      ["two", "644", "a"],
    ]);
  });

  test.each([
    ["/etc/passwd"],
    ["../t/secret"],
    ["../../../.ssh/id_ed25519"],
    ["a.txt/../../t/secret"],
    ["loop"],
    ["gone"],
    [""],
    ["."],
    ["..\\t\\secret"],
    ["a.txt\0x"],
  ])("one to %j refuses the skill", async (link) => {
    const source = opened({
      "s/SKILL.md": skillText("s"),
      "s/a.txt": "",
      "s/loop": { link },
      "t/secret": "x",
    });
    expect(await problem(source)).toContain("which is not a file of it");
  });

  test("a link of a real folder that leads to a home's secret copies nothing of it", async () => {
    const { folder, userHome } = hubSandbox();
    writeFiles(userHome, { ".aws/credentials": "SECRET" });
    writeFiles(join(folder, "repo"), { "s/SKILL.md": skillText("s") });
    symlinkSync(join(userHome, ".aws/credentials"), join(folder, "repo/s/notes.txt"));
    const context = {
      home: join(folder, "home"),
      limits: DEFAULT_HUB_LIMITS,
      environment: {},
      allowedPrivateHosts: [],
    };
    const source = await openLocalSource({ kind: "local", path: join(folder, "repo") }, context);
    const reading = await read(source);
    expect(reading).toHaveProperty("problem");
    expect(JSON.stringify(reading)).not.toContain("SECRET");
  });
});

describe("what cannot be installed says why", () => {
  const entries = (...list: readonly SourceEntry[]): OpenedSource => ({
    ...opened({ "s/SKILL.md": skillText("s") }),
    entries: [{ path: "s/SKILL.md", mode: "644" }, ...list],
  });
  test.each<[string, SourceEntry, string]>([
    ["a submodule", { path: "s/sub", mode: "160000" }, "is a submodule"],
    ["a path that leads out", { path: "s/../x", mode: "644" }, "leads out"],
    ["a colliding name", { path: "s/skill.MD", mode: "644" }, "where case or composition"],
    ["a device's name", { path: "s/aux.md", mode: "644" }, "device"],
    ["a folder of git", { path: "s/x/.GIT", mode: "644" }, ".git"],
    ["more bytes than allowed", { path: "s/big", mode: "644", size: 1e12 }, "bytes"],
  ])("%s", async (_what, entry, why) => {
    expect(await problem(entries(entry))).toContain(why);
  });

  test("too many files, too many bytes, no SKILL.md, nothing at all", async () => {
    const source = opened({ "s/SKILL.md": skillText("s"), "s/a": "a", "s/b": "b" });
    expect(await problem(source, { ...DEFAULT_HUB_LIMITS, maxSkillFiles: 2 })).toContain("at most 2");
    expect(await problem(source, { ...DEFAULT_HUB_LIMITS, maxSkillBytes: 10 })).toContain("at most 10");
    expect(await problem(opened({ "s/a": "a" }))).toContain("no SKILL.md");
    expect(await problem(opened({ "t/SKILL.md": "" }))).toContain("no files");
  });

  test("a size that was not told is counted when it is read", async () => {
    const tree = opened({ "s/SKILL.md": skillText("s"), "s/a": "x".repeat(100) });
    const source = { ...tree, entries: tree.entries.map(({ path, mode }) => ({ path, mode })) };
    expect(await problem(source, { ...DEFAULT_HUB_LIMITS, maxSkillBytes: 50 })).toContain("at most 50");
  });
});

test.each([
  ["../../evil", "evil"],
  ["PDF Tools & more!", "pdf-tools-more"],
  ["CON", "s"],
  ["日本語", "日本語"],
  [".hidden", "hidden"],
])("the name %j becomes the folder %j", async (name, expected) => {
  const source = opened({ "s/SKILL.md": `---\nname: ${JSON.stringify(name)}\ndescription: d\n---\nx` });
  expect((await taken(source)).name).toBe(expected);
});

test("a plugin that is listed without its own manifest takes only what its entry names", async () => {
  const source = opened({
    "README.md": "r",
    "hooks/h.json": '{"Stop":"x.sh"}',
    "skills/a/SKILL.md": skillText("a"),
    "skills/b/SKILL.md": skillText("b"),
  });
  const entry = { name: "p", strict: false, skills: ["./skills/a"], hooks: "./hooks/h.json" };
  const { files, parts, kind } = await taken(source, { kind: "plugin", name: "p", folder: "", entry });
  expect(files.map(({ path }) => path)).toEqual([
    ".claude-plugin/plugin.json",
    "hooks/h.json",
    "skills/a/SKILL.md",
  ]);
  expect(kind).toBe("plugin");
  expect(parts).toMatchObject({ skills: [{ name: "a" }], hooks: [{ event: "Stop", command: "x.sh" }] });
});
