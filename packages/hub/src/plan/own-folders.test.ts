import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  BODIES,
  type HubSandbox,
  hubSandbox,
  person,
  skillText,
  wanted,
  writeFiles,
} from "../testing/hub-sandbox.ts";

const outcomes = (results: readonly { readonly name: string; readonly outcome: string }[]) =>
  results.map(({ name, outcome }) => `${name} ${outcome}`);

type LockText = { readonly skills: Record<string, Record<string, unknown>> };

/** A machine onto which somebody else's project was cloned: a lock, and a folder that it calls its source. */
async function clonedProject(
  body: string,
  edit: (entry: Record<string, unknown>) => void = () => undefined,
): Promise<HubSandbox> {
  const theirs = hubSandbox();
  writeFiles(theirs.project, { "vendor/x/SKILL.md": skillText("x", body) });
  const hub = await theirs.open({ ask: person("yes").ask });
  await hub.apply(await hub.planInstall(wanted("./vendor/x")));
  const lock = JSON.parse(readFileSync(hub.lockFile, "utf8")) as LockText;
  edit(lock.skills.x ?? {});
  const box = hubSandbox();
  cpSync(join(theirs.project, "vendor"), join(box.project, "vendor"), { recursive: true });
  writeFileSync(join(box.project, "skillet.lock"), `${JSON.stringify(lock, null, 2)}\n`);
  return box;
}

describe("a lock that came with a repository does not make its folders the user's own", () => {
  test.each([false, true])("when it is restored or updated, also with force %s", async (force) => {
    const box = await clonedProject(force ? BODIES.dangerous : BODIES.caution);
    const hub = await box.open();
    const restored = await hub.apply(await hub.planRestore({ names: [], force }));
    expect(outcomes(restored)).toEqual(["x blocked"]);
    const plan = await hub.planUpdate({ names: [], force });
    expect(outcomes(await hub.apply(plan, { acceptCapabilities: true }))).toEqual(["x blocked"]);
  });

  test("and an update of it leaves nothing that a later restore or update believes", async () => {
    const box = await clonedProject(BODIES.safe);
    const hub = await box.open();
    await hub.apply(await hub.planRestore({ names: [], force: false }));
    writeFiles(box.project, { "vendor/x/SKILL.md": skillText("x", "Add them twice.") });
    const plan = await hub.planUpdate({ names: [], force: false });
    expect(plan.items).toMatchObject([{ action: "update", origin: "community" }]);
    expect(outcomes(await hub.apply(plan))).toEqual(["x updated"]);
    writeFiles(box.project, { "vendor/x/SKILL.md": skillText("x", BODIES.caution) });
    const later = await hub.planUpdate({ names: [], force: false });
    expect(later.refusals).toMatchObject([{ name: "x", code: "blocked" }]);
  });

  test("nor do bytes that are the user's own elsewhere, once they are restored from it", async () => {
    const box = await clonedProject(BODIES.caution);
    writeFiles(box.folder, { "mine/x/SKILL.md": skillText("x", BODIES.caution) });
    const user = await box.openUser({ ask: person("yes").ask });
    await user.apply(await user.planInstall(wanted(join(box.folder, "mine/x"))));
    const hub = await box.open();
    expect(outcomes(await hub.apply(await hub.planRestore({ names: [], force: false })))).toEqual([
      "x restored",
    ]);
    writeFiles(box.project, { "vendor/x/SKILL.md": skillText("x", `${BODIES.caution}\n\nAnd more.`) });
    const plan = await hub.planUpdate({ names: [], force: false });
    expect(plan.refusals).toMatchObject([{ name: "x", code: "blocked" }]);
  });

  test("but what somebody here installed from there stays theirs", async () => {
    const box = hubSandbox();
    writeFiles(box.project, { "vendor/x/SKILL.md": skillText("x") });
    const hub = await box.open();
    await hub.apply(await hub.planInstall(wanted("./vendor/x")));
    writeFiles(box.project, { "vendor/x/SKILL.md": skillText("x", BODIES.caution) });
    const plan = await hub.planUpdate({ names: [], force: false });
    expect(plan.items).toMatchObject([{ name: "x", origin: "local" }]);
  });
});

