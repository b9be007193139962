import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../../kit/src/testing/temporary-directory.ts";
import type { Ask, Question } from "../ask.ts";
import { MemorySource } from "../source/memory-source.ts";
import type { SkillVetter, Vetting } from "../vetting/skill-vetter.ts";
import { readRunOutcomes } from "./outcome/read-run-outcomes.ts";
import { readJournal } from "./records/journal.ts";
import { generateSkills, openMemory, skillText } from "./search/testing/generated-library.ts";
import type { Session } from "./session.ts";
import { selectIn, usableIn } from "./testing/inspect-session.ts";

const KEY = "metadata:\n  openclaw:\n    requires:\n      env: [API_KEY]\n";
const FILES = {
  "pdf/SKILL.md": skillText("pdf", "Reads PDF files."),
  "csv/SKILL.md": skillText("csv", "Reads CSV files."),
  "mail/SKILL.md": skillText("mail", "Sends mail.", KEY),
  "bad/SKILL.md": skillText("bad", "Does harm."),
};

const names = (session: Session): string[] => session.catalog().report.skills.map(({ name }) => name);

/** Allows everything but `bad`, about which a person is asked. */
class AskingVetter implements SkillVetter {
  readonly ruleSet = "test";
  readonly vetted: string[] = [];

  async vet(...[skills, { ask } = {}]: Parameters<SkillVetter["vet"]>): Promise<readonly Vetting[]> {
    const answers: Vetting[] = [];
    for (const { name } of skills) {
      this.vetted.push(name);
      const question: Question = {
        kind: "verdict",
        skill: name,
        reason: "it is bad",
        choices: ["allow", "deny"],
      };
      const isAllowed = name !== "bad" || (await ask?.(question))?.choice === "allow";
      answers.push(
        isAllowed
          ? { outcome: "allow", verdict: "safe", diagnostics: [] }
          : { outcome: "withhold", verdict: "dangerous", reason: "it is bad", diagnostics: [] },
      );
    }
    return answers;
  }
}

const allowing: Ask = async () => ({ choice: "allow" });

test("what one session was given, loaded, asked or approved is not known in another over the same snapshot", async () => {
  const vetter = new AskingVetter();
  const skills = await openMemory(FILES, { vetter });
  const first = await skills.session({ ask: allowing, secrets: { mail: { API_KEY: "s3cret" } } });
  const second = await skills.session();
  expect(first.snapshot).toBe(second.snapshot);
  expect(names(first)).toEqual(["bad", "csv", "mail", "pdf"]);
  expect(names(second)).toEqual(["csv", "pdf"]);

  await first.activate("pdf");
  expect((await second.activate("pdf")).duplicate).toBe(false);
  await expect(second.activate("bad")).rejects.toMatchObject({ code: "skill-not-found" });
  await expect(second.activate("mail", { source: "user" })).rejects.toMatchObject({
    code: "skill-not-offered",
  });
  await first.outcome({ skill: "csv", outcome: "wrong" });
  const rank = async (session: Session): Promise<number | undefined> =>
    (await selectIn(session, "read this csv file"))[0]?.score;
  const before = await rank(second);
  await first.turn().end();
  expect(await rank(second)).toBe(before);
  expect(await rank(first)).toBeLessThan(before ?? 0);

  // Opened after all that, with the same rules as the first.
  const third = await skills.session({ ask: async () => ({ choice: "deny" }) });
  expect(names(third)).toEqual(["csv", "pdf"]);
  expect(names(first)).toEqual(["bad", "csv", "mail", "pdf"]);
});

test("a question that does not name one skill exactly leaves nothing to share", async () => {
  const vetter = new AskingVetter();
  const vet = vetter.vet.bind(vetter);
  vetter.vet = (skills, { ask, ...rest } = {}) =>
    vet(skills, {
      ...rest,
      ...(ask && { ask: (question) => ask({ ...question, skill: "several skills" }) }),
    });
  const skills = await openMemory(FILES, { vetter });
  expect(names(await skills.session({ ask: allowing }))).toContain("bad");
  expect(names(await skills.session())).not.toContain("bad");
});

test("skills that are allowed without a question are vetted once for a snapshot, the others for every session", async () => {
  const vetter = new AskingVetter();
  const skills = await openMemory(FILES, { vetter });
  await skills.session();
  await skills.session();
  expect(vetter.vetted).toEqual(["bad", "csv", "mail", "pdf", "bad"]);
  await skills.reload();
  await skills.session();
  expect(vetter.vetted.slice(5)).toEqual(["bad", "csv", "mail", "pdf"]);
});

test("sessions that are opened at once have the skills vetted once, also where the first of them is given up", async () => {
  const vetter = new AskingVetter();
  const skills = await openMemory(FILES, { vetter });
  const sessions = await Promise.all(Array.from({ length: 5 }, () => skills.session()));
  for (const session of sessions) expect(names(session)).toEqual(["csv", "pdf"]);
  expect(vetter.vetted.filter((name) => name !== "bad")).toEqual(["csv", "mail", "pdf"]);
  await skills.reload();
  const opened = await Promise.allSettled([
    skills.session({ signal: AbortSignal.abort(new Error("enough")) }),
    skills.session(),
  ]);
  expect(opened.map(({ status }) => status)).toContain("fulfilled");
});

