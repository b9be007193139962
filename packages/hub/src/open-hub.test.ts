import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { join } from "node:path";
import { auditPath, readApprovals } from "@skillet/core/internal";
import { afterAll, describe, expect, test } from "vitest";
import { GitFixture, gitMissing } from "./sources/git/testing/git-fixture.ts";
import {
  BODIES,
  type HubSandbox,
  hubSandbox,
  person,
  skillText,
  wanted,
  writeFiles,
} from "./testing/hub-sandbox.ts";

const git = new GitFixture();
afterAll(() => git.remove());
let repositories = 0;
const repository = () => git.repository(`r${++repositories}`);
const NO_GIT = gitMissing() !== undefined;

const outcomes = (results: readonly { readonly name: string; readonly outcome: string }[]) =>
  results.map(({ name, outcome }) => `${name} ${outcome}`);
const audited = ({ home }: HubSandbox): readonly Record<string, unknown>[] =>
  existsSync(auditPath(home))
    ? readFileSync(auditPath(home), "utf8")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as Record<string, unknown>)
    : [];
const placed = ({ project }: HubSandbox, name: string, file = "SKILL.md"): string =>
  readFileSync(join(project, ".agents/skills", name, file), "utf8");
/** Every path and byte of a folder, to show that nothing changed. */
const everything = (folder: string): unknown =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .sort()
    .map((path) => [
      path,
      lstatSync(join(folder, path)).isFile() ? readFileSync(join(folder, path), "utf8") : "",
    ]);

describe.skipIf(NO_GIT)("every cell of the table, for what comes from a stranger", () => {
  test.each<[keyof typeof BODIES, string, string]>([
    ["safe", "installed", "installed"],
    ["caution", "blocked", "installed"],
    ["dangerous", "blocked", "blocked"],
  ])("%s is %s, and with force %s", async (verdict, plain, forced) => {
    const box = hubSandbox();
    const repo = repository();
    repo.commit({ "x/SKILL.md": skillText("x", BODIES[verdict]) });
    const hub = await box.open();
    const first = await hub.apply(await hub.planInstall(wanted(repo.url)));
    expect(outcomes(first)).toEqual([`x ${plain}`]);
    expect(existsSync(join(box.project, ".agents/skills/x"))).toBe(plain === "installed");
    expect(audited(box).at(-1)).toMatchObject({
      skill: "x",
      decision: plain === "installed" ? "allow" : "deny",
      verdict,
    });
    if (plain === "installed") return;
    const second = await hub.apply(await hub.planInstall(wanted(repo.url, { force: true })));
    expect(outcomes(second)).toEqual([`x ${forced}`]);
    expect((await hub.list()).skills.size).toBe(forced === "installed" ? 1 : 0);
    if (forced === "installed") {
      expect(audited(box).find(({ action }) => action === "install")).toMatchObject({ forced: true });
      expect([...readApprovals(box.home).approvals.values()]).toMatchObject([{ skill: "x", forced: true }]);
    }
  });
});

describe("every cell of the table, for folders of this machine", () => {
  test.each<[keyof typeof BODIES, string | undefined, string]>([
    ["safe", undefined, "installed"],
    ["caution", undefined, "installed"],
    ["dangerous", undefined, "declined"],
    ["dangerous", "no", "declined"],
    ["dangerous", "perhaps", "declined"],
    ["dangerous", "yes", "installed"],
  ])("%s and someone who says %s: %s", async (verdict, choice, outcome) => {
    const box = hubSandbox();
    writeFiles(box.project, { "src/x/SKILL.md": skillText("x", BODIES[verdict]) });
    const approving = person(choice);
    const hub = await box.open(choice === undefined ? {} : { ask: approving.ask });
    expect(outcomes(await hub.apply(await hub.planInstall(wanted("./src/x"))))).toEqual([`x ${outcome}`]);
    expect(existsSync(join(box.project, "skillet.lock"))).toBe(outcome === "installed");
    if (choice === "yes") {
      expect(approving.asked).toMatchObject([
        { kind: "install", skill: "x", digest: expect.stringMatching(/^sha256:/) },
      ]);
      const install = audited(box).find(({ action }) => action === "install");
      expect(install).toMatchObject({ decision: "allow", origin: "local" });
      expect(install).not.toHaveProperty("forced");
    }
  });
});

