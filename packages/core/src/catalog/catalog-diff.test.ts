import { expect, test } from "vitest";
import { catalogDiff } from "./catalog-diff.ts";
import { createCatalog } from "./create-catalog.ts";
import { makeSkill } from "./testing/make-skill.ts";

const options = { format: "markdown" } as const;
const none = createCatalog([], options);
const one = createCatalog([makeSkill({ name: "notes" })], options);
const two = createCatalog([makeSkill({ name: "notes" }), makeSkill({ name: "pdf" })], options);

test("nothing is said when a model would be told the same again", () => {
  const edited = makeSkill({ name: "notes", digest: `sha256:${"1".repeat(64)}`, bodyCharacters: 9 });
  expect(catalogDiff(one, createCatalog([edited], options))).toBeUndefined();
  expect(catalogDiff(none, createCatalog([], options))).toBeUndefined();
});

test("a new list takes the place of the old one", () => {
  expect(catalogDiff(one, two)).toEqual({
    text: `The available skills have changed. This list takes the place of the one given before.\n\n${two.text}`,
    added: ["pdf"],
    removed: [],
  });
  expect(catalogDiff(two, one)).toMatchObject({ added: [], removed: ["pdf"] });
});

test("a description that changed is a change", () => {
  const changed = createCatalog([makeSkill({ name: "notes", manifest: { description: "Other." } })], options);
  expect(catalogDiff(one, changed)).toEqual({
    text: `The available skills have changed. This list takes the place of the one given before.\n\n${changed.text}`,
    added: [],
    removed: [],
  });
});

test("when the last skill goes, a model is told that there are none", () => {
  expect(catalogDiff(two, none)).toEqual({
    text: "No skills are available any more. The list of skills given before no longer holds.",
    added: [],
    removed: ["notes", "pdf"],
  });
});

test("the first skills are announced without a list that they would replace", () => {
  expect(catalogDiff(none, one)).toEqual({
    text: `Skills are available now.\n\n${one.text}`,
    added: ["notes"],
    removed: [],
  });
});
