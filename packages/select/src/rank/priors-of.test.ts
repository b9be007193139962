import { expect, test } from "vitest";
import { createSelector } from "../create-selector.ts";
import { makeLibrary, makeSkill, writeHeader } from "../testing/make-skill.ts";

const bees = makeSkill(
  writeHeader("bees", "Plans the care of honey bee hives: swarms, mites, winter feed.", [
    'paths: ["**/*.hive"]',
  ]),
);
const hives = makeSkill(writeHeader("hives", "Lists hives for sale."));
const selector = await createSelector([bees, hives, ...makeLibrary(60)]);
const MESSAGE = "my honey bees have mites, plan the care of the hives before winter";

function offered(message: string, files?: readonly string[]): readonly string[] {
  const context = files && { context: { files } };
  const { activate, suggest } = selector.decide(message, context);
  const found = selector.select(message, { limit: 50, ...context });
  return [...activate, ...suggest, ...found].map(({ skill }) => skill.name);
}

test("a skill that is bound to paths is offered where it is not known which files are in play", () => {
  expect(offered(MESSAGE)).toContain("bees");
});

test("a skill that is bound to paths is not offered for other files, nor where there are none", () => {
  expect(offered(MESSAGE, ["a.py"])).not.toContain("bees");
  expect(offered(MESSAGE, [])).not.toContain("bees");
  expect(offered(MESSAGE, ["a.py"])).toContain("hives");
});

test("it is offered for its own files, for a file that the message names, and for a message that names it", () => {
  expect(offered(MESSAGE, ["a.py", "yard/north.hive"])).toContain("bees");
  expect(offered(`${MESSAGE}, see yard/north.hive`, ["a.py"])).toContain("bees");
  expect(offered("use $bees here", ["a.py"])).toContain("bees");
});

test("those after it stand as if it were not there", async () => {
  const without = await createSelector([hives, ...makeLibrary(60)]);
  const names = (some: typeof selector): readonly string[] =>
    some.select(MESSAGE, { limit: 10, context: { files: ["a.py"] } }).map(({ skill }) => skill.name);
  expect(names(selector)).toEqual(names(without));
});
