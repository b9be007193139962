import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { GitFixture, gitMissing } from "../sources/git/testing/git-fixture.ts";
import { GitHttpServer, httpBackendMissing } from "../sources/git/testing/git-http-server.ts";
import { serveFiles } from "../sources/http/testing/serve.ts";
import { zipBytes } from "../sources/testing/zip-bytes.ts";
import { BODIES, hubSandbox, person, skillText, wanted, writeFiles } from "../testing/hub-sandbox.ts";
import { planDependencies } from "./plan-dependencies.ts";

const git = new GitFixture();
afterAll(() => git.remove());

const needing = (name: string, needs: readonly string[], body?: string): string =>
  skillText(name, body, `metadata:\n  requires:\n    skills: ${JSON.stringify(needs)}\n`);
const names = (plan: { readonly items: readonly { readonly name: string }[] }) =>
  plan.items.map(({ name }) => name);
const codes = (plan: { readonly diagnostics: readonly { readonly code: string }[] }) =>
  plan.diagnostics.map(({ code }) => code).filter((code) => code.startsWith("dependency"));

describe("skills that a skill needs", () => {
  test("come from the same source, with what they need, and say who brought them", async () => {
    const box = hubSandbox();
    writeFiles(box.project, {
      "src/skills/a/SKILL.md": needing("a", ["b"]),
      "src/skills/b/SKILL.md": needing("b", ["c"]),
      "src/skills/c/SKILL.md": skillText("c"),
    });
    const hub = await box.open();
    const plan = await hub.planInstall(wanted("./src@a"));
    expect(names(plan)).toEqual(["a", "b", "c"]);
    await hub.apply(plan);
    const { skills } = await hub.list();
    expect(skills.get("a")).toMatchObject({ requires: ["b"] });
    expect(skills.get("a")).not.toHaveProperty("requiredBy");
    expect(skills.get("b")).toMatchObject({ requires: ["c"], requiredBy: ["a"] });
    expect(skills.get("c")).toMatchObject({ requiredBy: ["b"] });
    const removed = await hub.remove({ names: ["a"], discardEdits: false, dryRun: false });
    expect(removed[0]?.reason).toContain("skillet remove b --project");
    const needed = await hub.remove({ names: ["c"], discardEdits: false, dryRun: true });
    expect(needed[0]?.reason).toContain("b asked for it");
  });

  test("are left alone where they are, wherever they came from", async () => {
    const box = hubSandbox();
    writeFiles(box.project, {
      "one/a/SKILL.md": needing("a", ["b", "c"]),
      "two/b/SKILL.md": skillText("b"),
    });
    const hub = await box.open({ holders: new Map([["c", "the user skill c"]]) });
    await hub.apply(await hub.planInstall(wanted("./two/b")));
    const plan = await hub.planInstall(wanted("./one/a"));
    expect(names(plan)).toEqual(["a"]);
    expect(codes(plan)).toEqual([]);
  });

  test("that need each other are installed once, and the circle is named", async () => {
    const box = hubSandbox();
    writeFiles(box.project, {
      "src/skills/a/SKILL.md": needing("a", ["b"]),
      "src/skills/b/SKILL.md": needing("b", ["a", "b"]),
    });
    const hub = await box.open();
    const plan = await hub.planInstall(wanted("./src@a"));
    expect(names(plan)).toEqual(["a", "b"]);
    expect(codes(plan)).toEqual(["dependency-cycle", "dependency-cycle"]);
    expect(plan.diagnostics.map(({ message }) => message).join()).toContain("a → b → a");
  });

  test("and that no one has are named, and keep nothing away", async () => {
    const box = hubSandbox();
    writeFiles(box.project, { "src/a/SKILL.md": needing("a", ["gone"]) });
    const hub = await box.open();
    const plan = await hub.planInstall(wanted("./src/a"));
    expect([names(plan), codes(plan)]).toEqual([["a"], ["dependency-missing"]]);
    expect(plan.diagnostics.at(-1)?.hint).toContain("skillet install SOURCE --skill gone --project");
    const own = await (await box.openUser()).planInstall(wanted("./src/a"));
    expect(own.diagnostics.at(-1)?.hint).toMatch(/skillet install SOURCE --skill gone$/);
    await hub.apply(plan);
    expect((await hub.list()).skills.get("a")?.requires).toEqual(["gone"]);
  });

  test("and that are no names put no command into the hint", async () => {
    const box = hubSandbox();
    writeFiles(box.project, { "src/a/SKILL.md": needing("a", ["x;touch y"]) });
    const plan = await (await box.open()).planInstall(wanted("./src/a"));
    expect(plan.diagnostics.at(-1)?.hint).toContain("--skill 'x;touch y' --project");
  });

  test.skipIf(gitMissing() ?? httpBackendMissing())(
    "lie beside the folder that a tree URL names, and are found there",
    async () => {
      git.repository("forest").commit({
        "skills/a/SKILL.md": needing("a", ["b"]),
        "skills/b/SKILL.md": skillText("b"),
      });
      const server = await GitHttpServer.start(git.root);
      try {
        const hub = await hubSandbox().openUser();
        const plan = await hub.planInstall(wanted(`${server.url("forest")}/-/tree/main/skills/a`));
        expect([names(plan), codes(plan)]).toEqual([["a", "b"], []]);
        expect(plan.items[1]?.entry.source).toBe(`git:${server.url("forest")}#refs/heads/main@b`);
      } finally {
        await server.stop();
      }
    },
  );

  test("are brought along also where a great many were asked for", async () => {
    const box = hubSandbox();
    for (let index = 0; index < 65; index++)
      writeFiles(box.project, { [`src/skills/s${index}/SKILL.md`]: needing(`s${index}`, ["./other"]) });
    writeFiles(box.project, { "other/SKILL.md": skillText("other") });
    const plan = await (await box.open()).planInstall(wanted("./src", { all: true }));
    expect([plan.items.length, codes(plan)]).toEqual([66, []]);
  });

  test("in a chain without end are followed to a bound", async () => {
    const box = hubSandbox();
    for (let index = 0; index < 20; index++)
      writeFiles(box.project, { [`src/skills/s${index}/SKILL.md`]: needing(`s${index}`, [`s${index + 1}`]) });
    const hub = await box.open();
    const plan = await hub.planInstall(wanted("./src@s0"));
    expect(plan.items.length).toBeLessThan(12);
    expect(codes(plan)).toEqual(["dependency-limit"]);
    expect(plan.diagnostics.at(-1)?.hint).toMatch(/skillet install SOURCE --skill s\d+ --project$/);
  });

  test.skipIf(gitMissing())(
    "and that are a source's are decided about by themselves, without force",
    async () => {
      const box = hubSandbox();
      const other = git.repository("other");
      other.commit({ "skills/b/SKILL.md": skillText("b", BODIES.caution) });
      const own = git.repository("own");
      own.commit({ "a/SKILL.md": needing("a", [`git:${other.url}#@b`], BODIES.caution) });
      const hub = await box.open();
      const plan = await hub.planInstall(wanted(own.url, { force: true }));
      expect(names(plan)).toEqual(["a"]);
      expect(plan.refusals).toMatchObject([
        { name: "b", code: "blocked", reason: expect.stringContaining("a needs") },
      ]);
      other.commit({ "skills/b/SKILL.md": skillText("b") });
      const better = await hub.planInstall(wanted(own.url, { force: true }));
      expect(names(better)).toEqual(["a", "b"]);
      await hub.apply(better);
      expect((await hub.list()).skills.get("a")?.requires).toEqual(["b"]);
      expect((await hub.list()).skills.get("b")).toMatchObject({ requiredBy: ["a"] });
      // Once it is asked for directly, it is wanted for itself.
      await hub.apply(await hub.planInstall(wanted(`git:${other.url}#@b`)));
      expect((await hub.list()).skills.get("b")).not.toHaveProperty("requiredBy");
    },
  );

  test("and that are new in an update are brought along", async () => {
    const box = hubSandbox();
    writeFiles(box.project, {
      "src/skills/a/SKILL.md": skillText("a"),
      "src/skills/b/SKILL.md": skillText("b"),
    });
    const hub = await box.open();
    await hub.apply(await hub.planInstall(wanted("./src@a")));
    writeFiles(box.project, { "src/skills/a/SKILL.md": needing("a", ["b"]) });
    const plan = await hub.planUpdate({ names: [], force: false });
    expect(plan.items.map(({ name, action }) => `${name} ${action}`)).toEqual(["a update", "b install"]);
  });

  test("are not read from this machine by the word of a stranger", async () => {
    const box = hubSandbox();
    writeFiles(box.userHome, { "private/SKILL.md": skillText("private") });
    const { userHome, project } = box;
    const own = { userHome, workspace: project, root: project, scope: { kind: "user" } };
    const nothing = { lock: { skills: new Map() }, held: new Map() };
    const resolved = { kind: "git", url: "https://github.com/owner/repository" };
    const manifest = { gating: { skills: ["~/private"] } };
    const by = { name: "a", manifest, entry: { source: "owner/repository@a", resolved }, files: [] };
    const placing = { agents: [], agentTargets: "link" } as const;
    const plan = await planDependencies({ ...own, ...nothing } as never, placing, { items: [by as never] });
    expect(plan).toMatchObject({ items: [{ name: "a" }], refusals: [] });
    expect(plan.diagnostics).toMatchObject([
      { code: "dependency-unavailable", message: expect.stringContaining("read from this machine") },
    ]);
  });
});

