import { cpSync, existsSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { LockEntry } from "../lock/lock-entry.ts";
import {
  BODIES,
  type HubSandbox,
  hubSandbox,
  person,
  skillText,
  wanted,
  writeFiles,
} from "../testing/hub-sandbox.ts";
import { pastDecisions } from "./hub-parts.ts";

const outcomes = (results: readonly { readonly name: string; readonly outcome: string }[]) =>
  results.map(({ name, outcome }) => `${name} ${outcome}`);

type LockText = { readonly skills: Record<string, Record<string, unknown>> };

/** A machine onto which someone else's project was cloned: a lock, and a folder that it calls its source. */
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

  test("but what someone here installed from there stays theirs", async () => {
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
      const [standing] = await hub.outdated([]);
      expect([edit, standing?.reason]).toEqual([edit, expect.stringContaining("outside the project")]);
    }
  });

  // Someone else's project, or one whose owner named its folder himself, in which a pull puts a link for a folder.
  test.each(["lock", "person"])(
    "is refused where a link came there since, no matter who named it: a %s",
    async (by) => {
      const box = await clonedProject(BODIES.safe);
      writeFiles(box.userHome, {
        "private/x/SKILL.md": skillText("x", "My salary is 1."),
        "private/x/notes.txt": "secret",
      });
      const hub = await box.open();
      const all = { names: [], force: false };
      await hub.apply(
        by === "lock" ? await hub.planRestore(all) : await hub.planInstall(wanted("./vendor/x")),
      );
      writeFiles(box.project, { "vendor/x/SKILL.md": skillText("x", "Add them twice.") });
      expect(outcomes(await hub.apply(await hub.planUpdate(all)))).toEqual(["x updated"]);
      renameSync(join(box.project, "vendor"), join(box.project, "old"));
      symlinkSync(join(box.userHome, "private"), join(box.project, "vendor"));
      const plan = await hub.planUpdate(all);
      expect(plan.refusals).toMatchObject([{ name: "x", code: "unavailable" }]);
      expect(plan.refusals[0]?.reason).toContain("leads outside the project");
      await hub.apply(plan);
      expect(existsSync(join(box.project, ".agents/skills/x/notes.txt"))).toBe(false);
    },
  );

  test("is not followed because it was restored and updated, or because a file named it", async () => {
    const box = await clonedProject(BODIES.safe);
    const hub = await box.open();
    const all = { names: [], force: false };
    await hub.apply(await hub.planRestore(all));
    writeFiles(box.project, { "vendor/x/SKILL.md": skillText("x", "Add them twice.") });
    expect(outcomes(await hub.apply(await hub.planUpdate(all)))).toEqual(["x updated"]);
    const { source } = (await hub.list()).skills.get("x") as LockEntry;
    expect(await pastDecisions(box.home).isNamed(hub.lockFile, source)).toBe(false);
    writeFiles(box.folder, { "shared/y/SKILL.md": skillText("y") });
    await hub.apply(await hub.planInstall(wanted(join(box.folder, "shared/y"), { askedBy: "content" })));
    const { refusals } = await hub.planUpdate({ names: ["y"], force: false });
    expect(refusals[0]?.reason).toContain("you did not choose on this machine");
  });

  test("is followed once someone here named it, also where that changed nothing", async () => {
    const box = hubSandbox();
    writeFiles(box.folder, { "shared/x/SKILL.md": skillText("x") });
    const path = join(box.folder, "shared/x");
    const hub = await box.open();
    await hub.apply(await hub.planInstall(wanted(path)));
    rmSync(join(box.home, "audit.jsonl"));
    const all = { names: [], force: false };
    expect((await hub.planUpdate(all)).refusals).toMatchObject([{ code: "unavailable" }]);
    expect(outcomes(await hub.apply(await hub.planInstall(wanted(path))))).toEqual(["x unchanged"]);
    expect(await hub.planUpdate(all)).toMatchObject({ items: [{ origin: "local" }], refusals: [] });
  });

  test("is locked as the place itself where someone named it by a link of the project", async () => {
    const box = hubSandbox();
    writeFiles(box.folder, { "shared/x/SKILL.md": skillText("x") });
    symlinkSync(join(box.folder, "shared"), join(box.project, "vendor"));
    const hub = await box.open();
    const all = { names: [], force: false };
    await hub.apply(await hub.planInstall(wanted("./vendor/x")));
    expect((await hub.list()).skills.get("x")?.source).toBe(`${join(box.folder, "shared/x")}@x`);
    expect((await hub.planUpdate(all)).refusals).toEqual([]);
    expect(outcomes(await hub.apply(await hub.planInstall(wanted("./vendor/x"))))).toEqual(["x unchanged"]);
  });

  test("is followed where someone here asked for that folder", async () => {
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

  test("that lies where no one trusts what lies there is not the user's own, also later", async () => {
    const made = box();
    const untrustedAround = (path: string) => (path.startsWith(made.project) ? made.project : undefined);
    const hub = await made.open({ untrustedAround });
    const plan = await hub.planInstall(wanted("./src@a"));
    expect(origins(plan)).toEqual(["a community", "b community"]);
    await hub.apply(plan);
    writeFiles(made.project, { "src/skills/b/SKILL.md": skillText("b", BODIES.caution) });
    const update = await hub.planUpdate({ names: [], force: false });
    expect(update.refusals).toMatchObject([{ name: "b", code: "blocked" }]);
  });

  test("that only a file named stays so when there is news, and so does what is needed from there", async () => {
    for (const name of ["a", "b"]) {
      const made = box();
      const hub = await made.openUser();
      await hub.apply(await hub.planInstall(wanted("./src@a", { askedBy: "content" })));
      writeFiles(made.project, { [`src/skills/${name}/SKILL.md`]: skillText(name, BODIES.caution) });
      const plan = await hub.planUpdate({ names: [], force: false });
      expect(plan.refusals).toMatchObject([{ name, code: "blocked" }]);
    }
  });

  test("is the user's own once they name it themselves, and a file does not take that back", async () => {
    const made = box();
    const hub = await made.openUser();
    const named = async () => (await hub.list()).skills.get("b")?.askedBy;
    const install = async (askedBy?: "content") =>
      hub.apply(await hub.planInstall(wanted("./src@b", { ...(askedBy && { askedBy }) })));
    await install("content");
    expect(await named()).toBe("content");
    await install();
    expect(await named()).toBeUndefined();
    expect(readFileSync(hub.lockFile, "utf8")).toContain('"origin": "local"');
    await install("content");
    expect(await named()).toBeUndefined();
    expect((await hub.planUpdate({ names: [], force: false })).items).toMatchObject([{ origin: "local" }]);
  });

  test("that someone names is theirs, but no clone below it that no one trusts, nor one within a skill", async () => {
    const made = hubSandbox();
    writeFiles(made.folder, {
      "code/clone/skills/x/SKILL.md": skillText("x", BODIES.caution),
      "code/mine/SKILL.md": skillText("mine", BODIES.caution),
      "code/mixed/SKILL.md": skillText("mixed"),
      "code/mixed/clone/run.md": BODIES.caution,
    });
    const hub = await made.openUser({
      untrustedAround: (path) => (path.includes("/clone") ? path : undefined),
    });
    const plan = (name: string) => hub.planInstall(wanted(join(made.folder, "code"), { names: [name] }));
    expect((await plan("x")).refusals).toMatchObject([{ code: "blocked" }]);
    expect((await plan("mixed")).refusals).toMatchObject([{ code: "blocked" }]);
    expect((await plan("mine")).items).toMatchObject([{ origin: "local" }]);
  });
});
