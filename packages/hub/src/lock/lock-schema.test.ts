import { SkilletError } from "@skillet/kit/errors";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { skillEntry, skillFiles } from "../place/testing/sandbox-project.ts";
import { formatEntry, formatLock } from "./format-lock.ts";
import type { LockEntry } from "./lock-entry.ts";
import { parseLock } from "./read-lock.ts";
import { arbitraryLock } from "./testing/arbitrary-lock.ts";

const ENTRY = skillEntry("pdf", skillFiles("pdf", "1"));
const TEXT = formatLock({ skills: new Map([["pdf", ENTRY]]) });

describe("a lock that is written and read", () => {
  test("is the same again, unknown keys and awkward names included", () => {
    fc.assert(
      fc.property(arbitraryLock, (lock) => {
        const read = parseLock(formatLock(lock), "skillet.lock");
        expect(plain(read)).toEqual(plain(lock));
      }),
      { numRuns: 300 },
    );
  });

  test("has the numbers that no one here knows as they were, also those that JavaScript would change", () => {
    const unknown = '"x-note": [12345678901234567890, 1e400, 1.10, -0, 7, { "deep": 1E2 }]';
    const text = TEXT.replace('"lockVersion"', `${unknown}, "lockVersion"`).replace(
      '"kind"',
      `${unknown}, "kind"`,
    );
    const written = formatLock(parseLock(text, "skillet.lock"));
    expect(written.replace(/\s+/g, "").split(unknown.replace(/\s+/g, ""))).toHaveLength(3);
    expect(formatLock(parseLock(written, "skillet.lock"))).toBe(written);
  });

  test("is a fixed point, whatever the order in which it came about", () => {
    fc.assert(
      fc.property(arbitraryLock, (lock) => {
        const text = formatLock(lock);
        expect(formatLock(parseLock(text, "skillet.lock"))).toBe(text);
        const turned = new Map([...lock.skills].reverse().map(([name, entry]) => [name, reversed(entry)]));
        expect(formatLock({ ...lock, skills: turned })).toBe(text);
      }),
      { numRuns: 300 },
    );
  });

  test("has its entries in byte order, however someone wrote them down", () => {
    const entry = formatEntry(ENTRY);
    const text = `{"lockVersion":1,"skills":{"z":${entry},"a":${entry},"10":${entry},"9":${entry}}}`;
    expect([...parseLock(text, "skillet.lock").skills.keys()]).toEqual(["10", "9", "a", "z"]);
  });

  test("has each file and each target on a line of its own, and leaves empty capabilities out", () => {
    expect(TEXT.split("\n").filter((line) => line.includes("SKILL.md"))).toEqual([
      `        "SKILL.md": { "digest": "${ENTRY.files["SKILL.md"]!.digest}", "mode": "644", "size": ${ENTRY.files["SKILL.md"]!.size} },`,
    ]);
    expect(TEXT).toContain('        { "how": "copy", "path": ".agents/skills/pdf" }\n');
    expect(TEXT).toContain('"capabilities": {},');
    expect(TEXT.endsWith("}\n")).toBe(true);
    expect(parseLock(TEXT, "x").skills.get("pdf")!.capabilities.network).toEqual([]);
  });

  test("merges line by line: two branches that add a skill each differ in no common line", () => {
    const other = formatLock({
      skills: new Map([
        ["pdf", ENTRY],
        ["zip", ENTRY],
      ]),
    });
    const lines = new Set(other.split("\n"));
    expect(TEXT.split("\n").filter((line) => !lines.has(line))).toEqual([]);
  });
});

