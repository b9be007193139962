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
function taken(selector: Selector): { readonly first: number; readonly activated: number } {
  const isGreedy = ({ skill }: { readonly skill: unknown }): boolean => skill === greedy;
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
