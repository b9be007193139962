import { atOnce } from "@skillet/kit/async";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Skill } from "../../../core/src/registry/skill.ts";
import { measureSignals } from "../rank/measure-signals.ts";
import { makeSkill, writeHeader } from "../testing/make-skill.ts";
import { makeVariedLibrary } from "../testing/varied-library.ts";
import { describeSkill } from "../text/describe-skill.ts";
import { readMessage } from "../text/message.ts";
import { IndexBuilder, quantise, WEIGHTS } from "./index-builder.ts";
import { createIndex, type StoredIndex } from "./skill-index.ts";

test("a packed weight is within two per cent of what it was", () => {
  fc.assert(
    fc.property(fc.double({ min: 0.011, max: 60, noNaN: true }), (weight) => {
      expect(Math.abs((WEIGHTS[quantise(weight)] ?? 0) / weight - 1)).toBeLessThan(0.02);
    }),
  );
});

const library = [
  ...makeVariedLibrary(60),
  makeSkill(
    writeHeader("quokka-counter", "Counts quokkas. Do NOT use for wallabies or bilbies.", [
      "triggers:",
      "  patterns:",
      '    - "quokka-[0-9]+"',
    ]),
  ),
];
const keyOf = (skill: Skill): string => describeSkill(skill, "").key;

function build(skills: readonly Skill[], kept?: StoredIndex, isAlive = (_: string) => true): StoredIndex {
  const builder = new IndexBuilder();
  if (kept !== undefined) atOnce(builder.keep(kept, isAlive));
  for (const skill of skills) builder.add(describeSkill(skill, "# How\n\nRun it with care.\n"));
  return atOnce(builder.build());
}

/** The findings of an index about messages, skill by skill, whatever its numbers. */
function answers(stored: StoredIndex): unknown {
  const index = createIndex(stored);
  return ["count the quokkas, not the wallabies", "deploy the cluster with care", "翻译字幕"].map((text) =>
    measureSignals(index, readMessage(text))
      .map(({ skill, ...signals }) => ({
        key: stored.keys[skill]!,
        signals: Object.values(signals).map((value) => Number(Number(value).toFixed(5))),
      }))
      .sort((left, right) => (left.key < right.key ? -1 : 1)),
  );
}

test("an index that skills were added to says the same as one that was built at once", () => {
  const whole = build(library);
  const grown = build(library.slice(23), build(library.slice(20, 23), build(library.slice(0, 20))));
  expect(grown.keys).toEqual(whole.keys);
  expect(grown.patterns).toEqual(whole.patterns);
  expect(answers(grown)).toEqual(answers(whole));
});

test("of skills that are gone nothing is left, and the rest is as if they had never been", () => {
  const left = library.filter((_, index) => index % 3 !== 1);
  const keys = new Set(left.map(keyOf));
  const thinned = build([], build(library), (key) => keys.has(key));
  const anew = build(left);
  expect(thinned.keys).toEqual(anew.keys);
  expect(thinned.patterns).toEqual(anew.patterns);
  expect(thinned.terms.toSorted()).toEqual(anew.terms.toSorted());
  expect(answers(thinned)).toEqual(answers(anew));
  expect(build([], build(library), () => false).terms).toEqual([]);
});
