import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { TreeFile } from "@skillet/core";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Lock, LockEntry } from "../lock/lock-entry.ts";
import { skillEntry, skillFiles } from "../place/testing/sandbox-project.ts";
import { temporaryDirectory } from "../testing/temporary-directory.ts";
import { followSkillsLock, formatSkillsLock, skillsHash } from "./format-skills-lock.ts";
import { importSkillsLock } from "./import-skills-lock.ts";

const FILES = skillFiles("pdf", "1");
const ENTRY: LockEntry = { ...skillEntry("pdf", FILES), folder: "skills/pdf" };
const HASHES = new Map([["pdf", skillsHash(FILES)]]);
const LOCK: Lock = { skills: new Map([["pdf", ENTRY]]) };

describe("formatSkillsLock", () => {
  test("writes what the other tool reads, and what we read back as the same source", () => {
    const text = formatSkillsLock(LOCK, { hashes: HASHES });
    expect(JSON.parse(text)).toEqual({
      version: 1,
      skills: {
        pdf: {
          source: "owner/pdf",
          ref: "a".repeat(40),
          sourceType: "github",
          skillPath: "skills/pdf/SKILL.md",
          computedHash: skillsHash(FILES),
        },
      },
    });
    const { skills } = importSkillsLock(text, { file: "x", root: "/p", userHome: "/u" });
    expect(skills[0]?.source).toEqual({
      kind: "git",
      url: "https://github.com/owner/pdf",
      ref: "a".repeat(40),
      folder: "skills/pdf",
    });
  });

  test("numbers of others are written back as they were, also those that JavaScript would change", () => {
    const existing = '{ "version": 1, "x": [12345678901234567890, 1e400, 1.10, -0, 7], "skills": {} }';
    const text = formatSkillsLock(LOCK, { hashes: HASHES, existing });
    expect(text.replace(/\s+/g, "")).toContain('"x":[12345678901234567890,1e400,1.10,-0,7]');
  });

  test("keeps entries and keys of others, and takes away only what was removed", () => {
    const existing = JSON.stringify({
      version: 1,
      note: "theirs",
      problem: "theirs too",
      lock: 1,
      skills: {
        zeta: { source: "z/z", odd: 1 },
        pdf: { source: "old/old", subagents: ["x"], ref: "v0" },
        gone: { source: "g/g" },
      },
    });
    const text = formatSkillsLock(LOCK, { hashes: HASHES, existing, removed: ["gone"] });
    expect(JSON.parse(text)).toMatchObject({
      note: "theirs",
      problem: "theirs too",
      lock: 1,
      skills: { zeta: { source: "z/z", odd: 1 }, pdf: { source: "owner/pdf", subagents: ["x"] } },
    });
    expect(Object.keys(JSON.parse(text).skills)).toEqual(["pdf", "zeta"]);
    expect(formatSkillsLock(LOCK, { hashes: HASHES, existing: text })).toBe(text);
  });

  test("leaves out what that lock has no form for", () => {
    const others: [string, LockEntry][] = [
      ["plugin", { ...ENTRY, kind: "plugin" }],
      ["linked", { ...ENTRY, linked: true }],
      ["renamed", { ...ENTRY, declaredName: "pdf" }],
      ["oci", { ...ENTRY, resolved: { kind: "oci", registry: "r", repository: "x", digest: ENTRY.digest } }],
      ["unhashed", ENTRY],
    ];
    const hashes = new Map(others.slice(0, 4).map(([name]) => [name, "a".repeat(64)]));
    expect(JSON.parse(formatSkillsLock({ skills: new Map(others) }, { hashes }))).toEqual({
      version: 1,
      skills: {},
    });
  });

  test.each(["{", "[]", '{"version":2,"skills":{}}'])(
    "a file that reads %s is refused, never reset",
    (existing) => {
      expect(() => formatSkillsLock(LOCK, { hashes: HASHES, existing })).toThrow("was left alone");
    },
  );
});

test("the hash is the one that the skills command writes for the same files", () => {
  const folder = temporaryDirectory();
  for (const { path, bytes } of FILES) {
    const place = join(folder, "source/skills/pdf", path);
    mkdirSync(dirname(place), { recursive: true });
    writeFileSync(place, bytes);
  }
  const project = join(folder, "project");
  mkdirSync(project);
  const command = join(dirname(createRequire(import.meta.url).resolve("skills/package.json")), "bin/cli.mjs");
  execFileSync(
    process.execPath,
    [command, "add", "../source", "--skill", "pdf", "--agent", "codex", "--yes", "--copy"],
    {
      cwd: project,
      env: { PATH: process.env.PATH, HOME: folder, DISABLE_TELEMETRY: "1", DO_NOT_TRACK: "1", CI: "1" },
      stdio: "pipe",
      timeout: 240_000,
    },
  );
  const theirs = JSON.parse(readFileSync(join(project, "skills-lock.json"), "utf8"));
  expect(theirs.skills.pdf.computedHash).toBe(skillsHash(FILES));
});

test("is the hash that the other tool computes", () => {
  expect(skillsHash([file("b.txt", "world"), file("a.txt", "hello")])).toBe(
    "3b470f925edcda36894769ad4ca1a5d83b6ac790ad6e3fcddd9109fbe9585ca9",
  );
});

test("leaves out what the other tool leaves out", () => {
  const skill = file("SKILL.md", "# x");
  expect(skillsHash([skill, file("a/node_modules/x.js", "y"), file(".git/config", "z")])).toBe(
    skillsHash([skill]),
  );
  expect(skillsHash([skill, file("node_modules", "y")])).not.toBe(skillsHash([skill]));
});

function file(path: string, text: string): TreeFile {
  return { path, mode: "644", bytes: Buffer.from(text) };
}

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
