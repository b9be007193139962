import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { beforeEach, expect, test } from "vitest";
import { temporaryDirectory } from "../../../kit/src/testing/temporary-directory.ts";
import { LocalSource } from "../source/local/local-source.ts";
import { MemorySource } from "../source/memory-source.ts";
import { skillText, type TreeContent, writeTree } from "../testing/write-tree.ts";
import { type DiscoverOptions, discoverSkills } from "./discover-skills.ts";
import type { Scope } from "./skill.ts";
import type { RootTrust, SkillRoot } from "./skill-root.ts";
import type { Snapshot } from "./snapshot.ts";
import { diffSnapshots } from "./snapshot.ts";
import { snapshotToJson } from "./snapshot-json.ts";

let base: string;
beforeEach(() => {
  base = temporaryDirectory();
});

const root = (
  path: string,
  scope: Scope = "explicit",
  trust: RootTrust = { kind: "trusted" },
): SkillRoot => ({
  scope,
  origin: "local",
  source: new LocalSource(path),
  path,
  trust,
});

const tree = (name: string, files: Readonly<Record<string, TreeContent>>): string =>
  writeTree(join(base, name), files);

const discover = (
  roots: readonly SkillRoot[],
  options: Omit<DiscoverOptions, "roots"> = {},
): Promise<Snapshot> => discoverSkills({ roots, ...options });

const states = (snapshot: Snapshot): [string, string][] =>
  snapshot.skills.map(({ qualifiedName, state }) => [qualifiedName, state]);

test("a memory source and a folder with the same files give the same skills", async () => {
  const files = { "a/SKILL.md": skillText("a"), "group/b/SKILL.md": skillText("b"), "bad/SKILL.md": "" };
  const local = await discover([root(tree("x", files))]);
  const memory = await discover([{ ...root("/"), source: new MemorySource(files) }]);
  const outline = (snapshot: Snapshot) =>
    snapshot.skills.map(({ name, digest, manifest, state }) => ({ name, digest, manifest, state }));
  expect(outline(memory)).toEqual(outline(local));
  expect(outline(local).map(({ name }) => name)).toEqual(["a", "b"]);
  expect(
    local.diagnostics.map(({ severity, hint, range }) => [severity, hint !== undefined, range?.line]),
  ).toEqual([["error", true, 1]]);
});

test("the higher scope keeps a name, the other is qualified, shadowed and told about both", async () => {
  const high = tree("high", { "pdf/SKILL.md": skillText("pdf", "From the project.") });
  const low = tree("low", { "pdf/SKILL.md": skillText("pdf", "From the user.") });
  const snapshot = await discover([root(high, "project"), root(low, "user")]);
  expect(states(snapshot)).toEqual([
    ["pdf", "enabled"],
    ["user:pdf", "shadowed"],
  ]);
  const shadowed = snapshot.skills[1];
  expect(shadowed?.shadowedBy).toBe("pdf");
  expect(
    shadowed?.diagnostics.map(({ code, message, file }) => [code, message.includes(join(high, "pdf")), file]),
  ).toEqual([["name-conflict", true, join(low, "pdf/SKILL.md")]]);
});

test("an untrusted or disabled skill takes no name from an offered one", async () => {
  const project = tree("project", { "gh/SKILL.md": skillText("gh", "Steals.") });
  const user = tree("user", { "gh/SKILL.md": skillText("gh", "Honest.") });
  const bundled = tree("bundled", { "gh/SKILL.md": skillText("gh", "Shipped.") });
  const snapshot = await discover(
    [
      root(project, "project", { kind: "untrusted", project: base }),
      root(user, "user"),
      root(bundled, "bundled"),
    ],
    {
      enablement: ({ scope }) =>
        scope === "user" ? { enabled: false, reason: "config.yaml:3" } : { enabled: true },
    },
  );
  expect(snapshot.skills.map(({ qualifiedName, state, reason }) => [qualifiedName, state, reason])).toEqual([
    ["gh", "enabled", undefined],
    ["project:gh", "untrusted", `the folder ${base} is not trusted; run: skillet trust`],
    ["user:gh", "disabled", "config.yaml:3"],
  ]);
});

