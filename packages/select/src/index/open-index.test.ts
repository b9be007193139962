import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createSelector } from "../create-selector.ts";
import { makeSkill, writeHeader } from "../testing/make-skill.ts";
import { makeAskedSkills } from "../testing/varied-library.ts";

const asked = makeAskedSkills(60);
const library = asked.map(({ skill }) => skill);

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "skillet-index-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test("a body that could not be read is read the next time, and is kept then", async () => {
  const cacheFile = join(folder, "index");
  const skill = makeSkill(writeHeader("odd-one", "Does odd things."));
  const snapshot = [...library, skill];
  const reads: string[] = [];
  const open = async (body: string | undefined) => {
    reads.length = 0;
    const readBody = ({ name }: typeof skill): string | undefined => {
      reads.push(name);
      return name === skill.name ? body : "";
    };
    return createSelector(snapshot, { cacheFile, readBody });
  };
  const without = await open(undefined);
  expect(without.select("does odd things")[0]?.skill).toBe(skill);
  expect(reads).toHaveLength(library.length + 1);
  const withBody = await open("zymurgic quizzaciously");
  expect(reads).toEqual([skill.name]);
  expect(withBody.select("zymurgic quizzaciously")[0]?.skill).toBe(skill);
  const again = await open("zymurgic quizzaciously");
  expect(reads).toEqual([]);
  expect(again.select("zymurgic quizzaciously")[0]?.skill).toBe(skill);
});

test("a skill that was removed no longer counts for how rare words are", async () => {
  const cacheFile = join(folder, "index");
  const everything = asked
    .slice(0, 20)
    .map(({ message }) => message)
    .join(" ");
  // Fewer than a quarter of all: the file stays as it is.
  const flood = Array.from({ length: 19 }, (_, index) =>
    makeSkill(writeHeader(`flood-${index}`, `${everything.replaceAll('"', "")} ${index}`)),
  );
  await createSelector([...library, ...flood], { cacheFile });
  const after = await createSelector(library, { cacheFile });
  const fresh = await createSelector(library);
  for (const { message } of asked) expect(after.select(message)).toEqual(fresh.select(message));
});

test("the order of a library does not change what is found", async () => {
  const forwards = await createSelector(library);
  const backwards = await createSelector(library.toReversed());
  for (const { message } of asked)
    expect(backwards.select(message, { limit: 10 })).toEqual(forwards.select(message, { limit: 10 }));
});

test("of two that fit equally well the first by name comes first", async () => {
  const twin = (name: string) => makeSkill(writeHeader(name, "Brews zymurgic ale."));
  for (const names of [
    ["aa", "bb"],
    ["bb", "aa"],
  ]) {
    const selector = await createSelector([...library, ...names.map(twin)]);
    const [first, second] = selector.select("brew zymurgic ale", { limit: 10 });
    expect(first?.skill.name).toBe("aa");
    expect(second === undefined || second.score <= (first?.score ?? 0)).toBe(true);
  }
});
