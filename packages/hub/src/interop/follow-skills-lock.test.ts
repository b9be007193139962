import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { LockEntry } from "../lock/lock-entry.ts";
import { skillEntry, skillFiles } from "../place/testing/sandbox-project.ts";
import { followSkillsLock } from "./follow-skills-lock.ts";
import { formatSkillsLock } from "./format-skills-lock.ts";
import { skillsHash } from "./skills-hash.ts";

const versionOf = (name: string, version: string) => {
  const files = skillFiles(name, version);
  return { entry: skillEntry(name, files), hash: skillsHash(files) };
};
const [old, next] = [versionOf("pdf", "1"), versionOf("pdf", "2")];
const written = formatSkillsLock(
  { skills: new Map([["pdf", old.entry]]) },
  {
    hashes: new Map([["pdf", old.hash]]),
    existing: JSON.stringify({ version: 1, note: 1, skills: { theirs: { source: "x/y", odd: [1] } } }),
  },
);
const before = new Map([["pdf", old.entry]]);
const follow = (skills: readonly (readonly [string, LockEntry])[], hashes: readonly [string, string][]) =>
  JSON.parse(
    followSkillsLock(written, { lock: { skills: new Map(skills) }, before, hashes: new Map(hashes) }),
  );

describe("a skills-lock.json that names a skill of ours", () => {
  test("follows an update, and what belongs to others stays", () => {
    const { skills, note } = follow([["pdf", next.entry]], [["pdf", next.hash]]);
    expect(skills.pdf.computedHash).toBe(next.hash);
    expect([note, skills.theirs]).toEqual([1, { source: "x/y", odd: [1] }]);
  });

  test("loses what was removed, and what it has no form for any more", () => {
    expect(Object.keys(follow([], []).skills)).toEqual(["theirs"]);
    const plugin: LockEntry = { ...next.entry, kind: "plugin" };
    expect(Object.keys(follow([["pdf", plugin]], [["pdf", next.hash]]).skills)).toEqual(["theirs"]);
  });

  test("gains what an update brought along, and nothing else that is installed", () => {
    const [helper, other] = [versionOf("helper", "1"), versionOf("other", "1")];
    const { skills } = follow(
      [
        ["helper", { ...helper.entry, requiredBy: ["pdf"] }],
        ["other", other.entry],
        ["pdf", next.entry],
      ],
      [
        ["helper", helper.hash],
        ["other", other.hash],
        ["pdf", next.hash],
      ],
    );
    expect(Object.keys(skills)).toEqual(["helper", "pdf", "theirs"]);
  });
});

describe("a skills-lock.json stays byte by byte", () => {
  const change = { lock: { skills: new Map() }, before, hashes: new Map() };

  test("where its entry is of another source", () => {
    for (const entry of [{ source: "else/where", sourceType: "github" }, { source: "owner/pdf" }, null, 7]) {
      const existing = JSON.stringify({ version: 1, skills: { pdf: entry } });
      expect(followSkillsLock(existing, change)).toBe(existing);
    }
  });

  test("whatever else it holds, where it does not name our skills", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (skills) => {
        const { pdf: _, ...others } = skills;
        const existing = JSON.stringify({ version: 1, skills: others });
        expect(followSkillsLock(existing, change)).toBe(existing);
      }),
    );
  });

  test("and is an error where it cannot be read", () => {
    for (const text of ["{", '{"version":2,"skills":{}}', "[]"])
      expect(() => followSkillsLock(text, change)).toThrow("skills-lock.json was left alone");
  });
});
