import type { Learned, LearnedSkill } from "@skillet/select";
import { cleanExample, LEARNED_LIMITS, THRESHOLD_BOUNDS } from "@skillet/select/parts";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formatLearned } from "./learned-file.ts";
import { parseLearned } from "./parse-learned.ts";

const ENTRY: LearnedSkill = {
  origin: "local",
  digest: "sha256:0123456789abcdef",
  used: 1,
  ignored: 6,
  wrong: 0,
  threshold: 0.34,
  wanted: ["fill this form"],
  unwanted: ["read: this # scan"],
  note: "Ask Anna.",
};

const codesOf = (text: string): readonly string[] =>
  parseLearned(text, "f").diagnostics.map(({ code, range }) => `${code} ${range?.line}`);

test("a file is for people: every field is explained, entries are in byte order, and it reads back the same", () => {
  const learned: Learned = {
    skills: new Map([
      ["pdf", ENTRY],
      ["Zed", { ...ENTRY, keep: true, wanted: [], unwanted: [] }],
    ]),
  };
  const text = formatLearned(learned);
  expect(text.slice(text.indexOf("version:"))).toMatchInlineSnapshot(`
    "version: 1
    skills:
      "Zed":
        origin: local
        digest: sha256:0123456789abcdef
        used: 1
        ignored: 6
        wrong: 0
        threshold: 0.34
        note: "Ask Anna."
        keep: true
      pdf:
        origin: local
        digest: sha256:0123456789abcdef
        used: 1
        ignored: 6
        wrong: 0
        threshold: 0.34
        wanted:
          - "fill this form"
        unwanted:
          - "read: this # scan"
        note: "Ask Anna."
    "
  `);
  for (const field of Object.keys({ ...ENTRY, keep: true })) expect(text).toContain(field);
  expect(parseLearned(text, "f")).toEqual({ learned, diagnostics: [] });
  expect(formatLearned(parseLearned(text, "f").learned)).toBe(text);
});

test("nothing learned is a file, too, and so is an empty text", () => {
  expect(parseLearned(formatLearned({ skills: new Map() }), "f").diagnostics).toEqual([]);
  expect(parseLearned("", "f")).toEqual({ learned: { skills: new Map() }, diagnostics: [] });
});

test("an entry by hand needs no more than what it says", () => {
  const { learned, diagnostics } = parseLearned("skills:\n  pdf:\n    threshold: 1\n    keep: true\n", "f");
  expect(diagnostics).toEqual([]);
  expect(learned.skills.get("pdf")).toEqual({
    used: 0,
    ignored: 0,
    wrong: 0,
    threshold: 1,
    wanted: [],
    unwanted: [],
    keep: true,
  });
});

describe("what is wrong is said with its place", () => {
  test("and the rest still counts", () => {
    const text = [
      "skills:",
      "  a: { threshold: high }",
      "  b: { thresold: 1, used: -1 }",
      "  c: { digest: md5, wanted: 7 }",
      "  d: { threshold: 0.5 }",
    ].join("\n");
    expect(codesOf(text)).toEqual([
      "learned-invalid 2",
      "learned-unknown-key 3",
      "learned-invalid 3",
      "learned-invalid 4",
      "learned-invalid 4",
    ]);
    expect(parseLearned(text, "f").learned.skills.get("d")?.threshold).toBe(0.5);
  });

  test("and a text that is no YAML, or of a later version, teaches nothing", () => {
    for (const text of [
      "skills: [",
      "a: &x 1\nb: *x",
      "- 1",
      "version: 2\nskills: { a: { threshold: 1 } }",
    ]) {
      const { learned, diagnostics } = parseLearned(text, "f");
      expect(learned.skills.size, text).toBe(0);
      expect(diagnostics[0], text).toMatchObject({ code: "learned-invalid", severity: "error", file: "f" });
    }
  });

  test("and what is beyond a bound is cut", () => {
    const many = JSON.stringify(Array.from({ length: 50 }, (_, index) => `message ${index}`));
    const text = `skills:\n  a: { threshold: 99, wanted: ${many} }\n  b: { threshold: -99, unwanted: ["${"x".repeat(999)}", "\u200b"] }\n`;
    const { learned } = parseLearned(text, "f");
    expect(codesOf(text)).toEqual([
      "learned-out-of-bounds 2",
      "learned-out-of-bounds 2",
      "learned-out-of-bounds 3",
      "learned-out-of-bounds 3",
    ]);
    expect(learned.skills.get("a")?.threshold).toBe(THRESHOLD_BOUNDS.highest);
    expect(learned.skills.get("a")?.wanted.length).toBe(LEARNED_LIMITS.examples);
    expect(learned.skills.get("b")?.threshold).toBe(THRESHOLD_BOUNDS.lowest);
    expect(learned.skills.get("b")?.unwanted).toEqual(["x".repeat(LEARNED_LIMITS.exampleCharacters)]);
  });
});

