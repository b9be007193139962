import { describe, expect, test } from "vitest";
import { createRepository, HAS_GIT } from "./git-repository.ts";
import { createSandbox, type Document, HAS_TERMINAL, onTerminal, skillText } from "./sandbox.ts";

const SKILL = "home/.skillet/plugins/deploy/SKILL.md";

async function installed() {
  const sandbox = createSandbox();
  const repository = createRepository(sandbox);
  await sandbox.skillet(["install", repository.url, "--all", "--yes", "--agent", "none"]);
  return { sandbox, repository };
}

describe.skipIf(!HAS_GIT)("diff", () => {
  test("shows file by file what an update would change and what it can do besides, and changes nothing", async () => {
    const { sandbox, repository } = await installed();
    repository.commit({
      "skills/deploy/SKILL.md": skillText("deploy", "Newer."),
      "skills/deploy/scripts/send.sh": "curl https://api.x.test/v1\n",
    });
    const { exitCode, stdout } = await sandbox.skillet(["diff", "deploy"]);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(
      /^! deploy {2}[0-9a-f]{7} > [0-9a-f]{7} \[main\]\n {4}files +1 file changed \(SKILL\.md\), 1 added/,
    );
    expect(stdout).toMatch(/^ {4}SKILL\.md {2}changed\n {6}@@ -1,\d \+1,\d @@$/m);
    expect(stdout).toMatch(/^ {6}\+description: Newer\.$/m);
    expect(stdout).toContain(
      "    scripts/send.sh  added\n      @@ -1,0 +1,1 @@\n      +curl https://api.x.test/v1\n",
    );
    expect(stdout).toMatch(/^ {4}now +It contacts api\.x\.test, runs shell commands \(curl\)/m);
    expect(stdout).toContain("  To have it: skillet update deploy\n");
    const { document } = await sandbox.json(["diff"]);
    expect(document.results.map(({ name, files }: Document) => [name, files.length])).toEqual([
      ["deploy", 2],
      ["report", 0],
    ]);
    expect((await sandbox.json(["outdated", "--exit-code"])).exitCode).toBe(1);
  });

  test("shows what was edited here, against what was installed", async () => {
    const { sandbox } = await installed();
    sandbox.write(SKILL, skillText("deploy", "Mine."));
    const { stdout } = await sandbox.skillet(["diff", "deploy"]);
    expect(stdout).toMatch(/^✓ deploy {2}nothing newer\n! deploy {2}edited here\n {4}SKILL\.md {2}changed\n/);
    expect(stdout).toMatch(/^ {6}\+description: Mine\.$/m);
  });

  test("after an update shows what it changed", async () => {
    const { sandbox, repository } = await installed();
    repository.commit({ "skills/deploy/SKILL.md": skillText("deploy", "Newer.") });
    const updated = await sandbox.skillet(["update", "--yes"]);
    expect(updated.stdout).toMatch(/^ {6}\+description: Newer\.$/m);
    const { stdout } = await sandbox.skillet(["diff", "deploy", "--previous"]);
    expect(stdout).toMatch(
      /^! deploy {2}what the installed version changed \([0-9a-f]{7} > [0-9a-f]{7} \[main\]\)\n {4}SKILL\.md {2}changed\n {6}@@ -1,/,
    );
    expect(stdout).toMatch(/^ {6}\+description: Newer\.$/m);
    expect(stdout).not.toMatch(/^ {6}-description: Newer\.$/m);
    const all = await sandbox.skillet(["diff", "--previous"]);
    expect(all).toMatchObject({ exitCode: 1, stdout: expect.stringContaining(stdout) });
    expect(all.stdout).toContain("\nreport: no earlier version is known.");
  });

  test("what a file holds cannot act on a terminal, and nothing hides at the end of a long line", async () => {
    const { sandbox, repository } = await installed();
    const line = `${"x ".repeat(200)}\u001b[2J\u202eEND`;
    repository.commit({ "skills/deploy/notes.md": `${line}\n` });
    const { stdout } = await sandbox.skillet(["diff", "deploy"]);
    expect(stdout).toMatch(/^ {6}\+x x .*END$/m);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not get through
    expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/);
    if (!HAS_TERMINAL) return;
    const { screen } = await onTerminal(sandbox, ["diff", "deploy"]);
    const parts = screen.split("\n").filter((one) => one.includes("x x") || one.includes("END"));
    expect(parts.length).toBeGreaterThan(4);
    for (const part of parts) expect(part).toMatch(/^ {6}\+.{1,73}$/);
  });

  test("a name that is not installed is answered with 1", async () => {
    const { sandbox } = await installed();
    expect((await sandbox.skillet(["diff", "nope"])).exitCode).toBe(1);
  });
});

describe.skipIf(!HAS_GIT)("update --dry-run", () => {
  test.each([[[]], [["--keep-going"]]])("says what update then does, with %j", async (flags) => {
    const { sandbox, repository } = await installed();
    repository.commit({
      "skills/deploy/scripts/send.sh": "curl https://api.x.test/v1\n",
      "skills/report/SKILL.md": skillText("report", "Newer."),
    });
    const outcomes = ({ results }: Document) =>
      results.map(({ name, outcome }: Document) => [name, outcome]).toSorted();
    const told = await sandbox.json(["update", "--yes", "--dry-run", ...flags]);
    const done = await sandbox.json(["update", "--yes", ...flags]);
    expect(told.exitCode).toBe(done.exitCode);
    expect(outcomes(told.document)).toEqual(outcomes(done.document));
    expect(outcomes(done.document)).toEqual([
      ["deploy", "declined"],
      ["report", flags.length === 0 ? "skipped" : "updated"],
    ]);
  });
});
