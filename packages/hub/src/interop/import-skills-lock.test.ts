import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryDirectory } from "../testing/temporary-directory.ts";
import { importSkillsLock } from "./import-skills-lock.ts";

const OPTIONS = { file: "skills-lock.json", root: "/project", userHome: "/user" };
const HASH = "a".repeat(64);

describe("importSkillsLock", () => {
  test("takes a server of this network that a person allowed, and no other", () => {
    const skills = {
      ours: { source: "x", sourceType: "git", sourceUrl: "http://127.0.0.1:8124/x" },
      other: { source: "x", sourceType: "git", sourceUrl: "http://127.0.0.1:9000/x" },
    };
    const allowedPrivateHosts = ["127.0.0.1:8124"];
    const text = JSON.stringify({ version: 1, skills });
    const { skills: found, skipped } = importSkillsLock(text, { ...OPTIONS, allowedPrivateHosts });
    expect(found.map(({ name }) => name)).toEqual(["ours"]);
    expect(skipped.get("other")?.message).toContain("pass --private-host 127.0.0.1:9000");
  });

  test("takes over every kind of source of skills-lock.json version 1", () => {
    const skills = {
      web: {
        source: "vercel-labs/agent-skills",
        ref: "v1",
        sourceType: "github",
        skillPath: "skills/web/SKILL.md",
        computedHash: HASH,
      },
      root: { source: "o/r", sourceType: "github", skillPath: "SKILL.md", computedHash: HASH },
      lab: { source: "group/project", sourceType: "gitlab", skillPath: "x/SKILL.md", computedHash: HASH },
      any: { source: "https://git.example.com/o/r.git", sourceType: "git", computedHash: HASH },
      here: { source: "./mine", sourceType: "local", computedHash: HASH },
      site: { source: "docs.example.com", sourceType: "well-known", computedHash: HASH },
      pack: { source: "@scope/pack", sourceType: "node_modules", computedHash: HASH },
    };
    const { skills: found, skipped } = importSkillsLock(JSON.stringify({ version: 1, skills }), OPTIONS);
    expect([...skipped]).toEqual([]);
    expect(Object.fromEntries(found.map(({ name, source }) => [name, source]))).toEqual({
      any: { kind: "git", url: "https://git.example.com/o/r.git", pick: "any" },
      here: { kind: "local", path: "/project/mine", pick: "here" },
      lab: { kind: "git", url: "https://gitlab.com/group/project", folder: "x" },
      pack: { kind: "npm", name: "@scope/pack", pick: "pack" },
      root: { kind: "git", url: "https://github.com/o/r" },
      site: { kind: "well-known", base: "https://docs.example.com", pick: "site" },
      web: {
        kind: "git",
        url: "https://github.com/vercel-labs/agent-skills",
        ref: "v1",
        folder: "skills/web",
      },
    });
    expect(found.every(({ computedHash, pinned }) => computedHash === HASH && !pinned)).toBe(true);
  });

  test("takes over a global lock of version 3, and what gh pinned in it", () => {
    const entry = {
      source: "o/r",
      sourceType: "github",
      sourceUrl: "https://github.com/o/r.git",
      skillPath: "a/SKILL.md",
      skillFolderHash: "b".repeat(40),
      installedAt: "x",
      updatedAt: "x",
      pinnedRef: "v2.0.0",
    };
    const text = JSON.stringify({ version: 3, skills: { a: entry }, dismissed: {}, lastSelectedAgents: [] });
    expect(importSkillsLock(text, OPTIONS).skills).toEqual([
      {
        name: "a",
        source: { kind: "git", url: "https://github.com/o/r", ref: "v2.0.0", folder: "a" },
        pinned: true,
      },
    ]);
  });

  test.each([
    [
      "a ref that git would read as an option",
      { source: "o/r", sourceType: "github", ref: "--upload-pack=x" },
    ],
    ["a transport that runs commands", { source: "ext::sh -c x", sourceType: "git" }],
    ["a repository that leads out", { source: "../../x", sourceType: "github" }],
    ["a folder that leads out", { source: "o/r", sourceType: "github", skillPath: "../../x/SKILL.md" }],
    ["an unknown type", { source: "x", sourceType: "toString" }],
    ["no source", { sourceType: "github" }],
    ["a folder of someone else", { source: "/etc", sourceType: "local" }],
    ["a folder above the project", { source: "../home/.ssh", sourceType: "local" }],
    ["a repository in a folder", { source: "x", sourceType: "git", sourceUrl: "file:///home/me/x.git" }],
    ["an escape in a repository's folder", { source: "file:///project/a%2F..%2F..%2Fx", sourceType: "git" }],
    ["a repository in a folder of a host", { source: "file://host/project/x", sourceType: "git" }],
    ["a name of this machine with a dot", { source: "https://localhost./x", sourceType: "git" }],
    ["an address within an address", { source: "https://[::ffff:7f00:1]/x", sourceType: "git" }],
    ["a folder for a repository", { source: "/home/me/x.git", sourceType: "git" }],
    ["a server of this machine", { source: "x", sourceType: "git", sourceUrl: "https://127.0.0.1:8080/x" }],
    ["this machine in other numbers", { source: "x", sourceType: "git", sourceUrl: "ssh://git@0x7f.1/x" }],
    ["this machine by its name", { source: "git@localhost:o/r", sourceType: "git" }],
    ["a server of the network", { source: "http://10.0.0.1/g/p", sourceType: "gitlab" }],
    ["a site of this machine", { source: "[::1]:8080", sourceType: "well-known" }],
  ])("an entry with %s is left out and named, the others are not", (_, entry) => {
    const good = { source: "o/r", sourceType: "github" };
    const { skills, skipped } = importSkillsLock(
      JSON.stringify({ version: 1, skills: { bad: entry, good } }),
      OPTIONS,
    );
    expect(skills.map(({ name }) => name)).toEqual(["good"]);
    const problem = { code: "skills-lock-entry-skipped", severity: "warning" };
    expect([...skipped]).toMatchObject([["bad", problem]]);
    expect(skipped.get("bad")?.message).toContain('"bad"');
  });

  test.each(["", "..", "../../evil", "a/b", "a\\b", "\u001b[2Jpdf", "\u202egnp", "CON", ".git", "x "])(
    "the name %j, which can be no folder, is not taken over, and is shown without what it hides",
    (name) => {
      const lock = { version: 1, skills: { [name]: { source: "o/r", sourceType: "github" } } };
      const { skills, skipped } = importSkillsLock(JSON.stringify(lock), OPTIONS);
      const [problem, ...others] = skipped.values();
      expect([skills, problem?.code, others]).toEqual([[], "skills-lock-entry-skipped", []]);
      expect(problem?.message).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    },
  );

  test("a link in the project does not make a folder outside of it the project's", () => {
    const [root, outside] = [temporaryDirectory(), temporaryDirectory()];
    symlinkSync(outside, join(root, "docs"));
    const lock = { version: 1, skills: { x: { source: "./docs", sourceType: "local" } } };
    expect(importSkillsLock(JSON.stringify(lock), { ...OPTIONS, root }).skills).toEqual([]);
  });

  test("a repository in the project's own folder is taken over", () => {
    const [inside, outside] = ["/project/vendor/x", "/project/../x"].map((path) => ({
      source: "x",
      sourceType: "git",
      sourceUrl: `file://${path}`,
    }));
    const text = JSON.stringify({ version: 1, skills: { inside, outside } });
    expect(importSkillsLock(text, OPTIONS).skills.map(({ name }) => name)).toEqual(["inside"]);
  });

  test("the user's own lock may name folders and servers of his own", () => {
    const skills = {
      mine: { source: "/desk/mine", sourceType: "local" },
      own: { source: "x", sourceType: "git", sourceUrl: "https://127.0.0.1:8080/x" },
    };
    const text = JSON.stringify({ version: 3, skills });
    const { skills: found } = importSkillsLock(text, { ...OPTIONS, root: "/user/.agents" });
    expect(found.map(({ name }) => name)).toEqual(["mine", "own"]);
    expect(importSkillsLock(text, OPTIONS).skills).toEqual([]);
  });

  test("a key of others is not taken for our own error", () => {
    const text =
      '{ "version": 1, "problem": "theirs", "skills": { "a": { "source": "o/a", "sourceType": "github" } } }';
    const { skills, diagnostics } = importSkillsLock(text, OPTIONS);
    expect([skills.map(({ name }) => name), diagnostics]).toEqual([["a"], []]);
  });

  test.each(["{", "[]", '{"version":2,"skills":{}}', '{"version":1}'])(
    "%s is not a lock of that kind",
    (text) => {
      const { skills, diagnostics } = importSkillsLock(text, OPTIONS);
      expect([skills, diagnostics.map(({ code, severity }) => [code, severity])]).toEqual([
        [],
        [["skills-lock-invalid", "error"]],
      ]);
    },
  );
});
