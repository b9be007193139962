import { expect, test } from "vitest";
import { createSelector } from "./create-selector.ts";
import type { Selector } from "./selector.ts";
import { makeSkill, writeHeader } from "./testing/make-skill.ts";
import { makeAskedSkills } from "./testing/varied-library.ts";

const asked = makeAskedSkills(160);
const honest = asked.map(({ skill }) => skill);
const words = new Set(honest.flatMap(({ manifest }) => manifest.description.toLowerCase().split(/[^a-z]+/)));
const greedy = makeSkill(writeHeader("helper", [...words].join(" ").slice(0, 3_000)));
const snapshot = [...honest, greedy];
const others = asked.filter((_, index) => index % 2 === 1);

/** For how many messages of others it comes first, and for how many it is activated. */
function taken(selector: Selector, taker = greedy): { readonly first: number; readonly activated: number } {
  const isGreedy = ({ skill }: { readonly skill: unknown }): boolean => skill === taker;
  return {
    first: others.filter(({ message }) => selector.select(message, { limit: 1 }).some(isGreedy)).length,
    activated: others.filter(({ message }) => selector.decide(message).activate.some(isGreedy)).length,
  };
}

test("examples of everything bring a stuffed skill hardly more messages than its words do", async () => {
  const examples = asked
    .filter((_, index) => index % 2 === 0)
    .map(({ message }) => ({ message, shouldTrigger: true }));
  const byWords = taken(await createSelector(snapshot));
  const byExamples = taken(await createSelector(snapshot, { examples: new Map([["helper", examples]]) }));
  const share = others.length / 40;
  expect(byExamples.first).toBeLessThanOrEqual(byWords.first + share);
  expect(byExamples.activated).toBeLessThanOrEqual(byWords.activated + share);
});

test("examples of what a skill is about still lift it", async () => {
  const message = "my printer eats paper again";
  const skill = makeSkill(writeHeader("office-machines", "Repairs copiers and a printer of any make."));
  const own = { snapshot: [...honest, skill], name: "office-machines" };
  const examples = new Map([[own.name, [{ message: "the printer eats all my paper", shouldTrigger: true }]]]);
  const scoreOf = (selector: Selector): number =>
    selector.select(message, { limit: 50 }).find((one) => one.skill === skill)?.score ?? 0;
  const plain = await createSelector(own.snapshot);
  expect(scoreOf(await createSelector(own.snapshot, { examples }))).toBeGreaterThan(scoreOf(plain));
});

test.each([3_000, 1_400])(
  "twelve sample messages about others bring a skill of %s stuffed characters a message each at most",
  async (length) => {
    const stuffed = makeSkill(writeHeader("helper", [...words].join(" ").slice(0, length)));
    const skills = [...honest, stuffed];
    const generated = asked.filter((_, index) => index % 14 === 0).map(({ message }) => message);
    const entry = { used: 0, ignored: 0, wrong: 0, threshold: 0, wanted: [], unwanted: [] };
    const learned = {
      skills: new Map([
        ["helper", { ...entry, generatedFrom: stuffed.digest, generated: generated.slice(0, 12) }],
      ]),
    };
    const byWords = taken(await createSelector(skills), stuffed);
    const bySamples = taken(await createSelector(skills, { learned }), stuffed);
    expect(bySamples.first).toBeLessThanOrEqual(byWords.first + 12);
    expect(bySamples.activated).toBeLessThanOrEqual(byWords.activated + 12);
  },
);

test("sample messages find their skill while its text is the one they were made from", async () => {
  const skill = makeSkill(writeHeader("office-machines", "Repairs copiers of any make."));
  const entry = { used: 0, ignored: 0, wrong: 0, threshold: 0, wanted: [], unwanted: [] };
  const withSamples = async (generatedFrom: string): Promise<Selector> =>
    createSelector([...honest, skill], {
      learned: {
        skills: new Map([
          [
            "office-machines",
            { ...entry, generatedFrom, generated: ["paper is stuck in the tray by the window"] },
          ],
        ]),
      },
    });
  const found = (await withSamples(skill.digest)).select("the tray has paper stuck again")[0];
  expect(found?.skill).toBe(skill);
  expect(found?.reasons).toContain("near to a sample message");
  const stale = (await withSamples("sha256:00000000")).select("the tray has paper stuck again");
  expect(stale.map((one) => one.skill)).not.toContain(skill);
});