describe("what is there already", () => {
  test.skipIf(gitMissing())(
    "is not moved to a ref that a skill names, nor becomes something brought along",
    async () => {
      const box = hubSandbox();
      const library = git.repository("library");
      library.commit({ "pdf/SKILL.md": skillText("pdf", "Good.") });
      library.git(["checkout", "-q", "-b", "old"]);
      library.commit({ "pdf/SKILL.md": skillText("pdf", "Bytes of a branch that no one looked at.") });
      library.git(["checkout", "-q", "main"]);
      const greedy = git.repository("greedy");
      greedy.commit({ "a/SKILL.md": needing("a", [`${library.url}#old`, library.url]) });
      const hub = await box.open();
      await hub.apply(await hub.planInstall(wanted(library.url)));
      const plan = await hub.planInstall(wanted(greedy.url));
      expect(names(plan)).toEqual(["a"]);
      expect(codes(plan)).toContain("dependency-kept");
      await hub.apply(plan);
      expect(readFileSync(join(box.project, ".agents/skills/pdf/SKILL.md"), "utf8")).toContain("Good.");
      const { skills } = await hub.list();
      expect(skills.get("pdf")).not.toHaveProperty("requiredBy");
      expect(skills.get("a")?.requires).toEqual(["pdf"]);
    },
  );

  test.skipIf(gitMissing())("in another scope is left to its holder", async () => {
    const library = git.repository("held");
    library.commit({ "pdf/SKILL.md": skillText("pdf") });
    const greedy = git.repository("greedy-held");
    greedy.commit({ "a/SKILL.md": needing("a", [library.url]) });
    const hub = await hubSandbox().open({
      holders: new Map([["pdf", "the user skill pdf"]]),
    });
    const plan = await hub.planInstall(wanted(greedy.url));
    expect([names(plan), plan.refusals, codes(plan)]).toEqual([["a"], [], ["dependency-kept"]]);
  });
});

