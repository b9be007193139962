import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bundleSource } from "../../../kit/src/testing/bundle-source.ts";
import type { Hub } from "../open-hub.ts";
import { runChild } from "../place/testing/run-child.ts";
import { type HubSandbox, hubSandbox, skillText, wanted, writeFiles } from "../testing/hub-sandbox.ts";
import { temporaryDirectory } from "../testing/temporary-directory.ts";
import type { CleanTask } from "./testing/clean-child.ts";

const AGENT = { agents: ["claude-code"] };

/** A user with one skill at its second version, one that was removed, and skills of their own beside both. */
async function usedMachine(): Promise<HubSandbox> {
  const machine = hubSandbox();
  const { folder, home, userHome } = machine;
  const hub = await machine.openUser();
  const put = async (name: string, body: string): Promise<void> => {
    writeFiles(folder, { [`source/${name}/SKILL.md`]: skillText(name, body) });
    await hub.apply(await hub.planInstall(wanted(join(folder, "source"), { ...AGENT, names: [name] })));
  };
  await put("kept", "One.");
  await put("kept", "Two.");
  await put("gone", "Send it away.");
  await hub.remove({ names: ["gone"], discardEdits: false, dryRun: false });
  writeFiles(home, { "skills/mine/SKILL.md": skillText("mine"), "cache/index": "x", "notes.txt": "mine" });
  writeFiles(userHome, { ".claude/skills/own/SKILL.md": skillText("own") });
  return machine;
}

const ownFiles = ({ home, userHome }: HubSandbox): readonly string[] =>
  [join(home, "skills/mine/SKILL.md"), join(userHome, ".claude/skills/own/SKILL.md")].map((file) =>
    readFileSync(file, "utf8"),
  );
const OWN_FILES = [skillText("mine"), skillText("own")];
const trees = ({ home }: HubSandbox): number =>
  readdirSync(join(home, "store")).filter((name) => name.endsWith(".tree")).length;
const prune = async (hub: Hub, all = false): Promise<void> =>
  hub.removeLeftovers(await hub.findUnneeded({ all }));
const reachable = async (hub: Hub): Promise<number> =>
  (await hub.history("kept")).filter((version) => version.reachable === true).length;

describe("pruning", () => {
  test("takes the trees of removed skills and the cache, and keeps what a rollback needs unless all is to go", async () => {
    const machine = await usedMachine();
    expect(trees(machine)).toBe(3);
    const hub = await machine.openUser();
    await prune(hub);
    expect([trees(machine), await reachable(hub), readdirSync(join(machine.home, "cache"))]).toEqual([
      2,
      2,
      [],
    ]);
    await prune(hub, true);
    expect([trees(machine), (await hub.verify([])).map(({ drift }) => drift)]).toEqual([1, [[]]]);
    expect(await hub.findUnneeded({ all: true })).toEqual([]);
    expect(ownFiles(machine)).toEqual(OWN_FILES);
  });

  test("keeps what another lock of this machine holds, also where that lock cannot be read", async () => {
    const machine = await usedMachine();
    const project = await machine.open();
    writeFiles(machine.folder, { "source/team/SKILL.md": skillText("team") });
    await project.apply(
      await project.planInstall(wanted(join(machine.folder, "source"), { names: ["team"] })),
    );
    const hub = await machine.openUser();
    await prune(hub, true);
    expect(trees(machine)).toBe(2);
    writeFiles(machine.project, { "skillet.lock": "<<<<<<< ours\n" });
    await prune(hub, true);
    expect(trees(machine)).toBe(2);
    rmSync(join(machine.project, "skillet.lock"));
    await prune(hub, true);
    expect(trees(machine)).toBe(1);
  });

  test.each(["store", "cache", "removed"])("does not follow a link in the place of %s", async (name) => {
    const machine = await usedMachine();
    const elsewhere = temporaryDirectory();
    writeFiles(elsewhere, { [`${"a".repeat(64)}.tree`]: "theirs", "x/SKILL.md": "theirs" });
    rmSync(join(machine.home, name), { recursive: true, force: true });
    symlinkSync(elsewhere, join(machine.home, name));
    const hub = await machine.openUser();
    await expect(hub.findUnneeded({ all: true })).rejects.toMatchObject({ code: "target-refused" });
    expect(readdirSync(elsewhere)).toHaveLength(2);
  });

  test("takes a link in the cache away, and not what it leads to", async () => {
    const machine = await usedMachine();
    const elsewhere = temporaryDirectory();
    writeFiles(elsewhere, { "SKILL.md": "theirs" });
    symlinkSync(elsewhere, join(machine.home, "cache/link"));
    await prune(await machine.openUser());
    expect(readdirSync(join(machine.home, "cache"))).toEqual([]);
    expect(readdirSync(elsewhere)).toEqual(["SKILL.md"]);
  });
});