describe("all or nothing", () => {
  test.skipIf(NO_GIT)("one skill that is blocked keeps the others away", async () => {
    const box = hubSandbox();
    const repo = repository();
    repo.commit({
      "skills/bad/SKILL.md": skillText("bad", BODIES.dangerous),
      "skills/good/SKILL.md": skillText("good"),
    });
    const hub = await box.open();
    const results = await hub.apply(await hub.planInstall(wanted(repo.url, { all: true })));
    expect(outcomes(results)).toEqual(["good skipped", "bad blocked"]);
    expect(readdirSync(box.project)).toEqual([]);
  });

  test("one that is declined keeps the others away, and the yes to another is forgotten", async () => {
    const box = hubSandbox();
    writeFiles(box.project, {
      "src/skills/a/SKILL.md": skillText("a", BODIES.dangerous),
      "src/skills/b/SKILL.md": skillText("b"),
    });
    const hub = await box.open({ ask: person("no").ask });
    const results = await hub.apply(await hub.planInstall(wanted("./src", { all: true })));
    expect(outcomes(results)).toEqual(["a declined", "b skipped"]);
    expect(readdirSync(box.project)).toEqual(["src"]);
  });

  test("two skills of one name are refused instead of one being lost", async () => {
    const box = hubSandbox();
    writeFiles(box.project, { "src/a/x/SKILL.md": skillText("x"), "src/b/x/SKILL.md": skillText("x") });
    const hub = await box.open();
    const results = await hub.apply(await hub.planInstall(wanted("./src", { all: true })));
    expect(outcomes(results)).toEqual(["x skipped", "x refused"]);
  });

  test("planning alone changes nothing and records nothing", async () => {
    const box = hubSandbox();
    writeFiles(box.project, { "src/x/SKILL.md": skillText("x") });
    const before = everything(box.project);
    const hub = await box.open();
    await hub.planInstall(wanted("./src/x"));
    expect(everything(box.project)).toEqual(before);
    expect(audited(box)).toEqual([]);
  });
});

describe("names", () => {
  test("a name that another source or another scope has is not taken", async () => {
    const box = hubSandbox();
    writeFiles(box.project, { "one/x/SKILL.md": skillText("x"), "two/x/SKILL.md": skillText("x", "Other.") });
    const hub = await box.open();
    await hub.apply(await hub.planInstall(wanted("./one/x")));
    const { refusals } = await hub.planInstall(wanted("./two/x"));
    expect(refusals).toMatchObject([{ code: "name-taken" }]);
    const other = await box.open({ holders: new Map([["y", "the user skill y"]]) });
    expect((await other.planInstall(wanted("./two/x", { as: "y" }))).refusals).toMatchObject([
      { code: "name-taken" },
    ]);
  });

  test("a skill under another name says so in its manifest, and comes back byte by byte", async () => {
    const box = hubSandbox();
    writeFiles(box.project, { "src/x/SKILL.md": skillText("x") });
    const hub = await box.open();
    await hub.apply(await hub.planInstall(wanted("./src/x", { as: "mine" })));
    expect(placed(box, "mine")).toContain("name: mine");
    const lock = readFileSync(join(box.project, "skillet.lock"), "utf8");
    rmSync(join(box.project, ".agents"), { recursive: true });
    rmSync(join(box.home, "store"), { recursive: true });
    const again = await box.open();
    expect(outcomes(await again.apply(await again.planRestore({ names: [], force: false })))).toEqual([
      "mine restored",
    ]);
    expect(readFileSync(join(box.project, "skillet.lock"), "utf8")).toBe(lock);
    expect(await again.verify([])).toMatchObject([{ drift: [] }]);
  });

  test("a name is given to one skill only", async () => {
    const box = hubSandbox();
    writeFiles(box.project, {
      "src/skills/a/SKILL.md": skillText("a"),
      "src/skills/b/SKILL.md": skillText("b"),
    });
    const hub = await box.open();
    await expect(hub.planInstall(wanted("./src", { all: true, as: "c" }))).rejects.toMatchObject({
      code: "name-needs-one",
    });
    await expect(hub.planInstall(wanted("./src@a", { as: "../c" }))).rejects.toMatchObject({
      code: "name-invalid",
    });
  });
});

