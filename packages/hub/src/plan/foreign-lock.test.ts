import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TreeFile } from "@skillet/core";
import { describe, expect, test } from "vitest";
import { formatLock } from "../lock/format-lock.ts";
import type { LockEntry } from "../lock/lock-entry.ts";
import { skillEntry } from "../place/testing/sandbox-project.ts";
import { type HubSandbox, hubSandbox, skillText, wanted, writeFiles } from "../testing/hub-sandbox.ts";

const asTree = (files: Readonly<Record<string, string>>): readonly TreeFile[] =>
  Object.entries(files).map(([path, text]) => ({ path, mode: "644", bytes: Buffer.from(text) }));
const writeLock = ({ project }: HubSandbox, name: string, entry: object): string => {
  const text = formatLock({ skills: new Map([[name, entry as LockEntry]]) });
  writeFileSync(join(project, "skillet.lock"), text);
  return text;
};

const PLUGIN = {
  ".claude-plugin/plugin.json": '{"name":"p","version":"1.0.0"}',
  ".mcp.json": '{"mcpServers":{"notes":{"url":"https://mcp.example.com/notes"}}}',
  "skills/a/SKILL.md": skillText("a"),
};
const OFF = { hooks: false, mcpServers: false };
const ON = { hooks: true, mcpServers: true };

/** A project whose lock allows its own plugin. */
function boxWithPlugin(): HubSandbox {
  const box = hubSandbox();
  for (const [path, text] of Object.entries(PLUGIN)) writeFiles(box.project, { [`vendor/p/${path}`]: text });
  writeLock(box, "p", {
    ...skillEntry("p", asTree(PLUGIN)),
    kind: "plugin",
    source: "./vendor/p",
    resolved: { kind: "local", path: "./vendor/p" },
    allowed: ON,
  });
  return box;
}

describe("a lock that came with a repository", () => {
  test("allows nothing: its plugins' hooks and servers stay off, and that is said", async () => {
    const hub = await boxWithPlugin().open();
    expect((await hub.list()).skills.get("p")?.allowed).toEqual(OFF);
    const plan = await hub.planRestore({ names: [], force: false });
    expect(plan).toMatchObject({
      items: [{ entry: { allowed: OFF } }],
      diagnostics: [{ code: "allowed-by-lock" }],
    });
    await hub.apply(plan);
    expect(readFileSync(hub.lockFile, "utf8")).not.toMatch(/"(?:hooks|mcpServers)": true/);
  });

  test("is refused when it is frozen and allows something, and stays as it is", async () => {
    const box = boxWithPlugin();
    const before = readFileSync(join(box.project, "skillet.lock"), "utf8");
    const hub = await box.open();
    const plan = await hub.planRestore({ names: [], force: false, frozen: true });
    expect(plan.refusals).toMatchObject([{ name: "p", code: "frozen-mismatch" }]);
    await hub.apply(plan);
    expect(readFileSync(hub.lockFile, "utf8")).toBe(before);
  });

  test("does not hold what a person here allowed: that is kept apart, for these bytes and this lock", async () => {
    const box = boxWithPlugin();
    const hub = await box.open();
    await hub.apply(await hub.planRestore({ names: [], force: false }));
    const before = readFileSync(hub.lockFile, "utf8");
    expect(await hub.allow("p", { hooks: false, mcpServers: true })).toMatchObject({
      entry: { allowed: { hooks: false, mcpServers: true } },
    });
    const allowed = async () => (await (await box.open()).list()).skills.get("p")?.allowed;
    expect(await allowed()).toEqual({ hooks: false, mcpServers: true });
    expect(readFileSync(hub.lockFile, "utf8")).toBe(before);
    expect((await hub.planRestore({ names: [], force: false, frozen: true })).refusals).toEqual([]);
    // Changing the lock's digest, and the plugin with it, allows nothing.
    writeFileSync(
      hub.lockFile,
      before.replace(/"digest": "sha256:[0-9a-f]{64}"/, `"digest": "sha256:${"0".repeat(64)}"`),
    );
    expect(await allowed()).toEqual(OFF);
    writeFileSync(hub.lockFile, before);
    await hub.allow("p", OFF);
    expect(await allowed()).toEqual(OFF);
  });

  test("what people allowed is an error where it cannot be read, and is not lost", async () => {
    const box = boxWithPlugin();
    const hub = await box.open();
    await hub.apply(await hub.planRestore({ names: [], force: false }));
    writeFiles(box.home, { "allowances.json": "{" });
    await expect(hub.list()).rejects.toMatchObject({ code: "allowances-invalid" });
    await expect(hub.allow("p", ON)).rejects.toMatchObject({ code: "allowances-invalid" });
    expect(readFileSync(join(box.home, "allowances.json"), "utf8")).toBe("{");
  });
});

describe("an entry that is linked", () => {
  const linkedBox = (path: string) => {
    const box = hubSandbox();
    writeFiles(join(box.project, "vendor/pdf"), { "SKILL.md": skillText("pdf", "Something else by now.") });
    mkdirSync(join(box.project, ".agents/skills"), { recursive: true });
    symlinkSync("../../vendor/pdf", join(box.project, ".agents/skills/pdf"));
    const targets = [{ path: ".agents/skills/pdf", how: "link" }] as const;
    writeLock(box, "pdf", {
      ...skillEntry("pdf", asTree({ "SKILL.md": skillText("pdf", "Reviewed.") }), targets),
      source: path,
      resolved: { kind: "local", path },
      linked: true,
    });
    return box;
  };

  test("is refused by a frozen install, and passed over by another one with a word", async () => {
    const hub = await linkedBox("./vendor/pdf").open();
    expect(await hub.planRestore({ names: [], force: false, frozen: true })).toMatchObject({
      items: [],
      refusals: [{ name: "pdf", code: "frozen-mismatch" }],
    });
    expect(await hub.planRestore({ names: [], force: false })).toMatchObject({
      items: [],
      refusals: [],
      diagnostics: [{ code: "linked-unchecked", severity: "info" }],
    });
    expect(await hub.verify([])).toMatchObject([{ drift: [] }]);
  });

  test("and leads out of its project is a warning, and no verified one", async () => {
    const outside = hubSandbox().project;
    const hub = await linkedBox(outside).open();
    const { diagnostics } = await hub.planRestore({ names: [], force: false });
    expect(diagnostics).toMatchObject([{ code: "linked-unchecked", severity: "warning" }]);
    const [verified] = await hub.verify([]);
    expect(verified?.drift[0]).toMatchObject({ kind: "link", message: expect.stringContaining("outside") });
  });

  test("is made of a project's own folders, or for a user", async () => {
    const box = hubSandbox();
    writeFiles(box.folder, {
      "elsewhere/x/SKILL.md": skillText("x"),
      "project/src/y/SKILL.md": skillText("y"),
    });
    symlinkSync(join(box.folder, "elsewhere"), join(box.project, "inside"));
    const hub = await box.open();
    for (const source of ["../elsewhere/x", "./inside/x"])
      await expect(hub.planInstall(wanted(source, { link: true }))).rejects.toMatchObject({
        code: "link-outside-project",
      });
    expect((await hub.planInstall(wanted("./src/y", { link: true }))).refusals).toEqual([]);
    const user = await box.openUser();
    expect((await user.planInstall(wanted("../elsewhere/x", { link: true }))).refusals).toEqual([]);
  });
});
