import type { TreeFile } from "@skillet/core";
import { describe, expect, test } from "vitest";
import { skillText } from "../testing/hub-sandbox.ts";
import { readPluginParts } from "./read-plugin-parts.ts";

const tree = (files: Readonly<Record<string, unknown>>): readonly TreeFile[] =>
  Object.entries(files).map(([path, content]) => ({
    path,
    mode: "644",
    bytes: Buffer.from(typeof content === "string" ? content : JSON.stringify(content)),
  }));
const parts = (files: Readonly<Record<string, unknown>>) => readPluginParts(tree(files), { name: "p" }).parts;
const MANIFEST = ".claude-plugin/plugin.json";

describe("hooks are listed, whatever their shape", () => {
  const nested = { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command: "x.sh" }] }] };
  test.each<[string, Record<string, unknown>]>([
    ["in the usual file", { [MANIFEST]: { name: "p" }, "hooks/hooks.json": { hooks: nested } }],
    ["without the outer key", { [MANIFEST]: { name: "p" }, "hooks/hooks.json": nested }],
    ["in the manifest", { [MANIFEST]: { name: "p", hooks: nested } }],
    ["in a file that the manifest names", { [MANIFEST]: { name: "p", hooks: "./h.json" }, "h.json": nested }],
    [
      "in one of several",
      { [MANIFEST]: { name: "p", hooks: ["./no.json", "a/../h.json"] }, "h.json": nested },
    ],
    ["as an object in a list", { [MANIFEST]: { name: "p", hooks: [{ hooks: nested }] } }],
    [
      "in another agent's manifest",
      { [MANIFEST]: { name: "p" }, ".codex-plugin/plugin.json": { hooks: nested } },
    ],
    ["as plain text", { [MANIFEST]: { name: "p", hooks: { PreToolUse: "x.sh" } } }],
  ])("%s", (_where, files) => {
    expect(parts(files).hooks).toContainEqual({
      event: "PreToolUse",
      command: expect.stringMatching(/^x\.sh(?: with \{"matcher":"Bash"\})?$/),
    });
  });

  test("commands for several shells are all named", () => {
    const hooks = { hooks: { sessionStart: [{ bash: "a.sh", powershell: "a.ps1" }] } };
    expect(parts({ [MANIFEST]: { name: "p" }, "hooks/hooks.json": hooks }).hooks).toHaveLength(2);
  });

  test("hooks of an unknown form are shown and not passed over", () => {
    const files = {
      [MANIFEST]: { name: "p", hooks: ["gone.json", { Stop: [{ run: "x" }] }] },
      "hooks/hooks.json": "{ // lenient readers take this\n}",
    };
    expect(parts(files).hooks.map(({ command }) => command)).toEqual([
      '{"run":"x"}',
      "whatever gone.json says",
      expect.stringMatching(/^whatever hooks\/hooks\.json says \(sha256:[0-9a-f]{64}\)$/),
    ]);
  });

  test("more than 200 are all listed, and nesting without end is cut", () => {
    const many = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`E${index}`, `c${index}`]));
    expect(parts({ [MANIFEST]: { name: "p", hooks: many } }).hooks).toHaveLength(300);
    const deep = `{"name":"p","hooks":{"E":${"[".repeat(5_000)}"x"${"]".repeat(5_000)}}}`;
    expect(parts({ [MANIFEST]: deep }).hooks).toEqual([
      { event: "E", command: "(nested too deeply to show)" },
    ]);
  });
});

test("servers are listed from the manifest, the files that it names and .mcp.json", () => {
  const found = parts({
    [MANIFEST]: { name: "p", mcpServers: ["./servers.json", { inline: { url: "https://i.example" } }] },
    "servers.json": { mcpServers: { named: { command: "node", args: ["s.js"] } } },
    ".mcp.json": { usual: { httpUrl: "https://u.example" } },
  });
  expect(found.mcpServers).toEqual([
    { name: "inline", url: "https://i.example" },
    { name: "named", command: "node s.js" },
    { name: "usual", url: "https://u.example" },
  ]);
});

test.each([".claude-plugin", ".codex-plugin", ".cursor-plugin", ".kimi-plugin"])(
  "the name and the skills of a plugin are read from %s",
  (folder) => {
    const found = parts({
      [`${folder}/plugin.json`]: { name: "tools", version: "1", skills: "./more/" },
      "more/b/SKILL.md": skillText("b"),
      "skills/a/SKILL.md": skillText("a"),
      "other/c/SKILL.md": skillText("c"),
      "commands/go.md": "go",
    });
    expect(found).toMatchObject({ name: "tools", version: "1", commands: ["commands/go.md"] });
    // A skill that it does not list is placed with it and offered, so it is named as well.
    expect(found.skills.map(({ name }) => name)).toEqual(["b", "a", "c"]);
  },
);

test("an entry that is the manifest is written down with all that it brings, whatever the folder says", () => {
  const entry = {
    name: "listed",
    strict: false,
    skills: ["./skills/a"],
    hooks: { Stop: "stop.sh" },
    source: "./",
  };
  const files = tree({ [MANIFEST]: { name: "own", hooks: {} }, "skills/a/SKILL.md": skillText("a") });
  const read = readPluginParts(files, { name: "listed", entry });
  expect(read.parts).toMatchObject({ name: "listed", hooks: [{ event: "Stop", command: "stop.sh" }] });
  // The files alone show the same.
  expect(readPluginParts(read.files, { name: "x" }).parts).toEqual(read.parts);
});

test("a manifest that is not JSON is reported and replaced", () => {
  const read = readPluginParts(tree({ [MANIFEST]: "{", "skills/a/SKILL.md": skillText("a") }), { name: "p" });
  expect(read.diagnostics).toMatchObject([{ code: "plugin-manifest-invalid" }]);
  expect(read.parts.name).toBe("p");
});

