import { readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Hub } from "../open-hub.ts";
import {
  type HubSandbox,
  hubSandbox,
  person,
  skillText,
  wanted,
  writeFiles,
} from "../testing/hub-sandbox.ts";

const ON = { hooks: true, mcpServers: true };
const OFF = { hooks: false, mcpServers: false };
const stop = (...commands: readonly string[]): string => JSON.stringify({ hooks: { Stop: commands } });

interface Kit {
  readonly box: HubSandbox;
  readonly hub: Hub;
  /** Where it was placed. */
  readonly folder: string;
}

/** A plugin that is installed. */
async function installedKit(scope: string, more: Readonly<Record<string, string>> = {}): Promise<Kit> {
  const box = hubSandbox();
  writeFiles(join(box.project, "src"), {
    ".claude-plugin/plugin.json": '{"name":"kit"}',
    "skills/a/SKILL.md": skillText("a"),
    "hooks/hooks.json": stop("echo"),
    ...more,
  });
  const { ask } = person("yes");
  const hub = scope === "user" ? await box.openUser({ ask }) : await box.open({ ask });
  await install(hub);
  const folder = scope === "user" ? join(box.home, "plugins/kit") : join(box.project, ".agents/skills/kit");
  return { box, hub, folder };
}

async function install(hub: Hub, more: Parameters<typeof wanted>[1] = {}): Promise<void> {
  const plan = await hub.planInstall(wanted("./src", { names: ["plugin:kit"], ...more }));
  expect(await hub.apply(plan)).toMatchObject([{ name: "kit" }]);
}

const update = async (hub: Hub): Promise<unknown> =>
  hub.apply(await hub.planUpdate({ names: [], force: false }));
const allowedNow = async (hub: Hub): Promise<unknown> => (await hub.list()).skills.get("kit")?.allowed;

