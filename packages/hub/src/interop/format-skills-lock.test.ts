import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Lock, LockEntry } from "../lock/lock-entry.ts";
import { skillEntry, skillFiles } from "../place/testing/sandbox-project.ts";
import { temporaryDirectory } from "../testing/temporary-directory.ts";
import { formatSkillsLock } from "./format-skills-lock.ts";
import { importSkillsLock } from "./import-skills-lock.ts";
import { skillsHash } from "./skills-hash.ts";

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
      skills: {
        zeta: { source: "z/z", odd: 1 },
        pdf: { source: "old/old", subagents: ["x"], ref: "v0" },
        gone: { source: "g/g" },
      },
    });
    const text = formatSkillsLock(LOCK, { hashes: HASHES, existing, removed: ["gone"] });
    expect(JSON.parse(text)).toMatchObject({
      note: "theirs",
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
      timeout: 50_000,
    },
  );
  const theirs = JSON.parse(readFileSync(join(project, "skills-lock.json"), "utf8"));
  expect(theirs.skills.pdf.computedHash).toBe(skillsHash(FILES));
});