test("a name that begins like another scope's is qualified, with a word about it, and takes nothing", async () => {
  const organisation = tree("organisation", { "pdf/SKILL.md": skillText("pdf", "First.") });
  const project = tree("project", { "thief/SKILL.md": skillText('"User:pdf"') });
  const user = tree("user", { "pdf/SKILL.md": skillText("pdf", "Mine.") });
  const snapshot = await discover([
    root(organisation, "organisation"),
    root(project, "project"),
    root(user, "user"),
  ]);
  expect(states(snapshot)).toEqual([
    ["pdf", "enabled"],
    ["project:User:pdf", "enabled"],
    ["user:pdf", "shadowed"],
  ]);
  expect(snapshot.skills[1]?.diagnostics.find(({ code }) => code === "name-reserved")).toEqual({
    code: "name-reserved",
    severity: "warning",
    message:
      'The name "User:pdf" reads like that of a skill in another scope or plugin; this one is "project:User:pdf".',
    file: join(project, "thief/SKILL.md"),
    hint: "Give it a name without a colon.",
  });
});

test("a withheld skill waits for a declared qualified name until every offered one has its own", async () => {
  const project = tree("project", {
    "one/SKILL.md": skillText("pdf/pdf"),
    "two/SKILL.md": skillText('"kit:pdf"'),
    "three/SKILL.md": skillText('"free:name"'),
  });
  const user = tree("user", {
    "pdf/SKILL.md": skillText("pdf"),
    "pdf/nested/SKILL.md": skillText("pdf", "Nested."),
    "kit/.claude-plugin/plugin.json": '{"name":"kit"}',
    "kit/pdf/SKILL.md": skillText("pdf"),
  });
  const untrusted: RootTrust = { kind: "untrusted", project: base };
  const snapshot = await discover([root(project, "project", untrusted), root(user, "user")]);
  expect(states(snapshot)).toEqual([
    ["kit:pdf", "enabled"],
    ["pdf", "enabled"],
    ["pdf/pdf", "shadowed"],
    ["project:free:name", "untrusted"],
    ["project:kit:pdf", "untrusted"],
    ["project:pdf/pdf", "untrusted"],
  ]);
});

test("a plugin that is called like a scope gives its skills no such name", async () => {
  const project = tree("project", {
    ".claude-plugin/plugin.json": '{"name":"Bundled"}',
    "gh/SKILL.md": skillText("gh", "Not the bundled one."),
  });
  const bundled = tree("bundled", { "gh/SKILL.md": skillText("gh") });
  const snapshot = await discover([root(project, "project"), root(bundled, "bundled")]);
  expect(states(snapshot)).toEqual([
    ["bundled:gh", "shadowed"],
    ["gh", "enabled"],
  ]);
  expect(snapshot.diagnostics.map(({ code, message }) => [code, message])).toEqual([
    [
      "plugin-manifest-invalid",
      "The plugin manifest has the name Bundled, which is a scope's; its skills keep their plain names, and its commands are left out.",
    ],
  ]);
});

test("what a trusted folder held is offered, what came later is not, and an edit is noted", async () => {
  const project = tree("project", { "old/SKILL.md": skillText("old"), "new/SKILL.md": skillText("new") });
  const held = new Map([[join(project, "old"), { digest: "sha256:other" } as const]]);
  const trust: RootTrust = { kind: "held", project, skillAt: (path) => held.get(path) };
  const snapshot = await discover([root(project, "project", trust)]);
  expect(states(snapshot)).toEqual([
    ["new", "untrusted"],
    ["old", "enabled"],
  ]);
  expect(snapshot.skills[1]?.diagnostics.map(({ code }) => code)).toEqual(["changed-since-trust"]);
});