test("names like properties of every object are names of skills and nothing else", () => {
  const { learned } = parseLearned(
    "skills:\n  __proto__: { threshold: 1 }\n  constructor: { used: 2 }\n",
    "f",
  );
  expect([...learned.skills.keys()]).toEqual(["__proto__", "constructor"]);
  expect(({} as { threshold?: number }).threshold).toBeUndefined();
  expect(parseLearned(formatLearned(learned), "f").learned).toEqual(learned);
});

const example = fc
  .string({ unit: "binary", maxLength: 60 })
  .map((text) => cleanExample(text))
  .filter((text) => text !== undefined);
const examples = fc.uniqueArray(example, { maxLength: LEARNED_LIMITS.examples });
const entry: fc.Arbitrary<LearnedSkill> = fc.record(
  {
    origin: fc.constantFrom("local", "community", "null", "1"),
    digest: fc.stringMatching(/^[0-9a-f]{16}$/).map((digits) => `sha256:${digits}`),
    used: fc.nat(LEARNED_LIMITS.count),
    ignored: fc.nat(LEARNED_LIMITS.count),
    wrong: fc.nat(LEARNED_LIMITS.count),
    threshold: fc.integer({ min: -75, max: 150 }).map((hundredths) => hundredths / 100),
    wanted: examples,
    unwanted: examples,
    note: fc.string({ unit: "binary", maxLength: 60 }),
    keep: fc.constant(true),
  },
  { requiredKeys: ["used", "ignored", "wrong", "threshold", "wanted", "unwanted"] },
);
const name = fc.oneof(
  fc.string({ unit: "binary", minLength: 1, maxLength: 30 }),
  fc.constantFrom(
    "\u0085",
    "\u2028",
    "\ufeff",
    "\u007f",
    "\ud800",
    "null",
    "true",
    "1",
    "1e3",
    "~",
    "a: b",
    "# c",
    "__proto__",
    "user:pdf",
    "- x",
    "? y",
    "<<",
    "yes",
  ),
);

test("whatever is learned reads back as it was written", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(name, entry), { maxLength: 6 }), (entries) => {
      const learned: Learned = { skills: new Map(entries) };
      expect(parseLearned(formatLearned(learned), "f")).toEqual({ learned, diagnostics: [] });
    }),
    { numRuns: 200 },
  );
});

test("any text at all is read within bounds", () => {
  const text = fc.oneof(
    fc.string({ unit: "binary", maxLength: 200 }),
    fc
      .array(
        fc.constantFrom(
          "skills:",
          "\n",
          "  ",
          "a",
          ": ",
          "- ",
          "threshold",
          "1e999",
          "[",
          "{",
          "&a",
          "*a",
          "'",
          "\t",
        ),
        {
          maxLength: 60,
        },
      )
      .map((parts) => parts.join("")),
  );
  fc.assert(
    fc.property(text, (given) => {
      const { learned, diagnostics } = parseLearned(given, "f");
      for (const { threshold } of learned.skills.values())
        expect(threshold >= THRESHOLD_BOUNDS.lowest && threshold <= THRESHOLD_BOUNDS.highest).toBe(true);
      expect(diagnostics.length).toBeLessThanOrEqual(50);
    }),
    { numRuns: 300 },
  );
});

test("more lines and items than learning ever writes are refused before they are read as YAML", () => {
  const text = `version: 1\nskills:\n  pdf:\n    wanted: [${"x,".repeat(80_001)}]\n`;
  const { learned, diagnostics } = parseLearned(text, "f");
  expect(learned.skills.size).toBe(0);
  expect(diagnostics).toMatchObject([{ code: "learned-invalid", message: expect.stringContaining("80000") }]);
});

test("messages may hold as many commas as they like", () => {
  const wanted = Array.from({ length: 10 }, (_, index) => `${index}${",".repeat(290)}`);
  const entry = { used: 1, ignored: 0, wrong: 0, threshold: 0, wanted, unwanted: [] };
  const skills = new Map(Array.from({ length: 30 }, (_, index) => [`skill-${index}`, entry]));
  expect(parseLearned(formatLearned({ skills }), "f")).toEqual({ learned: { skills }, diagnostics: [] });
});