test("a plugin that has more skills than its marketplace's entry lists says why", () => {
  const files = tree({ "skills/a/SKILL.md": skillText("a"), "skills/b/SKILL.md": skillText("b") });
  const codesOf = (entry: Readonly<Record<string, unknown>>): readonly string[] =>
    readPluginParts(files, { name: "p", entry }).diagnostics.map(({ code }) => code);
  expect(codesOf({ skills: ["./skills/a"] })).toEqual(["plugin-more-than-listed"]);
  expect(codesOf({ skills: ["./skills/a"], strict: false })).toEqual([]);
  expect(codesOf({ skills: ["./skills/a", "./skills/b/"] })).toEqual([]);
  expect(codesOf({ skills: ["./skills"] })).toEqual([]);
  expect(codesOf({})).toEqual([]);
});

test("a key called __proto__ changes no object", () => {
  const found = parts({
    [MANIFEST]: '{"name":"p","hooks":{"__proto__":{"command":"x"}},"__proto__":{"y":1}}',
  });
  expect(found.hooks).toEqual([{ event: "__proto__", command: "x" }]);
  expect(({} as Record<string, unknown>).y).toBeUndefined();
});

test("what a plugin would run by itself besides hooks is listed with them", () => {
  const found = parts({
    [MANIFEST]: { name: "p", monitors: "./more.json" },
    "more.json": [{ name: "b", command: "b.sh" }],
    "monitors/monitors.json": [{ name: "a", command: "a.sh", description: "Watches.", when: "always" }],
    "settings.json": {
      agent: "boss",
      hooks: { Stop: "stop.sh" },
      subagentStatusLine: { command: "line.sh" },
    },
  });
  expect(found.hooks).toEqual([
    { event: "monitor b", command: "b.sh" },
    { event: "monitor a", command: 'a.sh with {"when":"always"}' },
    { event: "Stop", command: "stop.sh" },
    { event: "settings subagentStatusLine", command: "line.sh" },
  ]);
  expect(found.settings).toEqual(['settings.json agent: "boss"']);
});

test("monitors that cannot be read are shown and not passed over", () => {
  const found = parts({ [MANIFEST]: { name: "p" }, "monitors/monitors.json": '["a.sh"]' });
  expect(found.hooks).toEqual([
    { event: "monitor", command: expect.stringMatching(/^whatever monitors\/monitors\.json says \(sha256:/) },
  ]);
});

describe("what a plugin sets is listed as it stands", () => {
  test("by unknown keys of its manifests, and by no others", () => {
    const found = parts({
      [MANIFEST]: { name: "p", version: "1", keywords: ["a"], dependencies: ["q@m"], __proto__x: 1 },
      ".codex-plugin/plugin.json": { name: "p", interface: { displayName: "P" }, onLoad: "e.sh" },
    });
    expect(found.settings).toEqual(['dependencies: ["q@m"]', "__proto__x: 1", 'onLoad: "e.sh"']);
  });

  test("by apps, in their file, in the manifest and where that names them", () => {
    const found = parts({
      [MANIFEST]: { name: "p", apps: ["./a.json", { inline: { id: "1" } }] },
      "a.json": { apps: { named: { id: "2" } } },
      ".App.json": { usual: { id: "3" } },
    });
    expect(found.settings).toEqual([
      '.app.json inline: {"id":"1"}',
      '.app.json named: {"id":"2"}',
      '.app.json usual: {"id":"3"}',
    ]);
  });

  test("by files that cannot be read, with their digest", () => {
    const one = parts({ [MANIFEST]: { name: "p" }, "settings.json": "{ // one\n}" }).settings;
    const two = parts({ [MANIFEST]: { name: "p" }, "settings.json": "{ // two\n}" }).settings;
    expect(one).toEqual([expect.stringMatching(/^whatever settings\.json says \(sha256:[0-9a-f]{64}\)$/)]);
    expect(two).not.toEqual(one);
  });

  test("also where it is nested too deep to be shown", () => {
    const deep = (end: string): string =>
      `{"name":"p","x":${"[".repeat(200_000)}${end}${"]".repeat(200_000)}}`;
    const [one, two] = ["1", "2"].map((end) => parts({ [MANIFEST]: deep(end) }).settings);
    expect(one).toEqual([expect.stringMatching(/^whatever \.claude-plugin\/plugin\.json says \(sha256:/)]);
    expect(two).not.toEqual(one);
  });
});

test("output styles and rules are listed, by folder, by manifest and whatever their case", () => {
  const found = parts({
    [MANIFEST]: { name: "p", outputStyles: "./styles/" },
    "styles/a.md": "A.",
    "Output-Styles/b.MD": "B.",
    "rules/c.mdc": "C.",
    "references/d.md": "D.",
  });
  expect(found.instructions).toEqual(["styles/a.md", "Output-Styles/b.MD", "rules/c.mdc"]);
});

test("an entry that is the manifest keeps what it sets and what it runs", () => {
  const entry = {
    name: "listed",
    strict: false,
    source: "./",
    monitors: [{ name: "m", command: "m.sh" }],
    dependencies: ["q@m"],
    unknown: 1,
  };
  const read = readPluginParts(tree({ "skills/a/SKILL.md": skillText("a") }), { name: "listed", entry });
  expect(read.parts.hooks).toEqual([{ event: "monitor m", command: "m.sh" }]);
  expect(read.parts.settings).toEqual(['dependencies: ["q@m"]']);
  expect(readPluginParts(read.files, { name: "x" }).parts).toEqual(read.parts);
});
