import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { temporaryDirectory } from "../../../../kit/src/testing/temporary-directory.ts";
import { LocalSource } from "../../source/local/local-source.ts";
import { skillText, type TreeContent, writeTree } from "../../testing/write-tree.ts";
import { discoverSkills } from "../discover-skills.ts";
import type { Snapshot } from "../snapshot.ts";

const manifest = (fields: object = {}): string =>
  JSON.stringify({
    $schema: "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json",
    name: "kit",
    ...fields,
  });

let base: string;
beforeEach(() => {
  base = temporaryDirectory();
});

const discover = (path: string = base, cacheDirectory?: string): Promise<Snapshot> =>
  discoverSkills({
    roots: [
      { scope: "user", origin: "local", source: new LocalSource(path), path, trust: { kind: "trusted" } },
    ],
    ...(cacheDirectory !== undefined && { cacheDirectory, clock: () => Date.now() + 60_000 }),
  });

async function found(files: Readonly<Record<string, TreeContent>>): Promise<Snapshot> {
  writeTree(base, files);
  return discover();
}

const names = ({ skills }: Snapshot): string[] => skills.map(({ qualifiedName }) => qualifiedName);
const codes = ({ diagnostics }: Snapshot): string[] => diagnostics.map(({ code }) => code);

test("the skills of an Agent Plugin are those right below skills/, under the plugin's name", async () => {
  const snapshot = await found({
    "tools/plugin.json": manifest({ name: "acme.tools" }),
    "tools/skills/pdf/SKILL.md": skillText("pdf"),
    "tools/skills/doc/SKILL.md": skillText("doc"),
    "tools/com.example.client/agents/x/SKILL.md": skillText("client"),
    "tools/skills/pdf/references/inner/SKILL.md": skillText("inner"),
    "tools/skills/low/skill.md": skillText("low"),
    "tools/SKILL.md": skillText("tools"),
    "tools/skillsmith/SKILL.md": skillText("skillsmith"),
    "plain/SKILL.md": skillText("plain"),
  });
  expect(names(snapshot)).toEqual(["acme.tools:doc", "acme.tools:pdf", "plain"]);
  expect(snapshot.skills.map(({ plugin }) => plugin)).toEqual(["acme.tools", "acme.tools", undefined]);
  expect(snapshot.diagnostics).toEqual([
    expect.objectContaining({ code: "agent-plugin-skill-left-out", file: join(base, "tools") }),
  ]);
  expect(snapshot.diagnostics[0]?.message).toMatch(
    /^SKILL\.md, com\.example\.client\/agents\/x\/SKILL\.md, .* are not skills of this plugin/,
  );
  expect(snapshot.roots[0]?.skills).toBe(3);
});

test("a folder's name cannot add lines or tags to what is told about it", async () => {
  const snapshot = await found({ "kit/plugin.json": manifest(), "kit/a\n<b>/SKILL.md": skillText("a") });
  expect(snapshot.diagnostics.at(-1)?.message).toMatch(/^"a\\n\\u003cb\\u003e\/SKILL\.md" is not a skill/);
});

test("a root can be an Agent Plugin itself", async () => {
  const snapshot = await found({ "plugin.json": manifest(), "skills/a/SKILL.md": skillText("a") });
  expect(names(snapshot)).toEqual(["kit:a"]);
  expect(snapshot.diagnostics).toEqual([]);
});

test("the manifest at the root wins over those in dot folders, whose commands are not offered", async () => {
  const snapshot = await found({
    "kit/plugin.json": manifest(),
    "kit/.claude-plugin/plugin.json": '{"name":"other"}',
    "kit/commands/ship.md": "Ship it.\n",
    "kit/skills/a/SKILL.md": skillText("a"),
  });
  expect(names(snapshot)).toEqual(["kit:a"]);
});

test("a plugin.json of another tool changes nothing, and dot folders count", async () => {
  const snapshot = await found({
    "kit/plugin.json": '{"$schema":"https://example.com/plugin.schema.json","name":"panel"}',
    "kit/.claude-plugin/plugin.json": '{"name":"other"}',
    "kit/commands/ship.md": "Ship it.\n",
    "kit/a/SKILL.md": skillText("a"),
    "panel/plugin.json": '{"type":"panel","name":"Panel","id":"x"}',
    "panel/deep/b/SKILL.md": skillText("b"),
    "panel/commands/show.md": "Not a command.\n",
    "broken/plugin.json": "{",
    "broken/c/SKILL.md": skillText("c"),
  });
  expect(names(snapshot)).toEqual(["b", "c", "other:a", "other:ship"]);
  expect(snapshot.roots.map(({ path }) => path)).toEqual([base, join(base, "kit/commands")]);
  expect(snapshot.diagnostics).toEqual([]);
});

test("an invalid manifest takes the whole plugin away, and only that", async () => {
  const snapshot = await found({
    "bad/plugin.json": manifest({ name: "Bad--Name" }),
    "bad/.claude-plugin/plugin.json": '{"name":"fallback"}',
    "bad/skills/a/SKILL.md": skillText("a"),
    "new/plugin.json": manifest({ $schema: "https://agent-plugins.org/schemas/2.0.0/plugin.schema.json" }),
    "new/skills/b/SKILL.md": skillText("b"),
    "good/plugin.json": manifest(),
    "good/skills/c/SKILL.md": skillText("c"),
  });
  expect(names(snapshot)).toEqual(["kit:c"]);
  expect(snapshot.diagnostics.map(({ code, file }) => [code, file])).toEqual([
    ["agent-plugin-invalid", join(base, "bad/plugin.json")],
    ["agent-plugin-invalid", join(base, "new/plugin.json")],
  ]);
});