describe("a lock that cannot be believed", () => {
  const cases: [string, string, RegExp][] = [
    ["is cut off", TEXT.slice(0, 200), /skillet\.lock:\d+: /],
    ["is empty", "", /:1: this is not valid JSON: the text ends where a value is expected/],
    [
      "has a merge conflict",
      TEXT.replace('  "skills"', '<<<<<<< HEAD\n  "skills"'),
      /:3: a merge conflict is not settled.*version control/,
    ],
    ["has one skill twice", twice(TEXT), /the key "pdf" occurs twice/],
    [
      "has a key twice",
      TEXT.replace('"folder": ""', '"folder": "", "folder": ""'),
      /the key "folder" occurs twice/,
    ],
    ["is a list", "[]", /the document must be an object, but is a list/],
    [
      "has no version",
      TEXT.replace('"lockVersion": 1', '"lockVersion": "1"'),
      /`lockVersion` must be 1, but is "1"/,
    ],
    ["has no skills", '{ "lockVersion": 1 }', /has no `skills`/],
    [
      "has a short digest",
      TEXT.replace(/("digest": "sha256:)[0-9a-f]+(",\n)/, "$1abc$2"),
      /`skills.pdf.digest` must be sha256: and 64/,
    ],
    [
      "has a path that leads out",
      TEXT.replace('"scripts/run.sh"', '"../run.sh"'),
      /:\d+: `skills.pdf.files."..\/run.sh"` has the segment/,
    ],
    ["has paths that collide", TEXT.replace('"scripts/run.sh"', '"skill.MD"'), /pdf.*case/],
    [
      "has an odd mode",
      TEXT.replace('"mode": "755"', '"mode": "4755"'),
      /"scripts\/run.sh".mode` must be one of 644, 755/,
    ],
    ["has a negative size", TEXT.replace(/"size": \d+/, '"size": -1'), /size` must be a whole number/],
    [
      "pins to no commit",
      TEXT.replace("a".repeat(40), "main"),
      /`skills.pdf.resolved.commit` must be the full id of a commit/,
    ],
    [
      "has an unknown kind of source",
      TEXT.replace('"kind": "git"', '"kind": "toString"'),
      /resolved.kind` must be one of git/,
    ],
    [
      "links falsely",
      TEXT.replace('"kind": "skill"', '"kind": "skill", "linked": false'),
      /linked` must be true/,
    ],
    ["has a name that a shell reads", TEXT.replace('"pdf": {', '"pdf$(touch x)": {'), /a shell would act on/],
    ["has a name that is an option", TEXT.replace('"pdf": {', '"--force": {'), /a shell would act on/],
    ["has a name with a slash", TEXT.replace('"pdf": {', '"../pdf": {'), /slash or a control character/],
    ["is too deep", "[".repeat(100_000), /nested more than 64 deep/],
  ];

  test.each(cases.map(([title, text, message]) => ({ title, text, message })))(
    "that $title is refused with its line",
    ({ text, message }) => {
      const error = failureOf(() => parseLock(text, "skillet.lock"));
      expect(error.code).toBe("lock-invalid");
      expect(error.message).toMatch(message);
      expect(error.message).toMatch(/\. (?:Correct|Settle|Restore) it/);
    },
  );

  test("of a newer version is refused by its own code", () => {
    const error = failureOf(() =>
      parseLock(TEXT.replace('"lockVersion": 1', '"lockVersion": 2'), "skillet.lock"),
    );
    expect([error.code, error.data]).toEqual(["lock-newer", { file: "skillet.lock", version: 2 }]);
  });

  test("never gives anything but a lock or that error, whatever the bytes", () => {
    const mutated = fc
      .tuple(fc.nat(TEXT.length - 1), fc.nat(20), fc.string({ maxLength: 5 }))
      .map(([at, count, text]) => TEXT.slice(0, at) + text + TEXT.slice(at + count));
    fc.assert(
      fc.property(fc.oneof(mutated, fc.string()), (text) => {
        try {
          formatLock(parseLock(text, "x"));
        } catch (error) {
          expect(SkilletError.isInstance(error) && /^lock-(?:invalid|newer)$/.test(error.code)).toBe(true);
        }
      }),
      { numRuns: 500 },
    );
  });

  test("cannot reach the prototype of anything", () => {
    const text = TEXT.replace('"lockVersion"', '"__proto__": { "polluted": true },\n  "lockVersion"').replace(
      '"folder": ""',
      '"__proto__": { "linked": true }, "folder": ""',
    );
    const lock = parseLock(text, "x");
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    expect(lock.skills.get("pdf")!.linked).toBeUndefined();
    expect(formatLock(parseLock(formatLock(lock), "x"))).toBe(formatLock(lock));
    expect(formatLock(lock)).toContain('"polluted": true');
  });
});

test("two entries are the same exactly when they are written alike", () => {
  expect(formatEntry(reversed(ENTRY))).toBe(formatEntry(ENTRY));
  expect(formatEntry({ ...ENTRY, folder: "x" })).not.toBe(formatEntry(ENTRY));
});

function twice(text: string): string {
  const start = text.indexOf('    "pdf": {');
  const end = text.lastIndexOf("\n  }\n}");
  return `${text.slice(0, end)},\n${text.slice(start, end)}${text.slice(end)}`;
}

function reversed(entry: LockEntry): LockEntry {
  const turn = (value: object): object =>
    Object.entries(value)
      .reverse()
      .reduce(
        (made, [key, item]) =>
          Object.assign(
            made,
            Object.defineProperty(Object.create(null), key, { value: item, enumerable: true }),
          ),
        Object.create(null),
      );
  const { files, report } = entry;
  return turn({ ...entry, files: turn(files), report: turn(report) }) as LockEntry;
}

// Entries of the two sides have different prototypes, and `undefined` never stands for a key.
function plain(lock: { readonly skills: ReadonlyMap<string, LockEntry>; readonly extra?: object }): unknown {
  return [
    [...lock.skills]
      .sort(([left], [right]) => (left < right ? -1 : 1))
      .map(([name, entry]) => [name, pairs(entry)]),
    pairs(lock.extra ?? {}),
  ];
}

function pairs(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(pairs);
  if (typeof value !== "object" || value === null) return Object.is(value, -0) ? 0 : value;
  return Object.keys(value)
    .sort()
    .map((key) => [key, pairs((value as Record<string, unknown>)[key])]);
}

function failureOf(action: () => unknown): SkilletError {
  try {
    action();
  } catch (error) {
    if (SkilletError.isInstance(error)) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}