describe("targets", () => {
  test("another agent gets it besides those that have it", async () => {
    const box = hubSandbox();
    writeFiles(box.project, { "src/x/SKILL.md": skillText("x") });
    const hub = await box.open();
    await hub.apply(await hub.planInstall(wanted("./src/x", { agents: ["claude-code"] })));
    await hub.apply(await hub.planInstall(wanted("./src/x", { agents: ["crush"] })));
    for (const agent of [".claude", ".crush"])
      expect(readlinkSync(join(box.project, agent, "skills/x"))).toBe("../../.agents/skills/x");
    expect(await hub.verify([])).toMatchObject([{ drift: [] }]);
  });

  test("a folder can be used in place, and is then never outdated or updated", async () => {
    const box = hubSandbox();
    writeFiles(box.project, { "src/x/SKILL.md": skillText("x") });
    const hub = await box.open();
    await hub.apply(await hub.planInstall(wanted("./src/x", { link: true })));
    writeFiles(box.project, { "src/x/SKILL.md": skillText("x", "Newer.") });
    expect(placed(box, "x")).toContain("Newer.");
    expect(await hub.outdated([])).toMatchObject([{ state: "linked" }]);
    expect((await hub.planUpdate({ names: [], force: false })).items).toEqual([]);
    expect(outcomes(await hub.remove({ names: ["x"], discardEdits: false, dryRun: false }))).toEqual([
      "x removed",
    ]);
    expect(existsSync(join(box.project, "src/x/SKILL.md"))).toBe(true);
  });

  test("what was deleted is put back by installing it again", async () => {
    const box = hubSandbox();
    writeFiles(box.project, { "src/x/SKILL.md": skillText("x") });
    const hub = await box.open();
    await hub.apply(await hub.planInstall(wanted("./src/x")));
    rmSync(join(box.project, ".agents"), { recursive: true });
    expect(outcomes(await hub.apply(await hub.planInstall(wanted("./src/x"))))).toEqual(["x restored"]);
    expect(placed(box, "x")).toBe(skillText("x"));
  });

  test("a project's lock names its own folders relative to itself", async () => {
    const box = hubSandbox();
    writeFiles(box.project, { "src/x/SKILL.md": skillText("x") });
    const hub = await box.open({ workspace: join(box.project, "src") });
    await hub.apply(await hub.planInstall(wanted("./x")));
    expect((await hub.list()).skills.get("x")).toMatchObject({
      source: "./src/x@x",
      resolved: { kind: "local", path: "./src/x" },
    });
    expect(await hub.outdated([])).toMatchObject([{ state: "current" }]);
  });
});

describe("removing", () => {
  test("a name that is not installed is an error, and a dry run takes nothing away", async () => {
    const box = hubSandbox();
    writeFiles(box.project, { "src/x/SKILL.md": skillText("x") });
    const hub = await box.open();
    await hub.apply(await hub.planInstall(wanted("./src/x", { agents: ["claude-code"] })));
    await expect(hub.remove({ names: ["y"], discardEdits: false, dryRun: false })).rejects.toMatchObject({
      code: "not-installed",
    });
    await hub.remove({ names: ["x"], discardEdits: false, dryRun: true });
    expect(placed(box, "x")).toBe(skillText("x"));
    await hub.remove({ names: ["x"], discardEdits: false, dryRun: false });
    for (const path of [".agents/skills/x", ".claude/skills/x"])
      expect(existsSync(join(box.project, path))).toBe(false);
    expect((await hub.list()).skills.size).toBe(0);
    expect((await hub.history("x")).map(({ action }) => action)).toEqual(["install", "remove"]);
  });
});

