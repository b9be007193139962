import { cpSync } from "node:fs";
import { join } from "node:path";
import type { Learned } from "@skillet/core";
import { formatLearned, parseLearned, writeLearned } from "@skillet/core/internal";
import { NOTHING_LEARNED, THRESHOLD_BOUNDS } from "@skillet/select/parts";
import { describe, expect, test } from "vitest";
import { type Lesson, learnFromRuns } from "./learn-from-runs.ts";
import { readRuns } from "./read-runs.ts";
import { forgeRun, makePlace, type Place } from "./testing/record-run.ts";

const SKILLS = {
  "pdf-forms": "Fills in PDF forms. Use when asked to fill in a form.",
  podcast: "Edits podcasts and cuts silence out of audio.",
  "tax-return": "Prepares tax returns and checks receipts.",
};

async function learn(place: Place, before: Learned = NOTHING_LEARNED): Promise<Lesson> {
  const { runs } = await readRuns([place.runs]);
  return learnFromRuns(runs, { skills: (await place.open()).snapshot.skills, before });
}

/** Conversations in which pdf-forms is offered for messages and never taken up. */
async function ignoreOffers(place: Place, runs: number, turns: number): Promise<void> {
  for (let run = 0; run < runs; run += 1) {
    const session = await place.session(`ignored-${run}`, { recordMessages: true });
    for (let turn = 0; turn < turns; turn += 1) {
      const message = `please fill in this PDF form, page ${run} ${turn}`;
      const { activate, suggest } = await session.decide(message);
      expect([...activate, ...suggest].map(({ skill }) => skill.name)).toContain("pdf-forms");
      // The session's own memory would stop the offers.
      await session.turn().end();
      if (turn > 0) break;
    }
  }
}

/** Conversations in which a host says what came of a skill. */
async function say(
  place: Place,
  outcome: "used" | "ignored" | "wrong",
  options: {
    readonly runs: number;
    readonly times?: number;
    readonly skill?: string;
    readonly label?: string;
  },
): Promise<void> {
  const { runs, times = 2, skill = "pdf-forms", label = outcome } = options;
  for (let run = 0; run < runs; run += 1) {
    const session = await place.session(`${label}-${skill}-${run}`, { recordMessages: true });
    for (let turn = 0; turn < times; turn += 1) {
      await session.outcome({ skill, outcome, message: `a ${label} message, ${run} and ${turn}` });
      await session.turn().end();
    }
  }
}

describe("recorded sessions", () => {
  test("in which offers were passed over raise the threshold, and selection follows within the bound", async () => {
    const place = makePlace(SKILLS);
    await ignoreOffers(place, 8, 1);
    const { learned, changes } = await learn(place);
    const entry = learned.skills.get("pdf-forms")!;
    expect(changes.map(({ name }) => name)).toEqual(["pdf-forms"]);
    expect(entry).toMatchObject({ origin: "local", used: 0, ignored: 8, wrong: 0, wanted: [] });
    expect(entry.threshold).toBeGreaterThan(0);
    expect(entry.unwanted.length).toBe(8);

    const scoreOf = async (message: string): Promise<number> =>
      (await (await place.open()).select(message)).find(({ skill }) => skill.name === "pdf-forms")!.score;
    const logOdds = (score: number): number => Math.log(score / (1 - score));
    const [like, unlike] = ["please fill in this form for run 3", "fill PDF forms"];
    const before = { like: await scoreOf(like), unlike: await scoreOf(unlike) };
    await writeLearned(place.home, { text: formatLearned(learned), replaces: undefined });
    const after = { like: await scoreOf(like), unlike: await scoreOf(unlike) };
    expect(after.like).toBeLessThan(after.unlike);
    expect(after.like).toBeLessThan(before.like);
    expect(logOdds(before.unlike) - logOdds(after.unlike)).toBeGreaterThan(0);
    expect(logOdds(before.like) - logOdds(after.like)).toBeLessThan(THRESHOLD_BOUNDS.highest + 1.9);
    const [first] = await (await place.open()).select(unlike);
    expect(first?.reasons.at(-1)).toBe("its threshold was raised: ignored 8 of 8 times");
  });

  test("in which a skill was used lower it, less far than it can be raised", async () => {
    const place = makePlace(SKILLS);
    await say(place, "used", { runs: 12, times: 3 });
    const entry = (await learn(place)).learned.skills.get("pdf-forms")!;
    expect(entry).toMatchObject({ used: 36, threshold: THRESHOLD_BOUNDS.lowest, unwanted: [] });
    expect(entry.wanted.length).toBe(10);
  });

  test("without texts teach counts alone", async () => {
    const place = makePlace(SKILLS);
    for (let run = 0; run < 6; run += 1) {
      const session = await place.session(`run-${run}`);
      await session.decide("please fill in this form");
      await session.turn().end();
    }
    expect((await learn(place)).learned.skills.get("pdf-forms")).toMatchObject({
      ignored: 6,
      wanted: [],
      unwanted: [],
    });
  });

  test("count wrong for more than ignored, and ignored for more than passed over for another skill", async () => {
    const thresholdAfter = async (teach: (place: Place) => Promise<void>): Promise<number> => {
      const place = makePlace(SKILLS);
      await teach(place);
      return (await learn(place)).learned.skills.get("pdf-forms")?.threshold ?? 0;
    };
    const displaced = await thresholdAfter(async (place) => {
      for (let run = 0; run < 6; run += 1) {
        const session = await place.session(`run-${run}`);
        await session.decide("please fill in this form");
        await session.outcome({ skill: "podcast", outcome: "used" });
        await session.activate("podcast", { source: "user" });
        await session.turn().end();
      }
    });
    const ignored = await thresholdAfter((place) => say(place, "ignored", { runs: 6, times: 1 }));
    const wrong = await thresholdAfter((place) => say(place, "wrong", { runs: 6, times: 1 }));
    expect(displaced).toBeGreaterThan(0);
    expect(ignored).toBeGreaterThan(displaced);
    expect(wrong).toBeGreaterThan(ignored);
  });
});

