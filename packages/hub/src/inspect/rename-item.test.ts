import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TreeFile } from "@skillet/core";
import { digestBytes, digestTree } from "@skillet/kit/digest";
import { describe, expect, test } from "vitest";
import type { ReadItem } from "../plan-item.ts";
import { hubSandbox, person, skillText, wanted, writeFiles } from "../testing/hub-sandbox.ts";
import { itemOfTree } from "./inspect-item.ts";
import { findNamingProblem, renameItem } from "./rename-item.ts";

const candidate = (files: Readonly<Record<string, string>>, kind: ReadItem["kind"] = "skill"): ReadItem =>
  itemOfTree(
    Object.entries(files).map(([path, text]): TreeFile => ({ path, mode: "644", bytes: Buffer.from(text) })),
    {
      kind,
      name: "old",
      resolved: { kind: "local", path: "/x" },
      folder: "",
      identity: undefined,
      isProven: true,
    },
  );

test("a new name is written into the manifest, and the same twice gives the same bytes", () => {
  const before = candidate({ "SKILL.md": skillText("old"), "a.txt": "old" });
  const renamed = renameItem(before, "new");
  expect(Buffer.from(renamed.files[0]?.bytes ?? []).toString()).toBe(
    skillText("old").replace("name: old", "name: new"),
  );
  expect(renamed.files[1]).toEqual(before.files[1]);
  expect(renamed.digest).not.toBe(before.digest);
  expect(renameItem(before, "new").digest).toBe(renamed.digest);
  expect(renameItem(before, "old")).toBe(before);
});

test("a header that only loads repaired is renamed, with its value quoted", () => {
  const text = skillText("old").replace(/description: .*/, "description: Git rules: branches and tags.");
  const [file] = renameItem(candidate({ "SKILL.md": text }), "new").files;
  const renamed = Buffer.from(file?.bytes ?? []).toString();
  expect(renamed).toContain("name: new\ndescription: 'Git rules: branches and tags.'\n");
});

test("a plugin is renamed in every manifest that it has", () => {
  const before = candidate(
    {
      ".claude-plugin/plugin.json": '{"name":"old","version":"1"}',
      ".codex-plugin/plugin.json": '{"name":"old"}',
      "skills/a/SKILL.md": skillText("a"),
    },
    "plugin",
  );
  const renamed = renameItem(before, "new");
  const manifests = renamed.files.slice(0, 2).map(({ bytes }) => JSON.parse(Buffer.from(bytes).toString()));
  expect(manifests).toEqual([{ name: "new", version: "1" }, { name: "new" }]);
});

test.each(["..", ".", "", "a/b", "a\\b", "-x", ".x", "nul", "x".repeat(65), "a b", "x."])(
  "%j is not a name to install by",
  (name) => {
    expect(() => renameItem(candidate({ "SKILL.md": skillText("old") }), name)).toThrowError(
      expect.objectContaining({ code: "name-invalid" }),
    );
  },
);

const MANIFEST = ".claude-plugin/plugin.json";
const SKILL = { "skills/gh/SKILL.md": skillText("gh") };
const problem = (
  kind: "skill" | "plugin",
  files: Readonly<Record<string, string>>,
  name = "kit",
): string | undefined =>
  findNamingProblem({
    kind,
    name,
    files: Object.entries(files).map(
      ([path, text]): TreeFile => ({ path, mode: "644", bytes: Buffer.from(text) }),
    ),
  });

describe("a plugin", () => {
  test("is fit with one manifest, or with several that agree", () => {
    expect(problem("plugin", { [MANIFEST]: '{"name":"kit"}', ...SKILL })).toBeUndefined();
    const two = { [MANIFEST]: '{"name":"kit"}', ".codex-plugin/plugin.json": '{"name":"kit"}' };
    expect(problem("plugin", { ...two, ...SKILL })).toBeUndefined();
  });

  test.each<[string, Record<string, string>, string]>([
    ["whose name has spaces", { [MANIFEST]: '{"name":"Kit of tools"}' }, "other characters"],
    ["with a scope's name", { [MANIFEST]: '{"name":"User"}' }, "which is a scope's"],
    ["without a name", { [MANIFEST]: '{"version":"1"}' }, "has no name"],
    ["whose manifest is not JSON", { [MANIFEST]: "{" }, "is not JSON"],
    [
      "whose manifest is larger than discovery reads",
      { [MANIFEST]: JSON.stringify({ name: "kit", description: "a".repeat(300_000) }) },
      "is larger than",
    ],
    ["that is installed by another name than it bears", { [MANIFEST]: '{"name":"acme"}' }, "calls it acme"],
    [
      "that calls itself otherwise for another agent",
      { [MANIFEST]: '{"name":"kit"}', ".cursor-plugin/plugin.json": '{"name":"acme"}' },
      "calls it acme",
    ],
    [
      "whose first manifest folder has no manifest",
      { ".claude-plugin/marketplace.json": "{}", ".codex-plugin/plugin.json": '{"name":"kit"}' },
      "no manifest .claude-plugin/plugin.json",
    ],
    ["without a manifest", {}, "no manifest"],
  ])("%s is refused", (_, files, why) => {
    expect(problem("plugin", { ...files, ...SKILL })).toContain(why);
  });

  test.each([".claude-plugin", ".codex-plugin", ".cursor-plugin", ".kimi-plugin", ".Claude-Plugin"])(
    "with a further manifest in a %s inside is refused",
    (folder) => {
      for (const below of ["skills/gh", "a/b/c/d"])
        expect(
          problem("plugin", {
            [MANIFEST]: '{"name":"kit"}',
            ...SKILL,
            [`${below}/${folder}/plugin.json`]: '{"name":"acme"}',
          }),
        ).toContain("a further plugin manifest");
    },
  );
});