describe("plugins", () => {
  const plugin = (version: string, hook: string) => ({
    "src/.claude-plugin/plugin.json": JSON.stringify({ name: "p", version }),
    "src/hooks/hooks.json": JSON.stringify({ hooks: { Stop: [{ hooks: [{ command: hook }] }] } }),
    "src/hooks/stop.sh": "exit 0\n",
    "src/skills/a/SKILL.md": skillText("a"),
  });

  test("their hooks are listed, stay off until allowed, and go off again when anything of the plugin changes", async () => {
    const box = hubSandbox();
    writeFiles(box.project, plugin("1", "stop.sh"));
    const hub = await box.open({ ask: person("yes").ask });
    const plan = await hub.planInstall(wanted("./src"));
    expect(plan.items[0]?.parts?.hooks).toEqual([{ event: "Stop", command: "stop.sh" }]);
    await hub.apply(plan);
    expect((await hub.list()).skills.get("p")?.allowed).toEqual({ hooks: false, mcpServers: false });
    await hub.allow("p", { hooks: true, mcpServers: false });
    const update = async (files: Record<string, string>) => {
      writeFiles(box.project, files);
      const next = await hub.planUpdate({ names: [], force: false });
      await hub.apply(next);
      return next.items[0]?.installed?.changes.gained.map(({ text }) => text);
    };
    await update({});
    expect((await hub.list()).skills.get("p")?.allowed?.hooks).toBe(true);
    await update(plugin("2", "stop.sh"));
    expect((await hub.list()).skills.get("p")?.allowed?.hooks).toBe(false);
    await hub.allow("p", { hooks: true, mcpServers: false });
    expect(await update(plugin("3", "stop.sh --more"))).toContain("has the hook Stop: stop.sh --more");
    expect((await hub.list()).skills.get("p")?.allowed?.hooks).toBe(false);
    await hub.allow("p", { hooks: true, mcpServers: false });
    await update({ "src/hooks/stop.sh": "exit 1\n" });
    expect((await hub.list()).skills.get("p")?.allowed?.hooks).toBe(false);
  });

  test("a skill has nothing to allow", async () => {
    const box = hubSandbox();
    writeFiles(box.project, { "src/x/SKILL.md": skillText("x") });
    const hub = await box.open();
    await hub.apply(await hub.planInstall(wanted("./src/x")));
    await expect(hub.allow("x", { hooks: true, mcpServers: true })).rejects.toMatchObject({
      code: "nothing-to-allow",
    });
  });

  test("one that only its marketplace describes comes back from its source byte by byte", async () => {
    const box = hubSandbox();
    writeFiles(box.project, {
      "src/.claude-plugin/marketplace.json": JSON.stringify({
        plugins: [
          { name: "one", source: "./", strict: false, skills: ["./skills/a"], hooks: { Stop: "x" } },
          { name: "two", source: "./", strict: false, skills: ["./skills/b"] },
        ],
      }),
      "src/skills/a/SKILL.md": skillText("a"),
      "src/skills/b/SKILL.md": skillText("b"),
    });
    const hub = await box.open();
    await hub.apply(await hub.planInstall(wanted("./src", { names: ["plugin:one"] })));
    expect(existsSync(join(box.project, ".agents/skills/one/skills/b"))).toBe(false);
    rmSync(join(box.project, ".agents"), { recursive: true });
    rmSync(join(box.home, "store"), { recursive: true });
    expect(outcomes(await hub.apply(await hub.planRestore({ names: [], force: false })))).toEqual([
      "one restored",
    ]);
    expect(outcomes(await hub.apply(await hub.planUpdate({ names: [], force: false })))).toEqual([
      "one unchanged",
    ]);
  });
});
