import { existsSync, lstatSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { approvalPath, auditPath } from "@skillet/core/internal";
import { afterAll, describe, expect, test } from "vitest";
import { GitFixture, gitMissing } from "../sources/git/testing/git-fixture.ts";
import {
  BODIES,
  type HubSandbox,
  hubSandbox,
  person,
  skillText,
  wanted,
  writeFiles,
} from "../testing/hub-sandbox.ts";

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

describe.skipIf(NO_GIT)("updates", () => {
  const start = async (files: Readonly<Record<string, string>>) => {
    const box = hubSandbox();
    const repo = repository();
    repo.commit(files);
    const hub = await box.open();
    await hub.apply(await hub.planInstall(wanted(`git:${repo.url}`, { all: true })));
    return { box, repo, hub };
  };

  test("a newer version that can do no more is taken; the old one stays for going back", async () => {
    const { box, repo, hub } = await start({ "skills/x/SKILL.md": skillText("x", "One.") });
    for (const body of ["Two.", "Three."]) {
      repo.commit({ "skills/x/SKILL.md": skillText("x", body) });
      expect(await hub.outdated([])).toMatchObject([{ name: "x", state: "outdated" }]);
      expect(outcomes(await hub.apply(await hub.planUpdate({ names: [], force: false })))).toEqual([
        "x updated",
      ]);
    }
    const back = async () => hub.apply(await hub.planRollback({ name: "x", force: false }));
    expect(outcomes(await back())).toEqual(["x rolled-back"]);
    expect(placed(box, "x")).toContain("Two.");
    await back();
    expect(placed(box, "x")).toContain("One.");
    await expect(back()).rejects.toMatchObject({ code: "no-earlier-version" });
    const history = await hub.history("x");
    expect(history.map(({ action }) => action)).toEqual([
      "install",
      "update",
      "update",
      "rollback",
      "rollback",
    ]);
    await hub.apply(await hub.planRollback({ name: "x", to: history[2]?.digest ?? "", force: false }));
    expect(placed(box, "x")).toContain("Three.");
  });

  test("going back stays within this installation, also where the same files came from elsewhere before", async () => {
    const { box, repo, hub } = await start({ "skills/y/SKILL.md": skillText("y") });
    writeFiles(box.folder, { "mine/x/SKILL.md": skillText("x", "One.") });
    await hub.apply(await hub.planInstall(wanted(join(box.folder, "mine/x"))));
    await hub.remove({ names: ["x"], discardEdits: false, dryRun: false });
    repo.commit({ "skills/x/SKILL.md": skillText("x", "One.") });
    await hub.apply(await hub.planInstall(wanted(`git:${repo.url}`, { names: ["x"] })));
    await expect(hub.planRollback({ name: "x", force: false })).rejects.toMatchObject({
      code: "no-earlier-version",
    });
    const moved = repo.commit({ "README.md": "news" });
    await hub.apply(await hub.planUpdate({ names: ["x"], force: false }));
    repo.commit({ "skills/x/SKILL.md": skillText("x", "Two.") });
    await hub.apply(await hub.planUpdate({ names: ["x"], force: false }));
    const plan = await hub.planRollback({ name: "x", force: false });
    expect(plan.items).toMatchObject([{ entry: { resolved: { kind: "git", commit: moved } } }]);
    await hub.apply(plan);
    expect((await hub.list()).skills.get("x")?.source).toContain("git");
    expect(audited(box).at(-1)).toMatchObject({
      action: "rollback",
      resolved: expect.stringContaining(moved),
    });
  });

  test("an installation that replaces nothing begins anew, also where the lock was deleted by hand", async () => {
    const { box, repo, hub } = await start({ "skills/x/SKILL.md": skillText("x", "One.") });
    rmSync(join(box.project, "skillet.lock"));
    rmSync(join(box.project, ".agents"), { recursive: true });
    repo.commit({ "skills/x/SKILL.md": skillText("x", "Two.") });
    await hub.apply(await hub.planInstall(wanted(`git:${repo.url}`)));
    const digest = (await hub.history("x"))[0]?.digest ?? "";
    for (const to of [{}, { to: digest }])
      await expect(hub.planRollback({ name: "x", force: false, ...to })).rejects.toMatchObject({
        code: "no-earlier-version",
        message: expect.stringContaining("skillet history x --project"),
      });
  });

  test("outdated changes no byte anywhere, and other skills' commits are not news", async () => {
    const { box, repo, hub } = await start({
      "skills/x/SKILL.md": skillText("x"),
      "skills/y/SKILL.md": skillText("y"),
    });
    repo.commit({ "skills/x/SKILL.md": skillText("x", "Two.") });
    const before = [everything(box.project), readFileSync(auditPath(box.home), "utf8")];
    const standings = await hub.outdated([]);
    expect(standings.map(({ name, state }) => `${name} ${state}`)).toEqual(["x outdated", "y current"]);
    expect([everything(box.project), readFileSync(auditPath(box.home), "utf8")]).toEqual(before);
  });

  test("an update that changes no file of a skill moves its pin and nothing else", async () => {
    const { repo, hub } = await start({ "skills/x/SKILL.md": skillText("x") });
    const commit = repo.commit({ "README.md": "news" });
    expect(outcomes(await hub.apply(await hub.planUpdate({ names: [], force: false })))).toEqual([
      "x unchanged",
    ]);
    expect((await hub.list()).skills.get("x")?.resolved).toMatchObject({ commit });
    expect((await hub.history("x")).map(({ action }) => action)).toEqual(["install", "update"]);
  });

  test("a version that can do more asks again: no one there, a no, a yes, and a yes beforehand", async () => {
    const { box, repo, hub } = await start({ "skills/x/SKILL.md": skillText("x") });
    repo.commit({ "skills/x/SKILL.md": skillText("x", "```sh\ncurl https://api.example.com/v1\n```") });
    const plan = await hub.planUpdate({ names: [], force: false });
    expect(plan.items[0]?.installed?.changes.gained.map(({ text }) => text)).toContain(
      "contacts api.example.com",
    );
    expect(outcomes(await hub.apply(plan))).toEqual(["x declined"]);
    expect(audited(box).at(-1)).toMatchObject({ decision: "deny" });
    const refusing = await box.open({ ask: person("no").ask });
    expect(outcomes(await refusing.apply(plan))).toEqual(["x declined"]);
    expect(placed(box, "x")).toBe(skillText("x"));
    const willing = await box.open({ ask: person("yes").ask });
    expect(outcomes(await willing.apply(plan))).toEqual(["x updated"]);
    repo.commit({ "skills/x/SKILL.md": skillText("x", "```sh\ncurl https://b.example.com/v1\n```") });
    const next = await hub.planUpdate({ names: [], force: false });
    expect(outcomes(await hub.apply(next, { acceptCapabilities: true }))).toEqual(["x updated"]);
  });

  test("a version that turns dangerous is blocked, and the old one stays", async () => {
    const { box, repo, hub } = await start({ "skills/x/SKILL.md": skillText("x") });
    repo.commit({ "skills/x/SKILL.md": skillText("x", BODIES.dangerous) });
    expect(outcomes(await hub.apply(await hub.planUpdate({ names: [], force: true })))).toEqual([
      "x blocked",
    ]);
    expect(placed(box, "x")).toBe(skillText("x"));
  });

  test("pinned skills stay where they are until the pin is gone", async () => {
    const { repo, hub } = await start({ "skills/x/SKILL.md": skillText("x") });
    await hub.pin("x", "the audit is on");
    repo.commit({ "skills/x/SKILL.md": skillText("x", "Two.") });
    expect(await hub.outdated([])).toMatchObject([{ state: "pinned", reason: "pinned: the audit is on" }]);
    expect((await hub.planUpdate({ names: [], force: true })).items).toEqual([]);
    const named = await hub.planUpdate({ names: ["x"], force: true });
    expect(named.refusals).toMatchObject([
      { code: "pinned", reason: expect.stringContaining("the audit is on") },
    ]);
    const installed = await hub.planInstall(wanted(`git:${repo.url}`, { force: true }));
    expect(installed.refusals).toMatchObject([{ code: "pinned" }]);
    await hub.unpin("x");
    expect((await hub.planUpdate({ names: ["x"], force: false })).items).toMatchObject([
      { action: "update" },
    ]);
  });

  test("a source that is gone is named, and nothing else is updated with it", async () => {
    const { repo, hub } = await start({ "skills/x/SKILL.md": skillText("x") });
    rmSync(repo.directory, { recursive: true });
    expect(await hub.outdated([])).toMatchObject([{ state: "unavailable" }]);
    const plan = await hub.planUpdate({ names: [], force: false });
    expect(plan.refusals).toMatchObject([
      { code: "unavailable", reason: expect.stringContaining("x cannot be updated") },
    ]);
    expect(outcomes(await hub.apply(plan))).toEqual(["x refused"]);
  });

  test("another ref of the same source replaces it; edits are kept unless they are given up", async () => {
    const { box, repo, hub } = await start({ "skills/x/SKILL.md": skillText("x") });
    repo.git(["tag", "v1"]);
    repo.commit({ "skills/x/SKILL.md": skillText("x", "Two.") });
    writeFileSync(join(box.project, ".agents/skills/x/SKILL.md"), skillText("x", "Mine."));
    const plan = await hub.planUpdate({ names: [], force: false });
    expect(plan.items[0]?.installed?.drift).toMatchObject([{ file: "SKILL.md", kind: "changed" }]);
    await expect(hub.apply(plan)).rejects.toMatchObject({ code: expect.stringMatching(/edit/) });
    expect(placed(box, "x")).toContain("Mine.");
    expect(outcomes(await hub.apply(plan, { discardEdits: true }))).toEqual(["x updated"]);
    const older = await hub.planInstall(wanted(`git:${repo.url}`, { ref: "v1" }));
    expect(outcomes(await hub.apply(older))).toEqual(["x updated"]);
    expect(placed(box, "x")).toBe(skillText("x"));
  });
});

describe.skipIf(NO_GIT)("installs from the lock", () => {
  test("need no source where the bytes are kept, and the source where they are not", async () => {
    const box = hubSandbox();
    const repo = repository();
    repo.commit({ "skills/x/SKILL.md": skillText("x") });
    const hub = await box.open();
    await hub.apply(await hub.planInstall(wanted(repo.url)));
    repo.commit({ "skills/x/SKILL.md": skillText("x", "Newer.") });
    rmSync(join(box.project, ".agents"), { recursive: true });
    rmSync(join(box.home, "store"), { recursive: true });
    const restore = async () => hub.apply(await hub.planRestore({ names: [], force: false }));
    expect(outcomes(await restore())).toEqual(["x restored"]);
    expect(placed(box, "x")).toBe(skillText("x"));
    expect(outcomes(await restore())).toEqual(["x unchanged"]);
    rmSync(repo.directory, { recursive: true });
    rmSync(join(box.project, ".agents"), { recursive: true });
    expect(outcomes(await restore())).toEqual(["x restored"]);
    rmSync(join(box.home, "store"), { recursive: true });
    expect(outcomes(await restore())).toEqual(["x unchanged"]);
    rmSync(join(box.project, ".agents"), { recursive: true });
    expect(await restore()).toMatchObject([
      { outcome: "refused", reason: expect.stringContaining("Cannot restore x from the lock") },
    ]);
  });

  test("a lock that lies about whose bytes they are does not make them a friend's", async () => {
    const box = hubSandbox();
    const repo = repository();
    repo.commit({ "skills/x/SKILL.md": skillText("x", BODIES.caution) });
    const hub = await box.open();
    await hub.apply(await hub.planInstall(wanted(repo.url, { force: true })));
    const file = join(box.project, "skillet.lock");
    writeFileSync(
      file,
      readFileSync(file, "utf8").replace(/"git:?[^"]*file:[^"]*"|"file:[^"]*"/g, (text) =>
        text.startsWith('"file:') ? '"https://127.0.0.1:1/openai/skills"' : '"openai/skills@x"',
      ),
    );
    const lying = readFileSync(file, "utf8").replaceAll("https://127.0.0.1:1/", "https://github.com/");
    writeFileSync(file, lying);
    rmSync(join(box.project, ".agents"), { recursive: true });
    rmSync(approvalPath(box.home));
    const offline = await box.open({
      limits: { deadlineMs: 4_000, idleMs: 2_000 },
      environment: { PATH: "" },
    });
    const plan = await offline.planRestore({ names: [], force: false });
    expect(plan.failed).toMatchObject([{ code: "blocked", judged: { origin: "community" } }]);
  });

  test("local folders of a project are not the user's own by a lock's word", async () => {
    const box = hubSandbox();
    writeFiles(box.project, { "vendor/x/SKILL.md": skillText("x", BODIES.caution) });
    const hub = await box.open();
    await hub.apply(await hub.planInstall(wanted("./vendor/x")));
    rmSync(box.home, { recursive: true });
    rmSync(join(box.project, ".agents"), { recursive: true });
    const stranger = await box.open();
    const plan = await stranger.planRestore({ names: [], force: false });
    expect(plan.failed).toMatchObject([{ code: "blocked", judged: { origin: "community" } }]);
  });
});