describe("a skill", () => {
  test.each([".claude-plugin", ".codex-plugin", ".cursor-plugin", ".kimi-plugin"])(
    "that carries a manifest in %s is refused",
    (folder) => {
      const files = { "SKILL.md": skillText("s"), [`${folder}/plugin.json`]: '{"name":"acme"}' };
      expect(problem("skill", files, "s")).toContain(`${folder}/plugin.json, which would change its name`);
    },
  );

  test("may show one in an example, which names nothing above it", () => {
    const files = { "SKILL.md": skillText("s"), [`examples/${MANIFEST}`]: '{"name":"acme"}' };
    expect(problem("skill", files, "s")).toBeUndefined();
  });
});

describe("whatever is placed is checked", () => {
  const kit = { [`src/${MANIFEST}`]: '{"name":"kit"}', "src/skills/a/SKILL.md": skillText("a") };

  test("a plugin that gets a fitting name from the installing user is accepted, and only that", async () => {
    const box = hubSandbox();
    writeFiles(box.project, { ...kit, [`src/${MANIFEST}`]: '{"name":"Kit of tools"}' });
    const hub = await box.open();
    const named = async (as: string) =>
      (await hub.planInstall(wanted("./src", { names: ["Kit of tools"], as }))).refusals;
    expect(await named("kit")).toEqual([]);
    expect(await named("user")).toMatchObject([{ code: "unfit" }]);
    expect(await named("värkzeug")).toMatchObject([{ code: "unfit" }]);
  });

  test("an update that brings a further manifest is refused", async () => {
    const box = hubSandbox();
    writeFiles(box.project, kit);
    const hub = await box.open();
    await hub.apply(await hub.planInstall(wanted("./src", { names: ["plugin:kit"] })));
    writeFiles(box.project, { [`src/skills/a/${MANIFEST}`]: '{"name":"acme"}' });
    const { items, refusals } = await hub.planUpdate({ names: [], force: true });
    expect([items, refusals]).toMatchObject([[], [{ name: "kit", code: "unfit" }]]);
  });

  test("a lock brings back no skill that carries a manifest", async () => {
    // Like a lock that was written without that check.
    const box = hubSandbox();
    writeFiles(box.project, { "vendor/x/SKILL.md": skillText("x") });
    const hub = await box.open({ ask: person("yes").ask });
    await hub.apply(await hub.planInstall(wanted("./vendor/x")));
    const files = { "SKILL.md": skillText("x"), [MANIFEST]: '{"name":"acme"}' };
    writeFiles(join(box.project, "vendor/x"), files);
    rmSync(join(box.project, ".agents"), { recursive: true });
    cpSync(join(box.project, "vendor"), join(box.project, ".agents/skills"), { recursive: true });
    relock(hub.lockFile, files);
    const again = await box.open();
    const { items, refusals } = await again.planRestore({ names: [], force: true });
    expect([items, refusals]).toMatchObject([[], [{ name: "x", code: "unfit" }]]);
  });
});

function relock(lockFile: string, files: Readonly<Record<string, string>>): void {
  const entries = Object.entries(files).map(([path, text]) => ({
    path,
    mode: "644" as const,
    digest: digestBytes(Buffer.from(text)),
    size: Buffer.byteLength(text),
  }));
  const lock = JSON.parse(readFileSync(lockFile, "utf8"));
  lock.skills.x.digest = digestTree(entries);
  lock.skills.x.files = Object.fromEntries(entries.map(({ path, ...file }) => [path, file]));
  writeFileSync(lockFile, `${JSON.stringify(lock, null, 2)}\n`);
}
