import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { GitFixture, gitMissing } from "../sources/git/testing/git-fixture.ts";
import { GitHttpServer, httpBackendMissing } from "../sources/git/testing/git-http-server.ts";
import { serveFiles } from "../sources/http/testing/serve.ts";
import { hubSandbox, skillText, wanted } from "../testing/hub-sandbox.ts";

const missing = gitMissing() ?? httpBackendMissing();
if (missing !== undefined) console.warn(`Who may name a server is not tested: ${missing}.`);

const git = new GitFixture();
let server: GitHttpServer;
beforeAll(async () => {
  server = await GitHttpServer.start(git.root);
});
afterAll(async () => {
  await server.stop();
  git.remove();
});

describe.skipIf(missing !== undefined)("a server of this machine", () => {
  test("is not asked because a skill needs something of it", async () => {
    const inner = await serveFiles({});
    const repository = git.repository("needs");
    const needs = `metadata:\n  requires:\n    skills: ["git:${inner.origin}/admin/x"]\n`;
    repository.commit({ "SKILL.md": skillText("needs", "Do it.", needs) });
    const hub = await hubSandbox().open();
    for (const source of [repository.url, `git:${server.url("needs/.git")}`]) {
      const { items, diagnostics } = await hub.planInstall(wanted(source));
      expect(items.map(({ name }) => name)).toEqual(["needs"]);
      expect(diagnostics.map(({ code }) => code)).toContain("dependency-unavailable");
    }
    expect(inner.asked).toEqual([]);
  });

  test("is not asked because a marketplace lists something of it", async () => {
    const inner = await serveFiles({});
    const repository = git.repository("market");
    const source = { source: "url", url: `${inner.origin}/admin/x` };
    repository.commit({
      ".claude-plugin/marketplace.json": JSON.stringify({ name: "m", plugins: [{ name: "p", source }] }),
    });
    const hub = await hubSandbox().open();
    await expect(hub.planInstall(wanted(repository.url, { names: ["p"] }))).rejects.toMatchObject({
      code: "git-protocol-refused",
    });
    expect(inner.asked).toEqual([]);
  });

  test("is not asked because a project's lock names it", async () => {
    const inner = await serveFiles({});
    const repository = git.repository("locked");
    repository.commit({ "SKILL.md": skillText("locked") });
    const box = hubSandbox();
    const hub = await box.open();
    await hub.apply(await hub.planInstall(wanted(repository.url)));
    const lock = readFileSync(hub.lockFile, "utf8").replaceAll(repository.url, `${inner.origin}/x.git`);
    writeFileSync(hub.lockFile, lock);
    for (const folder of [join(box.project, ".agents"), join(box.home, "store")])
      rmSync(folder, { recursive: true });
    const all = { names: [], force: false };
    expect(await hub.planRestore(all)).toMatchObject({ items: [], refusals: [{ code: "unavailable" }] });
    expect(await hub.planUpdate(all)).toMatchObject({ items: [], refusals: [{ code: "unavailable" }] });
    expect(await hub.outdated([])).toMatchObject([{ state: "unavailable" }]);
    expect(inner.asked).toEqual([]);
  });

  test("is asked where a person names it, also for what lies beside, and again for what they installed for themselves", async () => {
    const repository = git.repository("own");
    const needs = "metadata:\n  requires:\n    skills: [beside]\n";
    repository.commit({
      "skills/own/SKILL.md": skillText("own", "Do it.", needs),
      "skills/beside/SKILL.md": skillText("beside"),
    });
    const source = `git:${server.url("own/.git")}//skills/own`;
    const box = hubSandbox();
    for (const hub of [await box.open(), await box.openUser()]) {
      const { items } = await hub.planInstall(wanted(source));
      expect(items.map(({ name }) => name)).toEqual(["beside", "own"]);
    }
    const hub = await box.openUser();
    await hub.apply(await hub.planInstall(wanted(source)));
    expect(await hub.outdated(["own"])).toMatchObject([{ state: "current" }]);
    expect((await hub.planUpdate({ names: ["own"], force: false })).refusals).toEqual([]);
  });

  test("is not asked again for news of what only a file named", async () => {
    const repository = git.repository("imported");
    repository.commit({ "SKILL.md": skillText("imported") });
    const box = hubSandbox();
    const first = await box.openUser({ allowedPrivateHosts: [`127.0.0.1:${server.port}`] });
    const source = `git:${server.url("imported/.git")}`;
    await first.apply(await first.planInstall(wanted(source, { askedBy: "content" })));
    const hub = await box.openUser();
    expect(await hub.outdated([])).toMatchObject([{ state: "unavailable" }]);
    expect((await hub.planUpdate({ names: [], force: false })).refusals).toMatchObject([
      { code: "unavailable" },
    ]);
    await hub.apply(await hub.planInstall(wanted(source)));
    expect(await hub.outdated([])).toMatchObject([{ state: "current" }]);
  });

  test("is asked for a project's lock where its host is allowed", async () => {
    const repository = git.repository("team");
    repository.commit({ "SKILL.md": skillText("team") });
    const box = hubSandbox();
    const first = await box.open();
    await first.apply(await first.planInstall(wanted(`git:${server.url("team/.git")}`)));
    expect(await first.outdated([])).toMatchObject([{ state: "unavailable" }]);
    const hub = await box.open({ allowedPrivateHosts: [`127.0.0.1:${server.port}`] });
    expect(await hub.outdated([])).toMatchObject([{ state: "current" }]);
  });
});
