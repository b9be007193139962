import { expect, test } from "vitest";
import { makeProfile } from "../testing/make-fact.ts";
import { makeProseBook } from "../testing/make-prose.ts";
import { type Scheme, schemeHits } from "./section-signs.ts";

const SCHEME: Scheme = {
  cues: ["guard_cue", "record_cue"],
  message: "Both",
  purpose: /settings/,
  signs: [
    { name: "one", patterns: [/\bremove\b/, /\bhooks\b/] },
    { name: "two", patterns: [/\bfrom the log\b/], weight: "weak" },
  ],
};

function severities(text: string, profile = {}): readonly string[] {
  return schemeHits(makeProseBook(text), makeProfile(profile), SCHEME).map(({ severity }) => severity);
}

test("two signs of one section make a scheme, whatever their order and sentence", () => {
  expect(severities("Keep it from the log.\nThe hooks are what you remove.")).toEqual(["critical"]);
});

test("one sign alone, or a weak one, is nothing", () => {
  expect(severities("Remove the hooks")).toEqual([]);
  expect(severities("Keep it from the log")).toEqual([]);
});

test("a negation before the deed turns it round", () => {
  expect(severities("Never remove the hooks.\nKeep it from the log.")).toEqual([]);
});

test("what the skill is for is a note", () => {
  expect(severities("Remove the hooks.\nKeep it from the log.", { description: "Edits settings" })).toEqual([
    "info",
  ]);
});

test("long runs of matching words are got through", () => {
  expect(severities("remove hooks settings from the log ".repeat(20_000))).toEqual(["critical"]);
});
