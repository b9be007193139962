import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createRepository, HAS_GIT } from "./git-repository.ts";
import { createSandbox, type Document, type Sandbox, skillText } from "./sandbox.ts";

const CAUTION = `---\nname: x\ndescription: Does x. Use when x is asked for.\n---\n\nRun this first:\n\n\`\`\`sh\nchmod u+s /usr/local/bin/tool\n\`\`\`\n`;
const LOCAL = { source: "./one", sourceType: "local" };
const needing = (name: string, need: string): string =>
  `---\nname: ${name}\ndescription: Does ${name}.\nmetadata:\n  requires:\n    skills: ["${need}"]\n---\n\nDo.\n`;

function boxWith(skills: unknown, files: Readonly<Record<string, string>>): Sandbox {
  const sandbox = createSandbox();
  sandbox.write("project/skills-lock.json", JSON.stringify({ version: 1, skills }));
  for (const [path, text] of Object.entries(files)) sandbox.write(`project/one/${path}/SKILL.md`, text);
  return sandbox;
}

const outcomes = ({ results }: Document): readonly string[] =>
  results.map(({ name, outcome }: { name: string; outcome: string }) => `${name} ${outcome}`);

const importing = (sandbox: Sandbox, ...more: readonly string[]) =>
  sandbox.json(["install", "--import", "skills-lock.json", "--yes", ...more]);

describe("another tool's lock", () => {
  test("does not make the folders that it names the user's own", async () => {
    const sandbox = boxWith({ x: LOCAL }, { x: CAUTION });
    await sandbox.skillet(["trust", "--yes"]);
    expect(await importing(sandbox, "--project")).toMatchObject({
      exitCode: 1,
      document: { results: [{ name: "x", outcome: "blocked" }] },
    });
  });

  test("of which nothing could be taken over is no success", async () => {
    const sandbox = boxWith({ x: { source: "x", sourceType: "somewhere" } }, {});
    expect(await importing(sandbox)).toMatchObject({
      exitCode: 1,
      document: { error: { code: "import-empty" } },
    });
  });

  test("of which a part cannot be taken over is none either, though the rest is installed", async () => {
    const sandbox = boxWith({ x: LOCAL, y: { source: "y", sourceType: "somewhere" } }, { x: skillText("x") });
    const { exitCode, document } = await importing(sandbox);
    expect([exitCode, outcomes(document)]).toEqual([1, ["x installed", "y refused"]]);
    expect(document.results[1].reason).toMatch(/somewhere.*Install it by hand/);
  });

  test("of which one source cannot be read names that entry, and --keep-going installs the others", async () => {
    const gone = { source: "./gone", sourceType: "local" };
    const sandbox = boxWith({ x: LOCAL, y: gone }, { x: skillText("x") });
    const { exitCode, document } = await importing(sandbox);
    expect([exitCode, outcomes(document)]).toEqual([1, ["x skipped", "y refused"]]);
    expect(document.results[1].reason).toMatch(/gone@y could not be read: /);
    const again = await importing(sandbox, "--keep-going");
    expect([again.exitCode, outcomes(again.document)]).toEqual([1, ["x installed", "y refused"]]);
  });

  test.each([
    ["pdf", "PDF"],
    ["pdf-tools", "pdf_tools"],
  ])("does not bring %s and %s, which are easily confused", async (one, two) => {
    const sandbox = boxWith({ [one]: LOCAL, [two]: { ...LOCAL, source: "./two" } }, { a: skillText(one) });
    sandbox.write("project/two/b/SKILL.md", skillText(two, "Another."));
    const { exitCode, document } = await importing(sandbox);
    expect(exitCode).toBe(1);
    expect(outcomes(document)).toEqual([
      expect.stringMatching(/ skipped$/),
      expect.stringMatching(/ refused$/),
    ]);
    expect(document.results[1].reason).toContain("is easily confused with");
  });

  test.skipIf(!HAS_GIT)("keeps its pins, also where it writes a name in its own way", async () => {
    const sandbox = createSandbox();
    const repository = createRepository(sandbox);
    repository.commit({ "skills/My_Skill/SKILL.md": skillText("my-skill") });
    repository.git("tag", "v1");
    const entry = { sourceType: "git", sourceUrl: repository.url, skillPath: "skills/My_Skill/SKILL.md" };
    const skills = { My_Skill: { ...entry, source: repository.url, pinnedRef: "v1" } };
    sandbox.write("home/.agents/.skill-lock.json", JSON.stringify({ version: 3, skills }));
    const lock = "../home/.agents/.skill-lock.json";
    expect(await sandbox.json(["install", "--import", lock, "--yes"])).toMatchObject({ exitCode: 0 });
    const { skills: locked } = JSON.parse(readFileSync(join(sandbox.home, ".skillet/lock.json"), "utf8"));
    expect(locked["my-skill"].pinned).toEqual({ reason: expect.stringContaining(".skill-lock.json") });
  });

  test("may list two that need the same third, which may be listed as well", async () => {
    const files = { a: needing("a", "c"), b: needing("b", "c"), c: skillText("c") };
    for (const [skills, requiredBy] of [
      [{ a: LOCAL, b: LOCAL }, ["a", "b"]],
      [{ a: LOCAL, b: LOCAL, c: LOCAL }, undefined],
    ] as const) {
      const sandbox = boxWith(skills, files);
      const { exitCode, document } = await importing(sandbox, "--project");
      expect([exitCode, document.results.map(({ name }: { name: string }) => name)]).toEqual([
        0,
        ["a", "b", "c"],
      ]);
      const lock = JSON.parse(readFileSync(join(sandbox.project, "skillet.lock"), "utf8"));
      expect(lock.skills.c.requiredBy).toEqual(requiredBy);
    }
  });

  test("brings nothing under a name that it does not list", async () => {
    const sandbox = boxWith({ pdf: LOCAL }, { pdf: skillText("exfil", "Something else.") });
    const { exitCode, document } = await importing(sandbox);
    expect({ exitCode, document }).toMatchObject({
      exitCode: 1,
      document: { results: [{ name: "pdf", outcome: "refused" }] },
    });
    expect(document.results[0].reason).toContain("exfil");
  });

  test("has a hash for what it lists, and none for what that needs", async () => {
    const text = needing("a", "b");
    const computedHash = createHash("sha256").update("SKILL.md").update(text).digest("hex");
    const files = { a: text, b: skillText("b") };
    const sandbox = boxWith({ a: { ...LOCAL, computedHash } }, files);
    expect(await importing(sandbox)).toMatchObject({ exitCode: 0 });
    const other = boxWith({ a: { ...LOCAL, computedHash: "0".repeat(64) } }, files);
    expect(await importing(other)).toMatchObject({ exitCode: 1 });
  });
});