test("a skill in a skill is one of its own, named by its parent on a clash", async () => {
  const path = tree("x", {
    "a/SKILL.md": skillText("a"),
    "a/inner/SKILL.md": skillText("a", "Inner."),
    "a/other/SKILL.md": skillText("other"),
  });
  expect(states(await discover([root(path)]))).toEqual([
    ["a", "enabled"],
    ["a/a", "shadowed"],
    ["other", "enabled"],
  ]);
});

test("within one root the skill that is called as its folder stands over an unedited copy", async () => {
  const path = tree("x", { "a-copy/SKILL.md": skillText("b"), "b/SKILL.md": `${skillText("b")}more` });
  const snapshot = await discover([root(path)]);
  expect(snapshot.skills.map(({ qualifiedName, directoryName }) => [qualifiedName, directoryName])).toEqual([
    ["b", "b"],
    ["explicit:b", "a-copy"],
  ]);
});

test("copies with the same bytes are listed once, with every place and a word about it", async () => {
  const files = { "a/SKILL.md": skillText("a"), "a/references/x.md": "x" };
  const [one, two, other] = [
    tree("one", files),
    tree("two", files),
    tree("other", { ...files, "a/references/x.md": "y" }),
  ];
  const snapshot = await discover([root(one, "project"), root(two, "user"), root(other, "bundled")]);
  expect(states(snapshot)).toEqual([
    ["a", "enabled"],
    ["bundled:a", "shadowed"],
  ]);
  expect(snapshot.skills[0]?.alsoAt).toEqual([join(two, "a/SKILL.md")]);
  expect(snapshot.diagnostics.map(({ code, file }) => [code, file])).toEqual([
    ["identical-copy", join(two, "a/SKILL.md")],
  ]);
});

test("one skill that two roots lead to by links is listed once", async () => {
  const real = tree("real", { "a/SKILL.md": skillText("a") });
  const linked = tree("linked", { a: { link: join(real, "a") } });
  const source = new LocalSource(linked, { allowedRoots: [real] });
  const snapshot = await discover([{ ...root(linked, "project"), source }, root(real, "user")]);
  expect(states(snapshot)).toEqual([["a", "enabled"]]);
  expect(snapshot.skills[0]?.path).toBe(join(linked, "a/SKILL.md"));
  expect(snapshot.skills[0]?.alsoAt).toEqual([join(real, "a/SKILL.md")]);
});

test("skills of a plugin carry its name and take no bare name; an invalid manifest is reported", async () => {
  const plugins = tree("plugins", {
    "tools/.claude-plugin/plugin.json": '{"name":"office"}',
    "tools/skills/pdf/SKILL.md": skillText("pdf"),
    "tools/nested/.codex-plugin/plugin.json": "{",
    "tools/nested/doc/SKILL.md": skillText("doc"),
    "plain/SKILL.md": skillText("plain"),
  });
  const user = tree("user", { "pdf/SKILL.md": skillText("pdf", "Mine.") });
  const snapshot = await discover([root(plugins, "plugin"), root(user, "user")]);
  expect(states(snapshot)).toEqual([
    ["office:doc", "enabled"],
    ["office:pdf", "enabled"],
    ["pdf", "enabled"],
    ["plain", "enabled"],
  ]);
  expect(snapshot.diagnostics.map(({ code }) => code)).toEqual(["plugin-manifest-invalid"]);
});

test("command files are skills that only a user can invoke, named by their file", async () => {
  const path = tree("commands", {
    "deploy.md": "Ship it.\n",
    "ops/restart.md": "---\ndescription: Restarts.\n---\nDo it.\n",
  });
  const source = new LocalSource(path, { layout: "commands" });
  const snapshot = await discover([{ ...root(path, "claude"), source }]);
  expect(
    snapshot.skills.map(({ name, kind, manifest }) => [
      name,
      kind,
      manifest.invocation.model,
      manifest.invocation.user,
      manifest.description,
    ]),
  ).toEqual([
    ["deploy", "command", false, true, "Ship it."],
    ["restart", "command", false, true, "Restarts."],
  ]);
});