test("what a marketplace of this machine fetched from elsewhere has no folders of this machine read", async () => {
  const box = hubSandbox();
  writeFiles(box.folder, { "private/SKILL.md": skillText("private", BODIES.caution) });
  const kit = zipBytes([
    { name: ".claude-plugin/plugin.json", content: '{"name":"kit"}' },
    { name: "skills/a/SKILL.md", content: needing("a", [join(box.folder, "private")]) },
  ]);
  const served = await serveFiles({ "/kit.zip": kit });
  const source = { source: "archive", url: `${served.origin}/kit.zip` };
  writeFiles(box.project, {
    "market/.claude-plugin/marketplace.json": JSON.stringify({
      name: "m",
      owner: { name: "me" },
      plugins: [{ name: "kit", source }],
    }),
  });
  const hub = await box.open({ allowedPrivateHosts: [served.host, "127.0.0.1"] });
  const plan = await hub.planInstall(wanted("./market", { names: ["kit"] }));
  expect([names(plan), plan.refusals, codes(plan)]).toEqual([["kit"], [], ["dependency-unavailable"]]);
});

describe("an update", () => {
  const installed = async () => {
    const box = hubSandbox();
    writeFiles(box.project, {
      "src/skills/a/SKILL.md": skillText("a"),
      "src/skills/b/SKILL.md": skillText("b"),
      "src/skills/c/SKILL.md": needing("c", ["b"]),
    });
    return box;
  };

  test("that would bring another skill along asks about it", async () => {
    const box = await installed();
    const hub = await box.open();
    await hub.apply(await hub.planInstall(wanted("./src@a")));
    writeFiles(box.project, { "src/skills/a/SKILL.md": needing("a", ["b"]) });
    const plan = await hub.planUpdate({ names: [], force: false });
    expect(plan.items.map(({ name, action }) => `${name} ${action}`)).toEqual(["a update", "b install"]);
    expect(plan.items[1]?.questions).toEqual(["a now needs b from ./src@b"]);
    expect((await hub.apply(plan)).map(({ outcome }) => outcome)).toEqual(["skipped", "declined"]);
    const asked = await box.open({ ask: person("yes").ask });
    const results = await asked.apply(await asked.planUpdate({ names: [], force: false }));
    expect(results.map(({ outcome }) => outcome)).toEqual(["updated", "installed"]);
  });

  test("does not bring back what something unchanged needs and someone removed", async () => {
    const box = await installed();
    const hub = await box.open();
    await hub.apply(await hub.planInstall(wanted("./src@c")));
    await hub.remove({ names: ["b"], discardEdits: false, dryRun: false });
    const plan = await hub.planUpdate({ names: [], force: false });
    expect(plan.items.map(({ name, action }) => `${name} ${action}`)).toEqual(["c unchanged"]);
    expect(plan.items[0]?.entry.requires).toEqual(["b"]);
  });
});
