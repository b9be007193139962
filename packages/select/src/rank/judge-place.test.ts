import { expect, test } from "vitest";
import { createSelector } from "../create-selector.ts";
import { makeLibrary, makeSkill, writeHeader } from "../testing/make-skill.ts";

const open = (described: Readonly<Record<string, string>>, count = 12) =>
  createSelector([
    ...makeLibrary(count),
    ...Object.entries(described).map(([name, description]) => makeSkill(writeHeader(name, description))),
  ]);

test("one word of a longer phrase, such as a place, is not worth a suggestion among many skills", async () => {
  const selector = await open({ "plane-watch": 'Follows planes. Use for "hamburg to oslo tomorrow".' }, 400);
  expect(selector.decide("wie wird das Wetter in Hamburg?").action).toBe("nothing");
  expect(selector.decide("hamburg to oslo tomorrow").action).not.toBe("nothing");
});