test("sessions of one snapshot with other rules have other skills, whichever was opened first", async () => {
  const config =
    "policy:\n  rules:\n    - { skill: csv, mode: plan, action: deny }\n    - { skill: pdf, action: ask }\n";
  const files = {
    ...FILES,
    "ours/SKILL.md": skillText("ours", "For us."),
    "ours/agents/openai.yaml": "policy:\n  products: [ours]\n",
    "web/SKILL.md": skillText("web", "Makes pages.", 'paths: ["*.html"]\n'),
  };
  const cases = [
    [{}, ["bad", "csv", "ours", "web"]],
    [{ mode: "plan" }, ["bad", "ours", "web"]],
    [{ product: "theirs" }, ["bad", "csv", "web"]],
    [{ ask: allowing }, ["bad", "csv", "ours", "pdf", "web"]],
    [{ mode: "locked", allow: ["csv"] }, ["csv"]],
    [{ mode: "locked", allow: ["web"] }, ["web"]],
    [{ mode: "locked", allow: ["csv"], ask: allowing }, ["csv"]],
    [{ files: ["a.txt"] }, ["bad", "csv", "ours"]],
    [{ files: ["a.html"] }, ["bad", "csv", "ours", "web"]],
  ] as const;
  for (const order of [cases, [...cases].reverse()]) {
    const skills = await openMemory(files, { config });
    for (const [options, expected] of order) expect(names(await skills.session(options))).toEqual(expected);
    for (const [options, expected] of order) expect(names(await skills.session(options))).toEqual(expected);
  }
});

test("a list of skills that a session gives out cannot be changed for others", async () => {
  const skills = await openMemory(FILES);
  const session = await skills.session();
  const listed = usableIn(session) as unknown[];
  expect(() => listed.pop()).toThrow(TypeError);
  expect(names(await skills.session())).toEqual(["bad", "csv", "pdf"]);
});

test("of a large library a run records how much it offered, and lists what it loaded", async () => {
  const files = { ...generateSkills(300), ...FILES };
  const config = "policy:\n  rules:\n    - { skill: csv, action: deny }\n";
  const skills = await openMemory(files, { config, vetter: new AskingVetter() });
  const records = join(temporaryDirectory(), "run");
  const session = await skills.session({ records });
  await session.activate("pdf");
  await session.turn().end();
  const { entries } = await readJournal(records);
  expect(entries[0]?.record).toMatchObject({
    kind: "policy",
    skills: [],
    offered: { count: 302, digest: expect.stringMatching(/^sha256:/), denied: 1 },
    withheld: [
      { name: "bad", verdict: "dangerous" },
      { name: "csv", rule: expect.any(String) },
    ],
  });
  const registry = JSON.parse(readFileSync(join(records, "skill-registry.json"), "utf8"));
  expect(registry.skills.map(({ name }: { name: string }) => name)).toEqual(["pdf"]);
  expect(registry.unlisted).toBe(303);
  expect((await skills.resume(records)).diagnostics).toEqual([]);
  const { outcomes } = await readRunOutcomes(records);
  expect(outcomes).toMatchObject([{ name: "pdf", origin: "local", outcome: "used" }]);
});

test("what a run offered has another digest where other skills or rules were there", async () => {
  const files = generateSkills(300);
  const digestOf = async (given: Record<string, string>, config = ""): Promise<unknown> => {
    const records = join(temporaryDirectory(), "run");
    await (await openMemory(given, { config })).session({ records });
    const [first] = (await readJournal(records)).entries;
    return first?.record.kind === "policy" ? first.record.offered?.digest : undefined;
  };
  const plain = await digestOf(files);
  expect(await digestOf(files)).toBe(plain);
  const name = Object.keys(files)[0]?.split("/")[0] ?? "";
  const digests = [
    plain,
    await digestOf({ ...files, [`${name}/SKILL.md`]: skillText(name, "Another text.") }),
    await digestOf(files, `policy:\n  rules:\n    - { skill: ${name}, action: deny }\n`),
  ];
  expect(new Set(digests).size).toBe(3);
});

test("after warming, sessions vet and read nothing that warming has", async () => {
  const vetter = new AskingVetter();
  const source = new MemorySource(FILES);
  const reads: string[] = [];
  const read = source.read.bind(source);
  source.read = (path, options) => {
    reads.push(path);
    return read(path, options);
  };
  const skills = await openMemory(FILES, { vetter, sources: [source] });
  await skills.warm();
  expect(new Set(vetter.vetted)).toEqual(new Set(["bad", "csv", "mail", "pdf"]));
  const [vettedBefore, readBefore] = [vetter.vetted.length, reads.length];
  const session = await skills.session();
  expect((await selectIn(session, "read this csv file"))[0]?.skill.name).toBe("csv");
  expect(vetter.vetted.slice(vettedBefore)).toEqual(["bad"]);
  expect(reads.slice(readBefore)).toEqual([]);
});

test("warming asks no one, and ends with its signal", async () => {
  const skills = await openMemory(FILES, { vetter: new AskingVetter() });
  await skills.warm();
  expect(names(await skills.session({ ask: allowing }))).toContain("bad");
  await expect(skills.warm({ signal: AbortSignal.abort(new Error("enough")) })).rejects.toThrow("enough");
});
