import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createSandbox, type Sandbox } from "../cli/sandbox.ts";
import { HAS_TMUX, openTerminal } from "./terminal.ts";

/** A session of Claude Code about the sandbox's project, as Claude Code keeps it. */
function keepSession(sandbox: Sandbox): void {
  const line = (type: string, content: unknown): string =>
    `${JSON.stringify({ type, sessionId: "s", cwd: sandbox.project, isSidechain: false, message: { role: type, content } })}\n`;
  const run = (id: string, command: string): string =>
    line("assistant", [{ type: "tool_use", id, name: "Bash", input: { command } }]) +
    line("user", [{ type: "tool_result", tool_use_id: id, content: "ok" }]);
  const text = [
    line("user", "Please backport commit 4f2a91c to release-2.3 and open a pull request"),
    ...[
      run("1", "git fetch origin"),
      run("2", "git cherry-pick 4f2a91c"),
      run("3", `cp ${sandbox.home}/notes.md docs/`),
    ],
    line("user", "never push to main"),
    ...[run("4", "npm test"), run("5", "gh pr create --base release-2.3")],
  ];
  const folder = sandbox.project.replaceAll(/[^A-Za-z0-9]/g, "-");
  sandbox.write(`home/.claude/projects/${folder}/s.jsonl`, text.join(""));
}

const ROUNDS = [
  ["Which conversation? [1]", "\r"],
  ["What is it?", "backport-fix\r"],
  ["Which of these should call it?", "first merges\r"],
  ["Which tools may it use?", "1\r"],
  ["how does it run?", "\r"],
  ["Save it like this, in this project? [y/N]", "y\r"],
] as const;

describe.skipIf(!HAS_TMUX)("skillify on a terminal", () => {
  test("leads from a conversation to a skill that passes validate, lint and scan", async () => {
    const sandbox = createSandbox();
    keepSession(sandbox);
    const { run } = await openTerminal(sandbox);
    const { exitCode, text } = await run("skillet skillify", ROUNDS);
    expect({ exitCode, text }).toEqual({ exitCode: 0, text: expect.stringContaining("Saved backport-fix") });
    expect(text).toContain("1) Please backport commit […]");
    const folder = join(sandbox.project, ".agents/skills/backport-fix");
    const skill = readFileSync(join(folder, "SKILL.md"), "utf8");
    expect(skill).toContain("Do not use for first merges.");
    expect(skill).toContain("- Never push to main.");
    expect(skill).not.toContain(sandbox.home);
    expect(skill).not.toContain("Bash(git fetch:*)");
    for (const command of ["validate", "lint", "scan"])
      expect((await run(`skillet ${command} ${folder}`)).exitCode).toBe(0);
  });

  test("takes a number and the arguments after it, says where it goes, and tells of a link", async () => {
    const sandbox = createSandbox();
    keepSession(sandbox);
    sandbox.write("home/.claude/settings.json", "{}");
    const { run } = await openTerminal(sandbox);
    const answers = ROUNDS.map(([question, typed]): readonly [string, string] => {
      if (question.startsWith("how does")) return [question, "4 line commit\r"];
      return question.startsWith("Save it")
        ? ["Save it like this, for you, everywhere? [y/N]", typed]
        : [question, typed];
    });
    const { exitCode, text } = await run("skillet skillify", answers);
    expect({ exitCode, text }).toEqual({ exitCode: 0, text: expect.stringContaining("To undo this:") });
    const skill = readFileSync(join(sandbox.home, ".agents/skills/backport-fix/SKILL.md"), "utf8");
    expect(skill).toMatch(/^arguments: "line commit"\ncontext: fork$/m);
  });

  test("asks again after a number that is not there, and a no is told without an error", async () => {
    const sandbox = createSandbox();
    keepSession(sandbox);
    const { run } = await openTerminal(sandbox);
    const answers = ROUNDS.flatMap(([question, typed]): (readonly [string, string])[] => {
      if (question.startsWith("Save it")) return [[question, "n\r"]];
      if (question.startsWith("Which conversation"))
        return [
          [question, "9\r"],
          [`Type a number from 1 to 1. ${question}`, typed],
        ];
      return typed === "1\r"
        ? [
            [question, "1 99\r"],
            [`Type a number from 1 to 4. ${question}`, typed],
          ]
        : [[question, typed]];
    });
    const { exitCode, text } = await run("skillet skillify", answers);
    expect({ exitCode, text }).toEqual({ exitCode: 1, text: expect.stringContaining("Nothing was saved.") });
    expect(text).not.toContain("error:");
    expect(existsSync(join(sandbox.project, ".agents"))).toBe(false);
  });

  test.each([0, 1, 2, 3, 4, 5])("Ctrl-C in round %i leaves nothing behind", async (round) => {
    const sandbox = createSandbox();
    keepSession(sandbox);
    const { run } = await openTerminal(sandbox);
    const answers = [...ROUNDS.slice(0, round), [ROUNDS[round]?.[0] ?? "", "\x03"] as const];
    expect((await run("skillet skillify", answers)).exitCode).toBe(130);
    expect(
      [".agents", ".claude", ".skillet"].filter((name) => existsSync(join(sandbox.project, name))),
    ).toEqual([]);
    expect(existsSync(join(sandbox.home, ".skillet/agent-made.json"))).toBe(false);
  });
});