test("missing requirements make a skill unavailable with every reason, and it stays in the snapshot", async () => {
  const header =
    'metadata: {"openclaw":{"requires":{"bins":["surely-not-a-command"],"env":["SURELY_NOT_SET"]}}}';
  const path = tree("x", { "a/SKILL.md": `---\nname: a\ndescription: A.\n${header}\n---\n` });
  const [skill] = (await discover([root(path)])).skills;
  expect([skill?.state, skill?.reason]).toEqual([
    "unavailable",
    "missing commands: surely-not-a-command; missing environment variables: SURELY_NOT_SET",
  ]);
});

const cacheOf = (): string => join(base, "cache");
const later = (): number => Date.now() + 10_000;
const plain = (snapshot: Snapshot): unknown => snapshotToJson(snapshot);

test("a warm start gives exactly what a cold one gives, for headers of every kind", async () => {
  const path = tree("x", {
    "plain/SKILL.md": skillText("plain"),
    "other-name/SKILL.md": skillText("named-differently"),
    "flow/SKILL.md":
      '---\nname: flow\ndescription: F.\nmetadata: {"openclaw":{"requires":{"bins":["git"]}}}\n---\nBody\n',
    "colon/SKILL.md": "---\nname: colon\ndescription: Use this: when needed\n---\n",
    "bare/SKILL.md": "# Bare\n\nDoes without a header.\n",
    "crlf/SKILL.md": "---\r\nname: crlf\r\ndescription: C.\r\n---\r\nBody\r\n",
    "bom/SKILL.md": "\ufeff---\nname: bom\ndescription: B.\n---\n",
    "fence/SKILL.md": "---\nname: fence\ndescription: |\n  a\n  ---- b\n  --- c\n---\n--- d\n---\n",
    "lower/skill.md": skillText("lower"),
    "codex/SKILL.md": skillText("codex"),
    "codex/agents/openai.yaml": "policy:\n  allow_implicit_invocation: false\n",
    "deep/er/est/SKILL.md": skillText("est"),
    "broken/SKILL.md": "---\nname: [\n---\n",
    "Größe/SKILL.md": skillText("größe", "Misst 漢字 🧀."),
  });
  const options = { cacheDirectory: cacheOf(), clock: later };
  const none = plain(await discover([root(path)]));
  const cold = plain(await discover([root(path)], options));
  const warm = plain(await discover([root(path)], options));
  expect(cold).toEqual(none);
  expect(warm).toEqual(none);
  expect(readdirSync(join(cacheOf(), "discovery")).length).toBe(1);
});

test("a cached skill is not read again while its file's status stands, and is when anything changes", async () => {
  const path = tree("x", { "a/SKILL.md": skillText("a", "first"), "b/SKILL.md": skillText("b") });
  const options = { cacheDirectory: cacheOf(), clock: later };
  await discover([root(path)], options);
  const describe = async () =>
    (await discover([root(path)], options)).skills.map(({ manifest }) => manifest.description);
  // Same length, and the old modification time put back: only the change time tells.
  const old = new Date(1_000_000);
  utimesSync(join(path, "a/SKILL.md"), old, old);
  await discover([root(path)], options);
  writeFileSync(join(path, "a/SKILL.md"), skillText("a", "secnd"));
  utimesSync(join(path, "a/SKILL.md"), old, old);
  expect(await describe()).toEqual(["secnd", "Does b."]);
  rmSync(join(path, "b"), { recursive: true });
  writeTree(path, { "a/inner/SKILL.md": skillText("inner") });
  expect(await describe()).toEqual(["secnd", "Does inner."]);
});

