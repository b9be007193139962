import { expect, test } from "vitest";
import type { Skill } from "../../registry/skill.ts";
import { describeSkill } from "../document/describe-skill.ts";
import { measureSignals } from "../signal/measure-signals.ts";
import { readMessage } from "../signal/message.ts";
import { makeSkill, writeHeader } from "../testing/make-skill.ts";
import { makeVariedLibrary } from "../testing/varied-library.ts";
import { compactSegments, mergeSegments } from "./merge-segments.ts";
import type { Segment } from "./segment.ts";
import { SegmentBuilder } from "./segment-builder.ts";
import { joinSegments } from "./skill-index.ts";

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

function build(skills: readonly Skill[]): Segment {
  const builder = new SegmentBuilder();
  for (const skill of skills) builder.add(describeSkill(skill, "# How\n\nRun it with care.\n"));
  return builder.build();
}

/** What an index says about messages, skill by skill, whatever its numbers. */
function answers(segments: readonly Segment[], isAlive?: (key: string) => boolean): unknown {
  const index = joinSegments(segments, isAlive);
  return ["count the quokkas, not the wallabies", "deploy the cluster with care", "翻译字幕"].map((text) =>
    measureSignals(index, readMessage(text))
      .map(({ candidate, signals }) => ({
        key: segments[candidate.place]!.keys[candidate.skill],
        signals: Object.values(signals).map((value) => Number(value.toFixed(5))),
      }))
      .sort((left, right) => (left.key! < right.key! ? -1 : 1)),
  );
}

test("segments that are merged say the same as one that was built at once", () => {
  const parts = [library.slice(0, 20), library.slice(20, 23), library.slice(23)].map(build);
  const merged = mergeSegments(parts, () => true);
  expect(merged.keys).toEqual(build(library).keys);
  expect(merged.patterns).toEqual(build(library).patterns);
  expect(answers([merged])).toEqual(answers([build(library)]));
});

test("of skills that are gone nothing is left, and the rest is as if they had never been", () => {
  const left = library.filter((_, index) => index % 3 !== 1);
  const keys = new Set(left.map(keyOf));
  const merged = mergeSegments([build(library.slice(0, 30)), build(library.slice(30))], (key) =>
    keys.has(key),
  );
  expect(merged.keys).toEqual(left.map(keyOf));
  expect(answers([merged])).toEqual(answers([build(left)]));
});

test("small segments become one when many have piled up, and a segment is thinned when much of it is gone", () => {
  const pieces = library.slice(0, 6).map((skill) => build([skill]));
  expect(compactSegments(pieces.slice(0, 4), () => true)).toEqual(pieces.slice(0, 4));
  const [one, ...none] = compactSegments(pieces, () => true);
  expect(none).toEqual([]);
  expect(one?.keys).toEqual(library.slice(0, 6).map(keyOf));
  const whole = build(library);
  const keys = new Set(library.slice(0, 20).map(keyOf));
  const [thin] = compactSegments([whole], (key) => keys.has(key));
  expect(thin?.keys).toEqual(library.slice(0, 20).map(keyOf));
  expect(compactSegments([whole], (key) => key !== keyOf(library[0]!))).toEqual([whole]);
  expect(compactSegments([whole], () => false)).toEqual([]);
});