describe("evidence", () => {
  test("of too few turns or of a single conversation changes nothing", async () => {
    const place = makePlace(SKILLS);
    await say(place, "wrong", { runs: 1, times: 12 });
    await say(place, "wrong", { runs: 2, times: 2, skill: "podcast" });
    const lesson = await learn(place);
    expect(lesson).toMatchObject({ changes: [], tooFew: ["pdf-forms", "podcast"], beyondCap: 7 });
  });

  test("of one conversation counts to a cap beside others", async () => {
    const [short, long] = [makePlace(SKILLS), makePlace(SKILLS)];
    await say(short, "ignored", { runs: 2, times: 5 });
    await say(long, "ignored", { runs: 1, times: 5, label: "first" });
    await say(long, "ignored", { runs: 1, times: 12, label: "second" });
    const thresholdIn = async (place: Place): Promise<number | undefined> =>
      (await learn(place)).learned.skills.get("pdf-forms")?.threshold;
    expect(await thresholdIn(long)).toBe(await thresholdIn(short));
  });

  test("of a copied run counts once", async () => {
    const place = makePlace(SKILLS);
    await say(place, "wrong", { runs: 1, times: 5 });
    for (const copy of ["a", "b", "c"])
      cpSync(join(place.runs, "wrong-pdf-forms-0"), join(place.runs, copy), { recursive: true });
    expect((await learn(place)).tooFew).toEqual(["pdf-forms"]);
  });

  test("of an earlier text of the skill counts half, of a skill that is gone not at all", async () => {
    const place = makePlace(SKILLS);
    await say(place, "wrong", { runs: 3 });
    await say(place, "wrong", { runs: 3, skill: "podcast" });
    const now = (await learn(place)).learned.skills.get("pdf-forms")!;
    place.writeSkill("pdf-forms", "Fills in PDF forms of every kind.");
    const { learned, ofOthers } = await learn({
      ...place,
      open: async () => {
        const skills = await place.open();
        const others = skills.snapshot.skills.filter(({ name }) => name !== "podcast");
        return { ...skills, snapshot: { ...skills.snapshot, skills: others } };
      },
    });
    const then = learned.skills.get("pdf-forms")!;
    expect(then.digest).not.toBe(now.digest);
    expect(then.threshold).toBeGreaterThan(0);
    expect(then.threshold).toBeLessThan(now.threshold);
    expect(ofOthers).toBe(6);
  });

  test("that speaks both ways about a message makes it no example", async () => {
    const place = makePlace(SKILLS);
    for (const [index, outcome] of (
      ["used", "wrong", "wrong", "wrong", "wrong", "wrong"] as const
    ).entries()) {
      const session = await place.session(`run-${index}`, { recordMessages: true });
      await session.outcome({
        skill: "pdf-forms",
        outcome,
        message: index < 2 ? "The same" : `other ${index}`,
      });
    }
    const entry = (await learn(place)).learned.skills.get("pdf-forms")!;
    expect(entry.wanted).toEqual([]);
    expect(entry.unwanted).toEqual(["other 2", "other 3", "other 4", "other 5"]);
  });
});