describe.each(["user", "project"])("what a %s's plugin may run", (scope) => {
  test("is off again once it is removed and comes back", async () => {
    const { hub } = await installedKit(scope);
    await hub.allow("kit", ON);
    expect(await allowedNow(hub)).toEqual(ON);
    await hub.remove({ names: ["kit"], discardEdits: false, dryRun: false });
    await install(hub);
    expect(await allowedNow(hub)).toEqual(OFF);
  });

  test("is off again once it is updated, and stays off when it is rolled back", async () => {
    const { box, hub } = await installedKit(scope);
    await hub.allow("kit", ON);
    writeFiles(box.project, { "src/skills/a/SKILL.md": skillText("a", "Twice.") });
    await update(hub);
    expect(await allowedNow(hub)).toEqual(OFF);
    await hub.apply(await hub.planRollback({ name: "kit", force: false }));
    expect(await allowedNow(hub)).toEqual(OFF);
  });

  test("stays on while the same bytes are put back, and through a dry run", async () => {
    const { hub, folder } = await installedKit(scope);
    await hub.allow("kit", ON);
    await hub.remove({ names: ["kit"], discardEdits: false, dryRun: true });
    writeFileSync(join(folder, "hooks/hooks.json"), stop("evil"));
    const plan = await hub.planRestore({ names: [], force: false });
    expect(await hub.apply(plan, { discardEdits: true })).toMatchObject([{ outcome: "restored" }]);
    expect(await allowedNow(hub)).toEqual(ON);
  });

  test("is off while files on disk are others than were allowed, and is not allowed for those", async () => {
    const { hub, folder } = await installedKit(scope);
    await hub.allow("kit", ON);
    writeFileSync(join(folder, "hooks/hooks.json"), stop("evil"));
    expect(await allowedNow(hub)).toEqual(OFF);
    const refused = { code: "plugin-changed", data: { name: "kit", files: ["hooks/hooks.json"] } };
    await expect(hub.allow("kit", ON)).rejects.toMatchObject(refused);
    // Taking back needs nothing to be as it was.
    expect(await hub.allow("kit", OFF)).toMatchObject({ entry: { allowed: OFF }, grants: [] });
    writeFileSync(join(folder, "hooks/hooks.json"), stop("echo"));
    expect(await allowedNow(hub)).toEqual(OFF);
  });

  test("is off while a file lies there that no one installed", async () => {
    const { hub, folder } = await installedKit(scope);
    await hub.allow("kit", ON);
    writeFiles(folder, { ".mcp.json": "{}" });
    expect(await allowedNow(hub)).toEqual(OFF);
  });

  test("is on whatever a file browser leaves", async () => {
    const { hub, folder } = await installedKit(scope);
    await hub.allow("kit", ON);
    writeFiles(folder, { "hooks/.DS_Store": "x" });
    expect(await allowedNow(hub)).toEqual(ON);
  });

  test("is told one by one, and only what was turned on", async () => {
    const { hub } = await installedKit(scope, {
      "hooks/hooks.json": stop(...Array.from({ length: 20 }, (_, index) => `hook-${index}`)),
      ".mcp.json": JSON.stringify({ mcpServers: { notes: { command: "notes-server" } } }),
      "skills/a/SKILL.md": skillText("a", "Do it.", "hooks:\n  Stop: in-a-header\n"),
      "monitors/monitors.json": JSON.stringify([{ name: "m", command: "watch" }]),
    });
    const { grants } = await hub.allow("kit", { hooks: true, mcpServers: false });
    const texts = grants.map(({ text }) => text);
    expect(texts).toHaveLength(22);
    expect(texts).toContain("has the hook Stop: hook-19");
    expect(texts).toContain("has the hook monitor m: watch");
    expect(texts).toContain("has the hook Stop: in-a-header in skills/a/SKILL.md");
    const servers = await hub.allow("kit", { hooks: false, mcpServers: true });
    expect(servers.grants.map(({ text }) => text)).toEqual(["brings the server notes: notes-server"]);
  });

  test("of a linked folder is off once the folder changes", async () => {
    const { box, hub } = await installedKit(scope);
    await hub.remove({ names: ["kit"], discardEdits: false, dryRun: false });
    await install(hub, { link: true });
    await hub.allow("kit", ON);
    expect(await allowedNow(hub)).toEqual(ON);
    writeFiles(box.project, { "src/hooks/hooks.json": stop("evil") });
    expect(await allowedNow(hub)).toEqual(OFF);
    await expect(hub.allow("kit", ON)).rejects.toMatchObject({ code: "plugin-changed" });
    await install(hub, { link: true });
    expect(await allowedNow(hub)).toEqual(OFF);
    await hub.allow("kit", ON);
    expect(await allowedNow(hub)).toEqual(ON);
  });
});

test("what an interpreter left in a project may have come with it, and turns everything off", async () => {
  const { hub, folder } = await installedKit("project");
  await hub.allow("kit", ON);
  writeFiles(folder, { "hooks/__pycache__/hook.cpython-312.pyc": "x" });
  expect(await allowedNow(hub)).toEqual(OFF);
});

test("a lock that links to one folder and names another as its source is allowed nothing", async () => {
  const { box, hub, folder } = await installedKit("project");
  await hub.remove({ names: ["kit"], discardEdits: false, dryRun: false });
  writeFiles(join(box.project, "evil"), { "hooks/hooks.json": stop("evil") });
  await install(hub, { link: true });
  const lock = readFileSync(hub.lockFile, "utf8");
  expect(lock).toContain('"path": "./src"');
  writeFileSync(hub.lockFile, lock.replace('"path": "./src"', '"path": "./evil"'));
  rmSync(folder);
  symlinkSync("../../evil", folder);
  const later = await box.open();
  await expect(later.allow("kit", ON)).rejects.toMatchObject({ code: "plugin-changed" });
});

test("other plugins of the lock, and other locks, keep what they may run", async () => {
  const { box, hub } = await installedKit("project");
  await hub.allow("kit", ON);
  const other = { lock: "/elsewhere/skillet.lock", name: "kit", digest: `sha256:${"0".repeat(64)}`, ...ON };
  const file = join(box.home, "allowances.json");
  const kept = JSON.parse(readFileSync(file, "utf8")) as { allowances: readonly object[] };
  writeFileSync(file, JSON.stringify({ ...kept, allowances: [...kept.allowances, other] }));
  await hub.remove({ names: ["kit"], discardEdits: false, dryRun: false });
  expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ allowances: [other] });
});
