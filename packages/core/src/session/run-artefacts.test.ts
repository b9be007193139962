import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { temporaryDirectory } from "../../../kit/src/testing/temporary-directory.ts";
import { openSkills } from "../open-skills.ts";
import { MemorySource } from "../source/memory-source.ts";
import { skillText, writeTree } from "../testing/write-tree.ts";
import type { SkillVetter } from "../vetting/skill-vetter.ts";
import { openMemory } from "./search/testing/generated-library.ts";
import type { SessionOptions } from "./session.ts";
import { openFolder, openSession, type TestSession } from "./testing/open-session.ts";

let folder: string;
beforeEach(() => {
  folder = writeTree(join(temporaryDirectory(), "skills"), {
    "pdf/SKILL.md": skillText("pdf"),
    "pdf/fields.md": "fields",
    "web/SKILL.md": skillText("web"),
  });
});

function readArtefact({ runFolder }: Pick<TestSession, "runFolder">, name: string) {
  return JSON.parse(readFileSync(join(runFolder, `skill-${name}.json`), "utf8"));
}

test("the registry artefact is written again only when skills or their files changed", async () => {
  const session = await openSession(folder);
  const written = (): number => statSync(join(session.runFolder, "skill-registry.json")).ino;
  await session.turn().end();
  const first = written();
  await session.turn().end();
  expect(written()).toBe(first);
  expect(readArtefact(session, "policy").journalSequence).toBe(3);
  await session.activate("pdf");
  await session.turn().end();
  expect(readArtefact(session, "registry").skills).toMatchObject([{ indexed: true }, { indexed: false }]);
  writeTree(folder, { "new/SKILL.md": skillText("new") });
  await session.refresh();
  await session.turn().end();
  expect(readArtefact(session, "registry").skills.length).toBe(3);
  expect((await session.skills.resume(session.runFolder)).diagnostics).toEqual([]);
});

describe("the artefacts say that a skill was withheld, and by which rule", () => {
  test("a rule of the policy", async () => {
    const config =
      "policy:\n  rules:\n    - { skill: pdf, source: model, action: deny }\n    - { skill: pdf, action: deny }\n";
    const session = await openSession(folder, {}, await openFolder(folder, config));
    await session.turn().end();
    const { withheld } = readArtefact(session, "policy");
    expect(withheld).toMatchObject([{ name: "pdf", reason: /den/, rule: /pdf/ }]);
    expect((await session.skills.resume(session.runFolder)).diagnostics).toEqual([]);
  });

  test("a rule of the scanner", async () => {
    const reason = "the scan calls it dangerous: PI1 at SKILL.md:3";
    const vetter: SkillVetter = {
      ruleSet: "rules-1",
      vet: async (skills) =>
        skills.map(({ name }) =>
          name === "pdf"
            ? { outcome: "withhold", verdict: "dangerous", reason, diagnostics: [] }
            : { outcome: "allow", verdict: "safe", diagnostics: [] },
        ),
    };
    const home = temporaryDirectory();
    const skills = await openSkills({
      workspace: home,
      roots: [folder],
      home: join(home, ".skillet"),
      userHome: home,
      vetter,
      environment: { PATH: "/usr/bin:/bin" },
      organisationDirectory: join(home, "organisation"),
      bundledDirectory: false,
      cacheDirectory: false,
    });
    const session = await openSession(folder, {}, skills);
    await session.turn().end();
    expect(readArtefact(session, "policy").withheld).toMatchObject([
      { name: "pdf", verdict: "dangerous", reason },
    ]);
    expect(readArtefact(session, "registry").skills).toMatchObject([
      { name: "pdf", verdict: "dangerous", withheld: reason },
      { name: "web", verdict: "safe" },
    ]);
  });
});

describe('with freeze: "all", every skill is compared with its files at the start', () => {
  const open = (options: SessionOptions = {}): Promise<TestSession> =>
    openSession(folder, { freeze: "all", ...options });

  test("a file that changes before the skill is loaded is drift: refused in batch, reported with a person", async () => {
    const [batch, asking, free] = [
      await open(),
      await open({ interactive: true }),
      await openSession(folder),
    ];
    writeFileSync(join(folder, "pdf/fields.md"), "changed");
    await expect(batch.activate("pdf")).rejects.toMatchObject({ code: "skill-drifted" });
    const { drifted, diagnostics } = await asking.activate("pdf");
    expect({ drifted, codes: diagnostics.map(({ code }) => code) }).toEqual({
      drifted: true,
      codes: ["skill-drifted"],
    });
    expect((await free.activate("pdf")).drifted).toBe(false);
  });

  test("a file that is read without loading the skill is compared too", async () => {
    const session = await open();
    writeFileSync(join(folder, "pdf/fields.md"), "changed");
    expect(await session.read("pdf", "fields.md")).toMatchObject({ digestMatchesRegistry: false });
  });

  test("the records hold every file, forks inherit it, and a refresh freezes again", async () => {
    const session = await open({ interactive: true });
    await session.turn().end();
    expect(readArtefact(session, "registry").skills).toMatchObject([{ indexed: true }, { indexed: true }]);
    expect(readArtefact(session, "policy").skills).toMatchObject([
      { treeDigest: /^sha256:/ },
      { treeDigest: /^sha256:/ },
    ]);
    const child = await session.fork({ skills: ["pdf"] });
    writeFileSync(join(folder, "pdf/fields.md"), "changed");
    expect((await child.activate("pdf")).drifted).toBe(true);
    await session.refresh();
    expect((await session.activate("pdf")).drifted).toBe(false);
  });

  test("any other value is refused", async () => {
    await expect(open({ freeze: "some" as never })).rejects.toMatchObject({ code: "call-invalid" });
  });

  test("a skill that the host's source failed to read at the start is drift later, also in a fork", async () => {
    const source = new MemorySource({ "gate/SKILL.md": skillText("gate") });
    const listFiles = source.listFiles.bind(source);
    source.listFiles = () => Promise.reject(new Error("offline"));
    const session = await (await openMemory({}, { sources: [source] })).session({ freeze: "all" });
    source.listFiles = listFiles;
    await session.read("gate", "SKILL.md");
    await expect(session.activate("gate")).rejects.toMatchObject({ code: "skill-drifted" });
    const child = await session.fork({ skills: ["gate"] });
    await expect(child.activate("gate")).rejects.toMatchObject({ code: "skill-drifted" });
  });
});

test("loading a skill with related ones asks about those alone", async () => {
  writeTree(folder, {
    "pdf/SKILL.md": "---\nname: pdf\ndescription: Fills.\nrelated-skills: [web]\n---\nFill.\n",
    "other/SKILL.md": skillText("other"),
  });
  const session = await openSession(folder);
  const asked: string[] = [];
  for (const skill of session.snapshot.skills) {
    const { state, name } = skill;
    const get = (): typeof state => {
      asked.push(name);
      return state;
    };
    Object.defineProperty(skill, "state", { get });
  }
  expect((await session.activate("pdf")).text).toContain("web");
  expect(asked).toContain("web");
  expect(asked).not.toContain("other");
});