describe("uninstalling", () => {
  test("takes away every link and folder that Skillet made, and leaves what is the user's", async () => {
    const machine = await usedMachine();
    const { home, userHome } = machine;
    const hub = await machine.openUser();
    const plan = await hub.planUninstall();
    expect(plan.installed.map(({ name }) => name)).toEqual(["kept"]);
    expect([...plan.kept].sort()).toEqual([join(home, "notes.txt"), join(home, "skills")]);
    await hub.uninstall(plan, { discardEdits: false });
    expect(readdirSync(home).sort()).toEqual(["notes.txt", "skills"]);
    expect(readdirSync(join(userHome, ".claude/skills"))).toEqual(["own"]);
    expect(ownFiles(machine)).toEqual(OWN_FILES);
  });

  test("keeps a plugin that was put into the folder by hand", async () => {
    const machine = await usedMachine();
    writeFiles(machine.home, { "plugins/byhand/SKILL.md": skillText("byhand") });
    const hub = await machine.openUser();
    await hub.uninstall(await hub.planUninstall(), { discardEdits: false });
    expect(readdirSync(join(machine.home, "plugins"))).toEqual(["byhand"]);
  });

  test("takes no lock of other programs, nor a folder that is called like one, and lists all that goes", async () => {
    const machine = await usedMachine();
    const { home } = machine;
    writeFiles(home, {
      "Cargo.lock": "theirs",
      "notes.tmp": "theirs",
      ".skillet-0123456789abcdef.tmp": "ours",
      [`audit.jsonl.lock.${"0".repeat(32)}.tmp`]: "ours",
      "config.yaml.lock/notes.txt": "theirs",
      "trust.json.lock": "{}",
      "agent-made.json": "{}",
      "agent-made.json.lock": "{}",
      ".pruned-0123456789abcdef/SKILL.md": "ours",
    });
    const before = readdirSync(home);
    const hub = await machine.openUser();
    const plan = await hub.planUninstall();
    await hub.uninstall(plan, { discardEdits: false });
    const left = readdirSync(home).sort();
    expect(left).toEqual(["Cargo.lock", "config.yaml.lock", "notes.tmp", "notes.txt", "skills"]);
    const listed = [...plan.leftovers.map(({ path }) => path), join(home, "plugins")];
    expect(listed.sort()).toEqual(
      before
        .filter((name) => !left.includes(name))
        .map((name) => join(home, name))
        .sort(),
    );
  });

  test.each([
    ["holds a repository", "audit.jsonl", ".git/HEAD"],
    ["has no mark of Skillet", "store/build.js", "tools/build.js"],
  ])("removes nothing where the folder %s, as a project that is named as its home", async (_, ...files) => {
    const machine = hubSandbox();
    rmSync(machine.home, { recursive: true, force: true });
    for (const file of files) writeFiles(machine.home, { [file]: "" });
    const hub = await machine.openUser();
    await expect(hub.planUninstall()).rejects.toMatchObject({ code: "target-refused" });
  });

  test("removes nothing at all where an installed skill was edited", async () => {
    const machine = await usedMachine();
    writeFiles(machine.home, { "plugins/kept/SKILL.md": "edited" });
    const before = readdirSync(machine.home).sort();
    const hub = await machine.openUser();
    const plan = await hub.planUninstall();
    await expect(hub.uninstall(plan, { discardEdits: false })).rejects.toMatchObject({ code: "edited" });
    expect(readdirSync(machine.home).sort()).toEqual(before);
  });
});

describe("a process that is killed", () => {
  let programs: string;
  let program: string;
  beforeAll(async () => {
    programs = mkdtempSync(join(tmpdir(), "skillet-clean-"));
    [program] = await bundleSource(join(programs, "out"), "hub/src/apply/testing/clean-child.ts");
  });
  afterAll(() => rmSync(programs, { recursive: true, force: true }));

  test.each(["prune", "uninstall"] as const)(
    "at every stage of %s loses nothing, and the next one finishes it",
    async (what) => {
      const machine = await usedMachine();
      const { folder } = machine;
      // A journal and links name their places, so it is put back where it was.
      const prepared = join(temporaryDirectory(), "prepared");
      cpSync(folder, prepared, { recursive: true, verbatimSymlinks: true });
      const start = async (dieAt?: string) => {
        const task: CleanTask = { folder, what, ...(dieAt !== undefined && { dieAt }) };
        return runChild(program, task as never);
      };
      const { lines } = await start();
      // Those of the lock's own transaction are tested where that is.
      const stages = lines.filter((stage) => /^(?:renamed|removed|skills|committed|swapped 1)/.test(stage));
      expect(stages).toContain("removed 1");
      for (const stage of stages) {
        for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true });
        cpSync(prepared, folder, { recursive: true, verbatimSymlinks: true });
        const { signal } = await start(stage);
        expect([stage, signal]).toEqual([stage, "SIGKILL"]);
        expect([stage, ownFiles(machine)]).toEqual([stage, OWN_FILES]);
        const hub = await machine.openUser();
        // What the lock still lists is whole.
        expect([stage, (await hub.verify([])).flatMap(({ drift }) => drift)]).toEqual([stage, []]);
        if (what === "prune") expect([stage, await reachable(hub)]).toEqual([stage, 2]);
        await start();
        if (what === "prune") expect([stage, trees(machine)]).toEqual([stage, 2]);
        else expect([stage, readdirSync(machine.home).sort()]).toEqual([stage, ["notes.txt", "skills"]]);
        expect([stage, ownFiles(machine)]).toEqual([stage, OWN_FILES]);
      }
    },
  );
});