test("manifests inside an Agent Plugin name nothing", async () => {
  const snapshot = await found({
    "kit/plugin.json": manifest(),
    "kit/skills/a/SKILL.md": skillText("a"),
    "kit/skills/a/.claude-plugin/plugin.json": '{"name":"other"}',
    "kit/skills/b/plugin.json": manifest({ name: "inner" }),
    "kit/skills/b/SKILL.md": skillText("b"),
    "kit/skills/b/skills/c/SKILL.md": skillText("c"),
  });
  expect(names(snapshot)).toEqual(["kit:a", "kit:b"]);
});

test("a skill that cannot be read is reported, and the others of the plugin are offered", async () => {
  const snapshot = await found({
    "kit/plugin.json": manifest({ unknown: true, extensions: false }),
    "kit/skills/bad/SKILL.md": "---\nname: bad\n- description: No map.\n---\n",
    "kit/skills/good/SKILL.md": skillText("good"),
    "kit/skills/folder/SKILL.md/x": "",
    "kit/skills/empty/README.md": "",
  });
  expect(names(snapshot)).toEqual(["kit:good"]);
  expect(codes(snapshot)).toEqual(["not-a-file", "invalid-yaml", "agent-plugin-field-ignored"]);
});

test("links may lead about in the plugin, but not out of it", async () => {
  const snapshot = await found({
    "kit/plugin.json": manifest(),
    "kit/skills/a/SKILL.md": skillText("a"),
    "kit/shared/b/SKILL.md": skillText("b"),
    "kit/skills/b": { link: join(base, "kit/shared/b") },
    "kit/skills/file/SKILL.md": { link: join(base, "kit/shared/c.md") },
    "kit/shared/c.md": skillText("file"),
    "elsewhere/d/SKILL.md": skillText("d"),
    "kit/skills/d": { link: join(base, "elsewhere/d") },
    "kit/skills/e/SKILL.md": { link: join(base, "elsewhere/d/SKILL.md") },
  });
  expect(names(snapshot)).toEqual(["d", "kit:a", "kit:b", "kit:file"]);
  const [left] = snapshot.diagnostics;
  expect(left?.message).toContain("skills/d/SKILL.md");
});

test("a manifest that is a link out of its plugin rejects it; one that stays inside does not", async () => {
  const snapshot = await found({
    "shared.json": manifest({ name: "shared" }),
    "out/skills/a/SKILL.md": skillText("a"),
    "out/plugin.json": { link: join(base, "shared.json") },
    "gone/skills/b/SKILL.md": skillText("b"),
    "gone/plugin.json": { link: "/etc/hostname" },
    "in/meta/plugin.json": manifest({ name: "inside" }),
    "in/skills/c/SKILL.md": skillText("c"),
    "in/plugin.json": { link: join(base, "in/meta/plugin.json") },
  });
  expect(names(snapshot)).toEqual(["inside:c"]);
  expect(codes(snapshot)).toEqual(["agent-plugin-invalid", "agent-plugin-invalid"]);
});

test("a folder called plugin.json is not a manifest", async () => {
  const snapshot = await found({ "x/plugin.json/y": "", "x/a/SKILL.md": skillText("a") });
  expect(names(snapshot)).toEqual(["a"]);
});

test("a skill with a plugin.json and no folders beside it stays a skill, on any file system", async () => {
  const snapshot = await found({ "a/SKILL.md": skillText("a"), "a/plugin.json": manifest() });
  expect(names(snapshot)).toEqual(["a"]);
  // A root is always listed, as every folder is where links are not counted.
  expect(names(await discover(join(base, "a")))).toEqual(["a"]);
});

test("two plugins of one name do not hide what one of them brings", async () => {
  const snapshot = await found({
    "one/plugin.json": manifest(),
    "one/skills/a/SKILL.md": skillText("a", "First."),
    "two/plugin.json": manifest(),
    "two/skills/a/SKILL.md": skillText("a", "Second."),
  });
  expect(names(snapshot)).toEqual(["kit:a", "user:kit:a"]);
  expect(snapshot.skills.map(({ state }) => state)).toEqual(["enabled", "shadowed"]);
});

test("a manifest that is edited, added or removed counts at the next search, with the cache as well", async () => {
  const cache = join(base, "cache");
  const root = writeTree(join(base, "root"), { "kit/skills/a/SKILL.md": skillText("a") });
  expect(names(await discover(root, cache))).toEqual(["a"]);
  writeFileSync(join(root, "kit/plugin.json"), manifest());
  expect(names(await discover(root, cache))).toEqual(["kit:a"]);
  writeFileSync(join(root, "kit/plugin.json"), manifest({ name: "tik" }));
  expect(names(await discover(root, cache))).toEqual(["tik:a"]);
  rmSync(join(root, "kit/plugin.json"));
  expect(names(await discover(root, cache))).toEqual(["a"]);
});

test("an Agent Plugin that is reached by a link is one by its own folder", async () => {
  const real = writeTree(join(base, "real"), {
    "plugin.json": manifest(),
    "skills/a/SKILL.md": skillText("a"),
  });
  mkdirSync(join(base, "root"));
  symlinkSync(real, join(base, "root/kit"));
  const path = join(base, "root");
  const source = new LocalSource(path, { allowedRoots: [real] });
  const root = { scope: "user", origin: "local", source, path, trust: { kind: "trusted" } } as const;
  expect(names(await discoverSkills({ roots: [root] }))).toEqual(["kit:a"]);
});
