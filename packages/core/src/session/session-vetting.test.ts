import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../../kit/src/testing/temporary-directory.ts";
import { openSkills } from "../open-skills.ts";
import { skillText, writeTree } from "../testing/write-tree.ts";
import type { SkillToVet, SkillVetter, Vetting } from "../vetting/skill-vetter.ts";
import { readJournal } from "./records/journal.ts";
import type { Session } from "./session.ts";
import { usableIn, vettingIn } from "./testing/inspect-session.ts";

type Verdicts = (skill: SkillToVet) => Promise<Vetting | undefined>;

interface Opened {
  readonly root: string;
  readonly session: Session;
  readonly asked: (readonly SkillToVet[])[];
  readonly records: string;
}

async function open(tree: Readonly<Record<string, string>>, verdicts?: Verdicts): Promise<Opened> {
  const folder = temporaryDirectory();
  const root = writeTree(join(folder, "skills"), tree);
  const asked: (readonly SkillToVet[])[] = [];
  const vetter: SkillVetter = {
    ruleSet: "rules-1",
    vet: async (skills) => {
      asked.push(skills);
      const answers = await Promise.all(skills.map((skill) => verdicts?.(skill)));
      return answers.filter((answer) => answer !== undefined);
    },
  };
  const skills = await openSkills({
    workspace: folder,
    roots: [root],
    home: join(folder, "home"),
    userHome: folder,
    environment: { PATH: "/usr/bin:/bin" },
    organisationDirectory: join(folder, "organisation"),
    bundledDirectory: false,
    cacheDirectory: false,
    ...(verdicts !== undefined && { vetter }),
  });
  const records = join(folder, "run");
  return { root, session: await skills.session({ records }), asked, records };
}

const allow: Verdicts = async (skill) => {
  const { digest } = await skill.read({ maxFileBytes: 1_000, maxTotalBytes: 1_000 });
  return { outcome: "allow", verdict: "safe", ...(digest && { digest }), diagnostics: [] };
};

test("without a vetter everything is offered, and the record says that nothing was scanned", async () => {
  const { session, records } = await open({ "a/SKILL.md": skillText("a") });
  expect(usableIn(session).map(({ name }) => name)).toEqual(["a"]);
  expect(vettingIn(session, session.snapshot.skills[0]!)).toBe(undefined);
  const { entries } = await readJournal(records);
  expect(entries[0]?.record).toMatchObject({ kind: "policy", vetting: "not scanned" });
});

test("all that could be used is judged in one go before the session is there, and once", async () => {
  const { session, asked } = await open(
    { "a/SKILL.md": skillText("a"), "b/SKILL.md": skillText("b") },
    allow,
  );
  await session.activate("a");
  await session.read("b", "SKILL.md");
  expect(asked.map((skills) => skills.map(({ name, frozen }) => [name, frozen]))).toEqual([
    [
      ["a", undefined],
      ["b", undefined],
    ],
  ]);
});

test("what is about to be shown is judged as it was frozen when it is not what was judged before", async () => {
  const { root, session, asked } = await open({ "a/SKILL.md": skillText("a") }, allow);
  writeTree(root, { "a/references/x.md": "new" });
  const { treeDigest, digest } = await session.activate("a", { source: "user" });
  expect(asked[1]?.map(({ name, frozen }) => [name, frozen])).toEqual([
    ["a", { digest: treeDigest, read: treeDigest, skill: digest }],
  ]);
});

test("a vetter that leaves a skill out has not allowed it", async () => {
  const { session } = await open({ "a/SKILL.md": skillText("a") }, async () => undefined);
  expect(usableIn(session)).toEqual([]);
  expect(session.mayUse(session.snapshot.skills[0]!, { source: "user" }).hidden).toBe(
    "the scan gave no answer",
  );
});

test("a withheld skill is in no catalogue, mention, activation, read or fork, and keeps its state", async () => {
  const { session } = await open({ "a/SKILL.md": skillText("a"), "a/x.md": "X" }, async () => ({
    outcome: "withhold",
    verdict: "dangerous",
    reason: "it bites",
    diagnostics: [],
  }));
  const [skill] = session.snapshot.skills;
  expect([skill?.state, session.catalog().text]).toEqual(["enabled", ""]);
  expect(session.catalog().report.hidden).toEqual([{ skill, cause: "verdict", reason: "it bites" }]);
  expect(session.mentions("please run $a").skills).toEqual([]);
  for (const source of ["user", "preload"] as const)
    await expect(session.activate("a", { source })).rejects.toMatchObject({
      code: "skill-not-offered",
      message: "a cannot be used: it bites. See: skillet explain a",
    });
  await expect(session.activate("a")).rejects.toMatchObject({ code: "skill-not-found" });
  await expect(session.fork({ skills: ["a"] })).rejects.toMatchObject({ code: "skill-not-offered" });
  await expect(session.resources("a")).rejects.toMatchObject({ code: "skill-not-found" });
  expect((await session.read("a", "x.md")).error?.code).toBe("skill-not-found");
});

test("of what has more than its tree, the look at the tree does not say what must be judged", async () => {
  const { session, asked } = await open(
    { "a/SKILL.md": skillText("a"), "a/in/SKILL.md": skillText("in"), "a/in/run.sh": "" },
    allow,
  );
  const { treeDigest, digest } = await session.activate("a", { source: "user" });
  expect(asked[1]?.map(({ name, frozen }) => [name, frozen])).toEqual([
    ["a", { read: treeDigest, skill: digest }],
  ]);
});

test("whoever judges is told which SKILL.md a catalogue shows", async () => {
  const { session, asked } = await open({ "a/SKILL.md": skillText("a") }, allow);
  expect(asked[0]?.map(({ shown }) => shown)).toEqual(session.snapshot.skills.map(({ digest }) => digest));
});
