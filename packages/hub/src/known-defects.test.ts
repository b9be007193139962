import { execFileSync } from "node:child_process";
import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { GitFixture, gitMissing } from "./sources/git/testing/git-fixture.ts";
import { BODIES, hubSandbox, skillText, wanted, writeFiles } from "./testing/hub-sandbox.ts";

const git = new GitFixture();
afterAll(() => git.remove());
const NO_GIT = gitMissing() !== undefined;
const outcomes = (results: readonly { readonly name: string; readonly outcome: string }[]) =>
  results.map(({ name, outcome }) => `${name} ${outcome}`);

describe("defects that were seen in other tools", () => {
  test("an install from the lock fails on changed content, and neither writes it nor changes the lock", async () => {
    const box = hubSandbox();
    writeFiles(box.project, { "src/x/SKILL.md": skillText("x") });
    const hub = await box.open();
    await hub.apply(await hub.planInstall(wanted("./src/x")));
    const lock = readFileSync(hub.lockFile, "utf8");
    const other = hubSandbox();
    writeFiles(other.project, { "skillet.lock": lock, "src/x/SKILL.md": skillText("x", "Changed.") });
    const theirs = await other.open();
    const plan = await theirs.planRestore({ names: [], force: true });
    expect(plan.refusals).toMatchObject([{ code: "frozen-mismatch" }]);
    expect(outcomes(await theirs.apply(plan))).toEqual(["x refused"]);
    expect(readFileSync(theirs.lockFile, "utf8")).toBe(lock);
    expect(await theirs.verify([])).toMatchObject([{ drift: [{ kind: "missing" }] }]);
  });

  test.skipIf(NO_GIT)("looking for news installs none", async () => {
    const box = hubSandbox();
    const repo = git.repository("news");
    repo.commit({ "x/SKILL.md": skillText("x") });
    const hub = await box.open();
    await hub.apply(await hub.planInstall(wanted(repo.url)));
    const lock = readFileSync(hub.lockFile, "utf8");
    repo.commit({ "x/SKILL.md": skillText("x", "Newer.") });
    expect(await hub.outdated([])).toMatchObject([{ state: "outdated" }]);
    expect(readFileSync(hub.lockFile, "utf8")).toBe(lock);
    expect(await hub.verify([])).toMatchObject([{ drift: [] }]);
  });

  test("an edited skill is not reported as up to date", async () => {
    const box = hubSandbox();
    writeFiles(box.project, { "src/x/SKILL.md": skillText("x") });
    const hub = await box.open();
    await hub.apply(await hub.planInstall(wanted("./src/x")));
    writeFileSync(join(box.project, ".agents/skills/x/SKILL.md"), skillText("x", "Edited."));
    expect(await hub.verify([])).toMatchObject([{ drift: [{ file: "SKILL.md", kind: "changed" }] }]);
    const results = await hub.apply(await hub.planUpdate({ names: [], force: false }));
    expect(results).toMatchObject([
      { outcome: "unchanged", reason: expect.stringContaining("was edited: SKILL.md") },
    ]);
    const restored = await hub.apply(await hub.planUpdate({ names: [], force: false }), {
      discardEdits: true,
    });
    expect(outcomes(restored)).toEqual(["x restored"]);
    expect(await hub.verify([])).toMatchObject([{ drift: [] }]);
  });

  test.each(["{", "", "[]", '{"version":99,"skills":{}}', "<<<<<<< ours\n{}\n=======\n{}\n>>>>>>> theirs\n"])(
    "a lock that cannot be read, such as %j, is an error that leaves it as it is",
    async (text) => {
      const box = hubSandbox();
      writeFiles(box.project, { "src/x/SKILL.md": skillText("x"), "skillet.lock": text });
      const attempt = async () => {
        const hub = await box.open();
        await hub.apply(await hub.planInstall(wanted("./src/x")));
      };
      await expect(attempt()).rejects.toMatchObject({ code: expect.stringMatching(/^lock-/) });
      expect(readFileSync(join(box.project, "skillet.lock"), "utf8")).toBe(text);
    },
  );

  test.skipIf(NO_GIT)(
    "a link of a repository to a secret of the installing user copies nothing",
    async () => {
      const box = hubSandbox();
      writeFiles(box.userHome, { ".ssh/id_ed25519": "SECRET" });
      const repo = git.repository("links");
      writeFiles(repo.directory, { "x/SKILL.md": skillText("x") });
      symlinkSync(join(box.userHome, ".ssh/id_ed25519"), join(repo.directory, "x/notes.md"));
      repo.commit({});
      const hub = await box.open();
      const plan = await hub.planInstall(wanted(repo.url, { force: true }));
      expect(plan.refusals).toMatchObject([
        { code: "unfit", reason: expect.stringContaining("notes.md is a link") },
      ]);
      await hub.apply(plan);
      const found = execFileSync("grep", ["-rl", "SECRET", box.folder], { encoding: "utf8" })
        .trim()
        .split("\n");
      expect(found).toEqual([join(box.userHome, ".ssh/id_ed25519")]);
    },
  );

  test("eight installs at once into one lock leave eight skills and eight entries", async () => {
    const box = hubSandbox();
    const names = Array.from({ length: 8 }, (_, index) => `s${index}`);
    for (const name of names) writeFiles(box.project, { [`src/${name}/SKILL.md`]: skillText(name) });
    await Promise.all(
      names.map(async (name) => {
        const hub = await box.open();
        await hub.apply(await hub.planInstall(wanted(`./src/${name}`)));
      }),
    );
    const hub = await box.open();
    expect([...(await hub.list()).skills.keys()]).toEqual(names);
    expect((await hub.verify([])).flatMap(({ drift }) => drift)).toEqual([]);
  });

  test("two different updates of one skill: one wins, and the other one is told", async () => {
    const box = hubSandbox();
    writeFiles(box.project, { "src/x/SKILL.md": skillText("x") });
    const hub = await box.open();
    await hub.apply(await hub.planInstall(wanted("./src/x")));
    writeFiles(box.project, { "src/x/SKILL.md": skillText("x", "Two.") });
    const first = await hub.planUpdate({ names: [], force: false });
    writeFiles(box.project, { "src/x/SKILL.md": skillText("x", "Three.") });
    const second = await hub.planUpdate({ names: [], force: false });
    await hub.apply(second);
    await expect(hub.apply(first)).rejects.toMatchObject({ code: "lock-changed" });
    expect(await hub.verify([])).toMatchObject([{ drift: [] }]);
  });

  test("keys that this version does not know stay in the lock", async () => {
    const box = hubSandbox();
    writeFiles(box.project, { "src/x/SKILL.md": skillText("x"), "src/y/SKILL.md": skillText("y") });
    const hub = await box.open();
    await hub.apply(await hub.planInstall(wanted("./src/x")));
    const text = readFileSync(hub.lockFile, "utf8");
    writeFileSync(hub.lockFile, text.replace('"folder"', '"later": {"a": 1},\n      "folder"'));
    await hub.apply(await hub.planInstall(wanted("./src/y")));
    expect(outcomes(await hub.apply(await hub.planUpdate({ names: ["x"], force: false })))).toEqual([
      "x unchanged",
    ]);
    expect(readFileSync(hub.lockFile, "utf8")).toContain('"later"');
  });

  test.skipIf(NO_GIT)("a yes to everything is none to what the table blocks", async () => {
    const box = hubSandbox();
    const repo = git.repository("blocked");
    repo.commit({ "x/SKILL.md": skillText("x", BODIES.caution) });
    const hub = await box.open({ ask: async () => ({ choice: "yes" }) });
    const results = await hub.apply(await hub.planInstall(wanted(repo.url)), {
      acceptCapabilities: true,
      discardEdits: true,
    });
    expect(outcomes(results)).toEqual(["x blocked"]);
  });

  test("a folder that no one installed is not replaced", async () => {
    const box = hubSandbox();
    writeFiles(box.project, { "src/x/SKILL.md": skillText("x"), ".agents/skills/x/mine.txt": "mine" });
    const hub = await box.open();
    const plan = await hub.planInstall(wanted("./src/x"));
    expect(plan.refusals).toMatchObject([{ name: "x", code: "name-taken" }]);
    expect(outcomes(await hub.apply(plan, { discardEdits: true }))).toEqual(["x refused"]);
    expect(readFileSync(join(box.project, ".agents/skills/x/mine.txt"), "utf8")).toBe("mine");
  });

  test("files that are no text arrive byte by byte", async () => {
    const box = hubSandbox();
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, index) => index));
    writeFiles(box.project, { "src/x/SKILL.md": skillText("x"), "src/x/assets/a.bin": bytes });
    const hub = await box.open();
    await hub.apply(await hub.planInstall(wanted("./src/x")), { acceptCapabilities: true });
    expect(readFileSync(join(box.project, ".agents/skills/x/assets/a.bin"))).toEqual(bytes);
  });
});
