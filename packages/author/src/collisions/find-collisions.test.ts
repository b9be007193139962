import { describe, expect, test } from "vitest";
import { makeSkill, makeSnapshot, OTHERS } from "../testing/make-skill.ts";
import { findCollisions } from "./find-collisions.ts";

const MERGE = makeSkill(
  "pdf-merge",
  'Merge PDF files. Use when the user says "merge these pdf files", "join two pdf documents" or "combine pdf pages".',
);
// Claims the other's phrases in its own words, and more of them.
const GREEDY = makeSkill(
  "pdf-greedy",
  'Merge these pdf files, join two pdf documents, combine pdf pages. Use when the user says "merge these pdf files" or "join two pdf documents" or "stamp a watermark".',
);
const find = (
  skills: Parameters<typeof makeSnapshot>[0],
  options: Parameters<typeof findCollisions>[1] = {},
) => findCollisions(makeSnapshot(skills), options);

test("skills that claim the same messages are a pair, with the phrases and the words at fault", async () => {
  const { collisions } = await find([...OTHERS, MERGE, GREEDY]);
  expect(collisions.map(({ kind, skills }) => [kind, skills])).toEqual([
    ["overlap", ["pdf-greedy", "pdf-merge"]],
  ]);
  const direction = collisions[0]?.directions.find(({ from }) => from === "pdf-merge");
  expect(direction).toMatchObject({ from: "pdf-merge", to: "pdf-greedy", queries: 3 });
  expect((direction?.stolen ?? 0) + (direction?.close ?? 0)).toBe((direction?.share ?? 0) * 3);
  expect(direction?.phrases.map(({ text, source }) => [text, source])).toContainEqual([
    "join two pdf documents",
    "phrase",
  ]);
  expect(direction?.sharedWords).toContain("pdf");
  expect(direction?.sharedWords).not.toContain("these");
});

test("skills about different things do not collide", async () => {
  expect(await find(OTHERS)).toMatchObject({ collisions: [], skills: 5, cut: { phrases: 0, skills: 0 } });
});

describe("copies", () => {
  test("skills of the same text are told as copies, not as thousands of pairs, and first", async () => {
    const copies = ["one", "two", "three"].map((name) =>
      makeSkill(name, "Look after  aquariums: pumps, filters and fish."),
    );
    const spaced = makeSkill("four", "look after aquariums: pumps, filters and fish.");
    const { collisions } = await find([...OTHERS, MERGE, GREEDY, ...copies, spaced]);
    expect(collisions[0]).toEqual({
      kind: "copy",
      skills: ["one", "two", "three", "four"].sort((left, right) => (left < right ? -1 : 1)),
      harm: 4,
      directions: [],
    });
    expect(collisions.map(({ kind }) => kind)).toEqual(["copy", "overlap"]);
  });
});

describe("which are looked at", () => {
  test("names narrow it to pairs that concern them, in both directions", async () => {
    const all = [...OTHERS, MERGE, GREEDY];
    expect((await find(all, { names: ["recipes"] })).collisions).toEqual([]);
    for (const name of ["pdf-merge", "pdf-greedy"])
      expect((await find(all, { names: [name] })).collisions).toEqual((await find(all)).collisions);
  });

  test("skills that are not offered, or not to models, neither steal nor lose", async () => {
    const shy = makeSkill("pdf-greedy", GREEDY.manifest.description, ["disable-model-invocation: true"]);
    for (const rival of [
      shy,
      { ...GREEDY, state: "disabled" as const },
      { ...GREEDY, kind: "command" as const },
    ])
      expect((await find([...OTHERS, MERGE, rival])).collisions).toEqual([]);
  });

  test("a share that is too small is not told", async () => {
    expect((await find([...OTHERS, MERGE, GREEDY], { minShare: 1.01 })).collisions).toEqual([]);
  });

  test("the skill's own trigger set is tried first, without what should not call it", async () => {
    const set = [
      { id: "1", query: "stamp a watermark", shouldTrigger: true },
      { id: "2", query: "bake bread", shouldTrigger: false },
    ];
    const { collisions, queries } = await find([...OTHERS, MERGE, GREEDY], {
      triggerSets: new Map([["pdf-merge", set]]),
    });
    const without = await find([...OTHERS, MERGE, GREEDY]);
    expect(queries).toBe(without.queries + 1);
    const direction = collisions[0]?.directions.find(({ from }) => from === "pdf-merge");
    expect(direction?.phrases).toContainEqual(
      expect.objectContaining({ text: "stamp a watermark", source: "trigger-set", outcome: "stolen" }),
    );
  });

  test("of a skill with very many phrases some are tried, and the rest is counted", async () => {
    const chatty = makeSkill(
      "chatty",
      Array.from({ length: 30 }, (_, index) => `"phrase number ${index}"`).join(", "),
    );
    const { queries, cut } = await find([chatty]);
    expect([queries, cut]).toEqual([12, { phrases: 18, skills: 0 }]);
  });
});

test("the same library gives the same report, in whatever order it comes", async () => {
  const library = [...OTHERS, MERGE, GREEDY];
  expect(await find(library)).toEqual(await find([...library].reverse()));
});

test("progress counts skills, and an abort ends it", async () => {
  const steps: number[] = [];
  await find(OTHERS, { onProgress: (done) => steps.push(done) });
  expect(steps).toEqual([1, 2, 3, 4, 5]);
  await expect(find(OTHERS, { signal: AbortSignal.abort() })).rejects.toMatchObject({ name: "AbortError" });
});
