import { afterAll, describe, expect, test } from "vitest";
import { GitFixture, gitMissing } from "../fetch/git/testing/git-fixture.ts";
import { BODIES, hubSandbox, skillText, wanted, writeFiles } from "../testing/hub-sandbox.ts";

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
    expect(removed[0]?.reason).toContain("skillet manage remove b");
    const needed = await hub.remove({ names: ["c"], discardEdits: false, dryRun: true });
    expect(needed[0]?.reason).toContain("b asked for it");
  });

  test("are left alone where they are, by whoever has them", async () => {
    const box = hubSandbox();
    writeFiles(box.project, {
      "one/a/SKILL.md": needing("a", ["b", "c"]),
      "two/b/SKILL.md": skillText("b"),
    });
    const hub = await box.open({ holderOf: (name) => (name === "c" ? "the user skill c" : undefined) });
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

  test("and that nobody has are named, and keep nothing away", async () => {
    const box = hubSandbox();
    writeFiles(box.project, { "src/a/SKILL.md": needing("a", ["gone"]) });
    const hub = await box.open();
    const plan = await hub.planInstall(wanted("./src/a"));
    expect([names(plan), codes(plan)]).toEqual([["a"], ["dependency-missing"]]);
    await hub.apply(plan);
    expect((await hub.list()).skills.get("a")?.requires).toEqual(["gone"]);
  });

  test("in a chain without end are followed to a bound", async () => {
    const box = hubSandbox();
    for (let index = 0; index < 20; index++)
      writeFiles(box.project, { [`src/skills/s${index}/SKILL.md`]: needing(`s${index}`, [`s${index + 1}`]) });
    const hub = await box.open();
    const plan = await hub.planInstall(wanted("./src@s0"));
    expect(plan.items.length).toBeLessThan(12);
    expect(codes(plan)).toEqual(["dependency-limit"]);
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
      // Whoever asks for it then wants it for itself.
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
    const files = [
      { path: "SKILL.md", mode: "644" as const, bytes: Buffer.from(needing("a", ["~/private"])) },
    ];
    const { DependencySources } = await import("./dependency-sources.ts");
    const parts = { userHome: box.userHome, workspace: box.project, root: box.project } as never;
    const by = { entry: { source: "owner/repository@a" }, candidate: { files } } as never;
    await expect(new DependencySources(parts, undefined).find("~/private", by)).rejects.toMatchObject({
      code: "dependency-refused",
    });
  });
});