describe("a project's lock that names a folder outside the project", () => {
  const notes = (folder: string) => join(folder, "notes");
  const outside = async () => {
    const secret = hubSandbox();
    writeFiles(notes(secret.folder), { "SKILL.md": skillText("x", "My diary."), "diary.txt": "secret" });
    const path = notes(secret.folder);
    return clonedProject(BODIES.safe, (entry) =>
      Object.assign(entry, { source: path, resolved: { kind: "local", path }, folder: "" }),
    );
  };

  test("is refused by an update, a restore and a look for news", async () => {
    const box = await outside();
    const hub = await box.open();
    const updated = await hub.planUpdate({ names: [], force: true });
    expect(updated.refusals).toMatchObject([{ name: "x", code: "unavailable" }]);
    const restored = await hub.planRestore({ names: [], force: true });
    expect(restored.refusals).toMatchObject([{ name: "x", code: "unavailable" }]);
    expect(restored.refusals[0]?.reason).toContain("lies outside the project");
    expect(await hub.outdated([])).toMatchObject([{ name: "x", state: "unavailable" }]);
    await hub.apply(updated);
    expect(existsSync(join(box.project, ".agents/skills/x"))).toBe(false);
  });

  test("is refused also where the pin or a repository's address leads out", async () => {
    const secret = hubSandbox();
    for (const edit of [
      { resolved: { kind: "local", path: secret.folder } },
      { source: `file://${secret.folder}/repo` },
      { source: `file://${secret.folder}/%72epo` },
      { source: "./vendor/../../notes" },
    ]) {
      const box = await clonedProject(BODIES.safe, (entry) => Object.assign(entry, edit));
      const hub = await box.open();
      const { refusals } = await hub.planRestore({ names: [], force: false });
      expect([edit, refusals[0]?.reason]).toEqual([edit, expect.stringContaining("outside the project")]);
    }
  });

  test("is followed where somebody here asked for that folder", async () => {
    const box = hubSandbox();
    writeFiles(box.folder, { "shared/x/SKILL.md": skillText("x") });
    const hub = await box.open();
    await hub.apply(await hub.planInstall(wanted(join(box.folder, "shared/x"))));
    writeFiles(box.folder, { "shared/x/SKILL.md": skillText("x", "Do it better.") });
    const plan = await hub.planUpdate({ names: [], force: false });
    expect(plan).toMatchObject({ items: [{ name: "x", action: "update", origin: "local" }], refusals: [] });
    rmSync(join(box.project, ".agents"), { recursive: true });
    expect((await hub.planRestore({ names: [], force: false })).refusals).toEqual([]);
  });
});

describe("a folder of this machine", () => {
  const box = () => {
    const made = hubSandbox();
    writeFiles(made.project, {
      "src/skills/a/SKILL.md": skillText("a", "Do.", 'metadata:\n  requires:\n    skills: ["b"]\n'),
      "src/skills/b/SKILL.md": skillText("b"),
    });
    return made;
  };
  const origins = (plan: { readonly items: readonly { readonly name: string; readonly origin: string }[] }) =>
    plan.items.map(({ name, origin }) => `${name} ${origin}`);

  test("that only a file named is not the user's own, nor is what is needed from there", async () => {
    const hub = await box().open();
    expect(origins(await hub.planInstall(wanted("./src@a")))).toEqual(["a local", "b local"]);
    const plan = await hub.planInstall(wanted("./src@a", { askedBy: "content" }));
    expect(origins(plan)).toEqual(["a community", "b community"]);
  });

  test("that lies where nobody trusts what lies there is not the user's own, also later", async () => {
    const made = box();
    const isTrusted = (path: string) => !path.startsWith(made.project);
    const hub = await made.open({ isTrusted });
    const plan = await hub.planInstall(wanted("./src@a"));
    expect(origins(plan)).toEqual(["a community", "b community"]);
    await hub.apply(plan);
    writeFiles(made.project, { "src/skills/b/SKILL.md": skillText("b", BODIES.caution) });
    const update = await hub.planUpdate({ names: [], force: false });
    expect(update.refusals).toMatchObject([{ name: "b", code: "blocked" }]);
  });
});