describe("learning again", () => {
  test("from the same runs changes nothing, in whatever order they come", async () => {
    const place = makePlace(SKILLS);
    await say(place, "wrong", { runs: 4 });
    await say(place, "used", { runs: 4, skill: "podcast" });
    const { learned } = await learn(place);
    const read = parseLearned(formatLearned(learned), "f").learned;
    expect((await learn(place, read)).changes).toEqual([]);
    const { runs } = await readRuns([place.runs]);
    const { skills } = (await place.open()).snapshot;
    const backwards = learnFromRuns([...runs].reverse(), { skills, before: NOTHING_LEARNED });
    expect(formatLearned(backwards.learned)).toBe(formatLearned(learned));
  });

  test("keeps notes, examples by hand, entries of other skills and whatever a person keeps", async () => {
    const place = makePlace(SKILLS);
    await say(place, "wrong", { runs: 4 });
    await say(place, "wrong", { runs: 4, skill: "podcast" });
    const before = parseLearned(
      [
        "skills:",
        '  pdf-forms: { note: "Anna says so", wanted: ["my own words", "a wrong message, 0 and 0"] }',
        "  podcast: { threshold: -0.5, keep: true }",
        "  elsewhere: { threshold: 1 }",
      ].join("\n"),
      "f",
    ).learned;
    const { learned, kept, changes } = await learn(place, before);
    expect(kept).toEqual(["podcast"]);
    expect(changes.map(({ name }) => name)).toEqual(["pdf-forms"]);
    for (const name of ["podcast", "elsewhere"])
      expect(learned.skills.get(name)).toBe(before.skills.get(name));
    const entry = learned.skills.get("pdf-forms")!;
    expect(entry.note).toBe("Anna says so");
    expect(entry.wanted).toEqual(["my own words", "a wrong message, 0 and 0"]);
    expect(entry.unwanted).not.toContain("a wrong message, 0 and 0");
    expect(entry.unwanted).toContain("a wrong message, 0 and 1");
  });
});

describe("a hostile folder of runs", () => {
  const policy = (names: readonly string[], origin = "local"): Record<string, unknown> => ({
    kind: "policy",
    mode: "default",
    interactive: true,
    snapshotVersion: `sha256:${"0".repeat(64)}`,
    roots: [],
    skills: names.map((name) => ({ name, origin, digest: `sha256:${"1".repeat(64)}` })),
    scripts: [],
    activationSources: [],
    diagnostics: [],
  });
  function* flood(name: string, times: number): Iterable<Record<string, unknown>> {
    yield policy([name]);
    for (let index = 0; index < times; index += 1) {
      yield {
        kind: "outcome",
        name,
        outcome: "wrong",
        message: `${"\u202e\u0000\ud800x".repeat(50)} ${index}`,
      };
      yield { kind: "turn-ended" };
    }
  }

  test("with one endless run moves nothing", async () => {
    const place = makePlace(SKILLS);
    forgeRun(join(place.runs, "endless"), flood("pdf-forms", 50_000));
    const { runs, diagnostics } = await readRuns([place.runs]);
    expect(diagnostics.map(({ code }) => code)).toEqual(["run-outcomes-cut"]);
    const { skills } = (await place.open()).snapshot;
    expect(learnFromRuns(runs, { skills, before: NOTHING_LEARNED }).changes).toEqual([]);
  });

  test("with very many runs moves no further than the bound, and its texts come out clean", async () => {
    const place = makePlace(SKILLS);
    for (let run = 0; run < 60; run += 1) forgeRun(join(place.runs, `forged-${run}`), flood("pdf-forms", 20));
    const { learned } = await learn(place);
    const entry = learned.skills.get("pdf-forms")!;
    expect(entry.threshold).toBe(THRESHOLD_BOUNDS.highest);
    // Every run says the same five.
    expect(entry.unwanted.length).toBe(5);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
    expect(formatLearned(learned)).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202a-\u202e\ud800-\udfff]/);
  });

  test("with forged names and origins adds no skill", async () => {
    const place = makePlace(SKILLS);
    for (const [index, name] of [
      "__proto__",
      "ghost",
      "pdf-forms\n",
      "pdf\u2010forms",
      "x".repeat(5000),
    ].entries())
      for (let run = 0; run < 3; run += 1) forgeRun(join(place.runs, `n-${index}-${run}`), flood(name, 5));
    for (let run = 0; run < 3; run += 1) {
      const [, ...rest] = flood("podcast", 5);
      forgeRun(join(place.runs, `o-${run}`), [policy(["podcast"], "builtin"), ...rest]);
    }
    const lesson = await learn(place);
    expect(lesson).toMatchObject({ changes: [], tooFew: [], ofOthers: 90 });
    expect(lesson.learned.skills.size).toBe(0);
  });
});
