import { describe, expect, test } from "vitest";
import type { JournalRecord } from "../records/session-record.ts";
import {
  ACTIVATION,
  digestOf,
  EXECUTION,
  POLICY,
  READ,
  REFUSED_READ,
} from "../records/testing/sample-records.ts";
import { TurnReader } from "./turn-reader.ts";

const FRAME: JournalRecord = {
  ...POLICY,
  skills: ["pdf", "docx"].map((name) => ({ name, digest: digestOf("1"), origin: "local" })),
};
const ENDED: JournalRecord = { kind: "turn-ended" };

function offer(...skills: readonly (readonly [name: string, tier: "activate" | "suggest"])[]): JournalRecord {
  return { kind: "offer", message: "fill it", skills: skills.map(([name, tier]) => ({ name, tier })) };
}

function saw(name: string, certainty: "sure" | "likely"): JournalRecord {
  return {
    kind: "implicit-use",
    name,
    how: certainty === "sure" ? "script" : "command",
    certainty,
    subject: "x",
  };
}

/** Name, outcome and whether another skill was used, of all turns. */
function outcomesOf(...records: readonly JournalRecord[]): readonly string[] {
  const reader = new TurnReader();
  return [...[FRAME, ...records].flatMap((record) => reader.take(record)), ...reader.finish()].map(
    ({ name, outcome, isDisplaced }) => `${name} ${outcome}${isDisplaced ? " displaced" : ""}`,
  );
}

describe("an offer", () => {
  test("is used when the skill is loaded, read, run or seen at work, and ignored otherwise", () => {
    const suggestion = offer(["pdf", "suggest"]);
    expect(outcomesOf(suggestion, ENDED)).toEqual(["pdf ignored"]);
    for (const use of [ACTIVATION, READ, EXECUTION, saw("pdf", "sure")])
      expect(outcomesOf(suggestion, use, ENDED)).toEqual(["pdf used"]);
    expect(outcomesOf(suggestion, { ...REFUSED_READ, skillName: "pdf" }, ENDED)).toEqual(["pdf ignored"]);
  });

  test("says less when another skill was used in its turn", () => {
    expect(outcomesOf(offer(["pdf", "suggest"], ["docx", "suggest"]), ACTIVATION, ENDED)).toEqual([
      "pdf used",
      "docx ignored displaced",
    ]);
  });

  test("says less beside a skill that the decision loaded, unless that one was wrong", () => {
    const decided = offer(["pdf", "activate"], ["docx", "suggest"]);
    expect(outcomesOf(decided, ACTIVATION, ENDED)).toEqual(["docx ignored displaced"]);
    expect(outcomesOf(decided, ENDED)).toEqual(["pdf ignored", "docx ignored"]);
    const wrong: JournalRecord = { kind: "outcome", name: "pdf", outcome: "wrong" };
    expect(outcomesOf(decided, ACTIVATION, wrong, ENDED)).toEqual(["pdf wrong", "docx ignored"]);
  });

  test("is about the message that it was made for, not about one before that offered nothing", () => {
    const reader = new TurnReader();
    const records: readonly JournalRecord[] = [
      FRAME,
      { kind: "offer", message: "hello", skills: [] },
      offer(["pdf", "suggest"]),
      saw("docx", "sure"),
      ENDED,
    ];
    const outcomes = records.flatMap((record) => reader.take(record));
    expect(outcomes.map(({ name, outcome, message }) => [name, outcome, message])).toEqual([
      ["pdf", "ignored", "fill it"],
      ["docx", "used", "hello"],
    ]);
  });

  test("that loaded the skill by itself confirms nothing until something else does", () => {
    const decided = offer(["pdf", "activate"]);
    expect(outcomesOf(decided, ACTIVATION, ENDED)).toEqual([]);
    expect(outcomesOf(decided, ACTIVATION, READ, ENDED)).toEqual(["pdf used"]);
    expect(outcomesOf(decided, { ...ACTIVATION, source: "user" }, ENDED)).toEqual(["pdf used"]);
    expect(outcomesOf(decided, ENDED)).toEqual(["pdf ignored"]);
  });

  test("of a skill that is in context already is not ignored, until a compaction drops its text", () => {
    const again = offer(["pdf", "suggest"]);
    expect(outcomesOf(ACTIVATION, ENDED, again, ENDED)).toEqual(["pdf used"]);
    const dropped: JournalRecord = { kind: "compaction", kept: [], dropped: ["pdf"] };
    expect(outcomesOf(ACTIVATION, ENDED, dropped, again, ENDED)).toEqual(["pdf used", "pdf ignored"]);
  });

  test("in a turn that never ended is not ignored", () => {
    expect(outcomesOf(offer(["pdf", "suggest"]))).toEqual([]);
    expect(outcomesOf(offer(["pdf", "suggest"]), saw("pdf", "sure"))).toEqual(["pdf used"]);
  });
});

test("what the host says wins over what was seen", () => {
  const wrong: JournalRecord = { kind: "outcome", name: "pdf", outcome: "wrong" };
  expect(outcomesOf(offer(["pdf", "suggest"]), ACTIVATION, wrong, ENDED)).toEqual(["pdf wrong"]);
});

test("a program that a skill is about shows use only with the skill's text in context", () => {
  expect(outcomesOf(saw("pdf", "likely"), ENDED)).toEqual([]);
  expect(outcomesOf(offer(["pdf", "activate"]), ACTIVATION, saw("pdf", "likely"), ENDED)).toEqual([
    "pdf used",
  ]);
});

test("skills that were loaded beforehand or by a parent were not chosen for the message", () => {
  for (const source of ["preload", "parent"] as const)
    expect(outcomesOf({ ...ACTIVATION, source }, ENDED)).toEqual([]);
});

test("a skill that the session did not have counts for nothing", () => {
  const forged: JournalRecord = { kind: "outcome", name: "__proto__", outcome: "used" };
  expect(outcomesOf(offer(["ghost", "suggest"]), forged, saw("ghost", "sure"), ENDED)).toEqual([]);
});

test("an outcome carries the message of its turn, and its own where it has one", () => {
  const reader = new TurnReader();
  const own: JournalRecord = { kind: "outcome", name: "docx", outcome: "wrong", message: "write it" };
  const outcomes = [FRAME, offer(["pdf", "suggest"]), own, ENDED].flatMap((record) => reader.take(record));
  expect(outcomes).toEqual([
    {
      name: "pdf",
      outcome: "ignored",
      isDisplaced: false,
      message: "fill it",
      digest: digestOf("1"),
      origin: "local",
    },
    {
      name: "docx",
      outcome: "wrong",
      isDisplaced: false,
      message: "write it",
      digest: digestOf("1"),
      origin: "local",
    },
  ]);
});
