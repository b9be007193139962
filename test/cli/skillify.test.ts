import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createSandbox, type Sandbox, skillText } from "./sandbox.ts";

const run = (command: string, outcome: object = { output: "ok" }): object => ({
  role: "assistant",
  tool: { name: "Bash", input: { command }, ...outcome },
});
const SESSION: readonly object[] = [
  { role: "user", text: "Please backport commit 4f2a91c to release-2.3 and open a pull request" },
  run("git fetch origin"),
  run("git cherry-pick -x 4f2a91c", { error: "conflict" }),
  run("git cherry-pick 4f2a91c"),
  run("git push --force", { denied: "never force a push" }),
  run("npm test"),
  run("gh pr create --base release-2.3"),
  { role: "user", text: "thanks" },
];

function session(sandbox: Sandbox, ...before: readonly object[]): string {
  const lines = [...before, ...SESSION].map((line) => `${JSON.stringify(line)}\n`);
  return sandbox.write("project/session.jsonl", lines.join(""));
}

const NAME = "backport-pull-request";

describe("skillet skillify", () => {
  test("--yes saves a skill that is valid, lints clean, scans safe and is marked as made by an agent", async () => {
    const sandbox = createSandbox();
    const { exitCode, document } = await sandbox.json(["skillify", session(sandbox), "--yes"]);
    expect({ exitCode, document }).toMatchObject({
      exitCode: 0,
      document: { kind: "new", name: NAME, validate: [], lint: [], verdict: "safe" },
    });
    const folder = join(sandbox.project, ".agents/skills", NAME);
    expect(readdirSync(folder).sort()).toEqual(["SKILL.md", "evals"]);
    expect(readFileSync(join(folder, "SKILL.md"), "utf8")).toContain("Bash(git cherry-pick:*)");
    for (const command of ["validate", "lint", "scan"])
      expect((await sandbox.skillet([command, folder])).exitCode).toBe(0);
    const shown = (await sandbox.json(["show", NAME])).document.skills[0];
    expect(shown).toMatchObject({ origin: "agent-created", state: "enabled" });
    expect((await sandbox.skillet(["eval", "triggers", folder])).exitCode).toBe(0);
  });

  test("--answers decides every round, and --out writes the files elsewhere", async () => {
    const sandbox = createSandbox();
    const answers = sandbox.write(
      "project/answers.yaml",
      "name: bring-back\ndescription: Brings fixes back to older releases. Use when asked to backport.\nphrases: [bring it back]\nexclusions: [merges]\ntools: [Read]\ncontext: fork\narguments: [commit]\n",
    );
    const args = ["skillify", session(sandbox), "--answers", answers, "--yes", "--out", "draft"];
    expect((await sandbox.json(args)).document).toMatchObject({ name: "bring-back" });
    const text = readFileSync(join(sandbox.project, "draft/bring-back/SKILL.md"), "utf8");
    expect(text).toMatch(
      /^name: bring-back\n[\s\S]*"bring it back[\s\S]*Do not use for merges\.[\s\S]*allowed-tools: Read\n[\s\S]*context: fork\n/m,
    );
    expect(existsSync(join(sandbox.project, ".agents"))).toBe(false);
    sandbox.write("project/answers.yaml", "nam: x\n");
    const wrong = await sandbox.skillet(["skillify", session(sandbox), "--answers", answers, "--yes"]);
    expect({ exitCode: wrong.exitCode, stderr: wrong.stderr }).toEqual({
      exitCode: 2,
      stderr: expect.stringContaining("nam"),
    });
  });

  test("a skill of the person's own that was used is improved; an installed or unknown one is not", async () => {
    const sandbox = createSandbox();
    const path = sandbox.write(
      "home/.agents/skills/backport/SKILL.md",
      skillText("backport", "Backports. Use when asked."),
    );
    const used = { role: "assistant", tool: { name: "Skill", input: { skill: "backport" }, output: "ok" } };
    const file = session(sandbox, { role: "user", text: "Backport" }, used);
    const { document } = await sandbox.json(["skillify", file, "--yes"]);
    expect(document).toMatchObject({ kind: "improvement", name: "backport", path });
    expect(readFileSync(path, "utf8")).toContain("## Rules\n\n- Never force a push.");
    expect((await sandbox.json(["skillify", file, "--yes", "--no-improve"])).document.kind).toBe("new");
  });

  test("a file that does not exist is told before a yes is asked for", async () => {
    const { stderr, exitCode } = await createSandbox().skillet(["skillify", "none.jsonl"]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain("There is no file");
    expect(stderr).not.toContain("--yes");
  });

  test("without a terminal and a yes nothing is saved, and the newest conversations are named", async () => {
    const sandbox = createSandbox();
    const asked = await sandbox.skillet(["skillify", session(sandbox)]);
    expect(asked).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("--yes") });
    expect(existsSync(join(sandbox.project, ".agents"))).toBe(false);
    expect((await sandbox.skillet(["skillify"])).stderr).toContain("Name a file");
    const folder = `home/.claude/projects/${sandbox.project.replaceAll(/[^A-Za-z0-9]/g, "-")}`;
    const line = {
      type: "user",
      sessionId: "s",
      cwd: sandbox.project,
      message: { role: "user", content: "Ship it, the password is hunter2" },
    };
    sandbox.write(`${folder}/a.jsonl`, `${JSON.stringify(line)}\n`);
    const { document } = await sandbox.json(["skillify"]);
    expect(document.error.details.sessions).toMatchObject([
      { title: "Ship it, the password is […]", format: "claude-code" },
    ]);
  });
});