test("files that changed within the clock's grain of the scan are read again", async () => {
  const path = tree("x", { "a/SKILL.md": skillText("a", "first") });
  const options = { cacheDirectory: cacheOf() };
  await discover([root(path)], options);
  const file = join(path, "a/SKILL.md");
  const { atime, mtime } = await import("node:fs").then(({ statSync }) => statSync(file));
  writeFileSync(file, skillText("a", "other"));
  utimesSync(file, atime, mtime);
  const [skill] = (await discover([root(path)], options)).skills;
  expect(skill?.manifest.description).toBe("other");
});

test("a damaged, cut or foreign cache is as good as none", async () => {
  const path = tree("x", { "a/SKILL.md": skillText("a"), "b/SKILL.md": skillText("b") });
  const options = { cacheDirectory: cacheOf(), clock: later };
  const expected = plain(await discover([root(path)], options));
  const folder = join(cacheOf(), "discovery");
  const file = join(folder, readdirSync(folder)[0] ?? "");
  const good = readFileSync(file);
  const damage = fc.oneof(
    fc.record({ kind: fc.constant("flip" as const), at: fc.nat(good.length - 1) }),
    fc.record({ kind: fc.constant("cut" as const), at: fc.nat(good.length - 1) }),
    fc.record({ kind: fc.constant("append" as const), at: fc.nat(10) }),
  );
  await fc.assert(
    fc.asyncProperty(damage, async ({ kind, at }) => {
      writeFileSync(file, good);
      if (kind === "cut") truncateSync(file, at);
      else if (kind === "append") appendFileSync(file, "x".repeat(at));
      else writeFileSync(file, Buffer.from(good.map((byte, index) => (index === at ? byte ^ 1 : byte))));
      expect(plain(await discover([root(path)], options))).toEqual(expected);
    }),
    { numRuns: 60 },
  );
});

test("a cache folder that cannot be written does not stop discovery", async () => {
  const path = tree("x", { "a/SKILL.md": skillText("a") });
  writeFileSync(cacheOf(), "a file is in the way");
  expect(states(await discover([root(path)], { cacheDirectory: cacheOf() }))).toEqual([["a", "enabled"]]);
});

test("any sequence of edits leaves a warm start equal to a cold one", async () => {
  const edit = fc.record({
    path: fc.constantFrom("a", "b", "a/inner", "group/c", "group/d/e"),
    action: fc.constantFrom("write", "remove", "touch", "mkdir", "ignore", "link"),
    text: fc.constantFrom(
      skillText("a"),
      skillText("b", "Other."),
      "no header",
      "---\nname: x: y\n---\n",
      "",
    ),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(edit, { maxLength: 12 }), async (edits) => {
      const folder = join(base, Math.random().toString(36).slice(2));
      mkdirSync(folder);
      const options = { cacheDirectory: join(folder, "../cache-of-edits"), clock: later };
      for (const { path, action, text } of edits) {
        const place = join(folder, path);
        if (action === "remove") rmSync(place, { recursive: true, force: true });
        else if (action === "mkdir") mkdirSync(place, { recursive: true });
        else if (action === "ignore") writeTree(folder, { ".skilletignore": "group\n" });
        else if (action === "link") {
          rmSync(join(folder, "link"), { force: true });
          writeTree(folder, { link: { link: path } });
        } else writeTree(folder, { [`${path}/SKILL.md`]: text });
        const warm = plain(await discover([root(folder)], options));
        expect(warm).toEqual(plain(await discover([root(folder)])));
      }
    }),
    { numRuns: 60 },
  );
});