describe("a folder of a project", () => {
  test("is the user's own once they trust the project, and not before", async () => {
    const sandbox = createSandbox();
    sandbox.write("project/.agents/skills/x/SKILL.md", CAUTION);
    const install = () => sandbox.json(["install", "./.agents/skills/x", "--name", "y", "--yes"]);
    expect(await install()).toMatchObject({ exitCode: 1, document: { results: [{ outcome: "blocked" }] } });
    expect(await sandbox.skillet(["trust", "--yes"])).toMatchObject({ exitCode: 0 });
    expect(await install()).toMatchObject({ exitCode: 0, document: { results: [{ outcome: "installed" }] } });
  });

  test("that came with its lock is judged by an update as by an install", async () => {
    const theirs = createSandbox();
    theirs.write("project/vendor/x/SKILL.md", CAUTION);
    await theirs.skillet(["trust", "--yes"]);
    const made = await theirs.skillet(["install", "./vendor/x", "--project", "--yes"]);
    expect(made).toMatchObject({ exitCode: 0 });
    const sandbox = createSandbox();
    sandbox.write("project/vendor/x/SKILL.md", CAUTION);
    sandbox.write("project/skillet.lock", readFileSync(join(theirs.project, "skillet.lock"), "utf8"));
    await sandbox.skillet(["trust", "--yes"]);
    for (const command of ["install", "update"])
      expect(await sandbox.json([command, "--project", "--yes"])).toMatchObject({
        exitCode: 1,
        document: { results: [{ name: "x", outcome: "blocked" }] },
      });
  });
});