test("a folder that loses its permissions after it was cached is reported, and its siblings stay", async () => {
  const path = tree("x", {
    "a/SKILL.md": skillText("a"),
    "b/SKILL.md": skillText("b"),
    "c/SKILL.md": skillText("c"),
  });
  const options = { cacheDirectory: cacheOf(), clock: later };
  for (const folder of [base, path]) chmodSync(folder, 0o777);
  const asOrdinaryUser = process.geteuid?.() === 0 ? 65_534 : undefined;
  if (asOrdinaryUser !== undefined) process.seteuid?.(asOrdinaryUser);
  try {
    await discover([root(path)], options);
    if (asOrdinaryUser !== undefined) process.seteuid?.(0);
    chmodSync(join(path, "b"), 0o000);
    chmodSync(join(path, "c/SKILL.md"), 0o000);
    if (asOrdinaryUser !== undefined) process.seteuid?.(asOrdinaryUser);
    const snapshot = await discover([root(path)], options);
    expect(states(snapshot)).toEqual([["a", "enabled"]]);
    expect(snapshot.diagnostics.map(({ code }) => code)).toEqual(["unreadable-folder", "unreadable-skill"]);
  } finally {
    if (asOrdinaryUser !== undefined) process.seteuid?.(0);
    chmodSync(join(path, "b"), 0o755);
  }
});

test("a changed agents/openai.yaml is a change of the skill, and one that cannot be used is a warning", async () => {
  const path = tree("x", {
    "a/SKILL.md": skillText("a"),
    "a/agents/openai.yaml": "policy:\n  allow_implicit_invocation: true\n",
  });
  const options = { cacheDirectory: cacheOf(), clock: later };
  const before = await discover([root(path)], options);
  writeTree(path, { "a/agents/openai.yaml": "policy:\n  allow_implicit_invocation: false\n" });
  const after = await discover([root(path)], options);
  expect(after.skills[0]?.manifest.invocation.model).toBe(false);
  expect((await diffSnapshots(before, after)).changed).toEqual(["a"]);
  expect(after.version).not.toBe(before.version);
  rmSync(join(path, "a/agents/openai.yaml"));
  writeTree(path, { "a/agents/openai.yaml": "x".repeat(1024 * 1024 + 1) });
  const [skill] = (await discover([root(path)], options)).skills;
  expect([skill?.state, skill?.diagnostics.map(({ code }) => code)]).toEqual([
    "enabled",
    ["companion-unreadable"],
  ]);
});

test("a source that fails takes only its own skills away, and two sources with one id are refused", async () => {
  const good = root(tree("x", { "a/SKILL.md": skillText("a") }));
  const broken = new MemorySource({}, { id: "memory:broken" });
  broken.listSkills = () => Promise.reject(new Error("connection reset"));
  const snapshot = await discover([{ ...root("broken"), source: broken }, good]);
  expect(states(snapshot)).toEqual([["a", "enabled"]]);
  expect(snapshot.diagnostics.map(({ code, message }) => [code, message])).toEqual([
    ["unreadable-root", "The root could not be searched: its source failed: connection reset."],
  ]);
  await expect(discover([good, good])).rejects.toMatchObject({ code: "source-id-duplicate" });
});

test("a root that leads nowhere is unreadable or missing, and the others are searched", async () => {
  const good = root(tree("x", { "a/SKILL.md": skillText("a") }));
  const long = root(join(base, "b".repeat(300)));
  const nul = root(join(base, "a\0b"), "user");
  const file = root(join(base, "x/a/SKILL.md/below"), "project");
  const snapshot = await discover([long, nul, file, good]);
  expect(snapshot.roots.map(({ state }) => state)).toEqual([
    "unreadable",
    "unreadable",
    "missing",
    "scanned",
  ]);
  expect(states(snapshot)).toEqual([["a", "enabled"]]);
  expect(snapshot.diagnostics.map(({ code }) => code)).toEqual(["unreadable-root", "unreadable-root"]);
});

test("a cache that cannot be replaced does not stop discovery", async () => {
  const path = tree("x", { "a/SKILL.md": skillText("a") });
  const options = { cacheDirectory: cacheOf(), clock: later };
  await discover([root(path)], options);
  const file = join(cacheOf(), "discovery", readdirSync(join(cacheOf(), "discovery"))[0] ?? "");
  rmSync(file);
  mkdirSync(join(file, "in-the-way"), { recursive: true });
  expect(states(await discover([root(path)], options))).toEqual([["a", "enabled"]]);
  expect(readdirSync(join(cacheOf(), "discovery")).length).toBe(1);
});
