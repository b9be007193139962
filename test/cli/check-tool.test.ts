import { describe, expect, test } from "vitest";
import { createSandbox, type Sandbox, skillText } from "./sandbox.ts";

function library(): Sandbox {
  const sandbox = createSandbox();
  sandbox.write(
    "home/.skillet/skills/git-look/SKILL.md",
    "---\nname: git-look\ndescription: Looks.\nallowed-tools: Bash(git status) Bash(git log:*) Read\ndisallowed-tools: Bash(rm:*)\n---\n",
  );
  sandbox.write("home/.skillet/skills/wide/SKILL.md", skillText("wide"));
  return sandbox;
}

async function outcome(sandbox: Sandbox, ...args: string[]): Promise<readonly [string, number | null]> {
  const { exitCode, document } = await sandbox.json(["check-tool", ...args]);
  return [document.outcome, exitCode];
}

describe("check-tool", () => {
  test("says that no input was given where a rule needs one", async () => {
    const { document } = await library().json(["check-tool", "git-look", "Write"]);
    expect(document.reason).toContain("no input was given");
  });

  test.each([
    ["git-look", "Bash", "git status", "allow", 0],
    ["git-look", "Bash", "git status && git log -3", "allow", 0],
    ["git-look", "Bash", "git status && ls", "ask", 0],
    ["git-look", "Bash", "git status && rm -rf x", "deny", 1],
    ["git-look", "Bash", '{"command":"git status","timeout":5}', "allow", 0],
    ["git-look", "Bash", '{"command":"git status","cwd":"/elsewhere"}', "deny", 1],
    ["git-look", "Bash", "{ git status; }", "allow", 0],
    ["git-look", "Read", "README.md", "allow", 0],
    ["git-look", "WebFetch", "https://example.com", "ask", 0],
    ["wide", "Bash", "rm -rf x", "undecided", 0],
  ])("%s, %s %s: %s", async (name, tool, input, expected, exitCode) => {
    expect(await outcome(library(), name, tool, input)).toEqual([expected, exitCode]);
  });

  test("says why, and names the rule that decided", async () => {
    const sandbox = library();
    expect(await sandbox.skillet(["check-tool", "git-look", "Bash", "git log -1"])).toEqual({
      exitCode: 0,
      stdout: "✓ allow\n  git-look covers it\n  rule: Bash(git log:*) in allowed-tools of git-look\n",
      stderr: "",
    });
    expect((await sandbox.json(["check-tool", "git-look", "Bash", "rm x"])).document).toEqual({
      schemaVersion: 1,
      outcome: "deny",
      reason: "git-look disallows it",
      rule: "Bash(rm:*) in disallowed-tools of git-look",
    });
    expect((await sandbox.json(["check-tool", "git-look", "Bash", "ls"])).document).toEqual({
      schemaVersion: 1,
      outcome: "ask",
      reason: "git-look does not cover it: `ls` fits no rule",
    });
  });

  test("without a rule the answer is the agent's, and nothing says that it is allowed", async () => {
    expect(await library().skillet(["check-tool", "wide", "Bash", "rm -rf /"])).toEqual({
      exitCode: 0,
      stdout: "○ the agent decides\n  no active skill narrows it, and no rule mentions it\n",
      stderr: "",
    });
  });

  test("locked mode turns questions into denials", async () => {
    const sandbox = library();
    expect(await outcome(sandbox, "git-look", "Bash", "ls", "--mode", "locked")).toEqual(["deny", 1]);
    expect(await outcome(sandbox, "git-look", "Bash", "git status", "--mode", "locked")).toEqual([
      "allow",
      0,
    ]);
    const { stdout, stderr } = await sandbox.skillet([
      "check-tool",
      "git-look",
      "Bash",
      "ls",
      "--mode",
      "locked",
    ]);
    expect(stdout).toContain("locked mode asks no questions");
    expect(stderr).toMatch(/^git-look would not be loaded now: locked mode loads only what a rule allows/);
    sandbox.write("home/.skillet/config.yaml", "policy: { rules: [{ skill: git-look, action: allow }] }\n");
    const ruled = await sandbox.skillet(["check-tool", "git-look", "Read", "x", "--mode", "locked"]);
    expect([ruled.exitCode, ruled.stderr]).toEqual([0, ""]);
  });

  test("rules of the configuration count, and are named by file and line", async () => {
    const sandbox = library();
    const file = sandbox.write(
      "home/.skillet/config.yaml",
      'policy:\n  rules:\n    - { skill: git-look, tool: "Bash(git log:*)", action: deny }\n',
    );
    expect((await sandbox.json(["check-tool", "git-look", "Bash", "git log"])).document).toEqual({
      schemaVersion: 1,
      outcome: "deny",
      reason: "a rule denies it",
      rule: `{ skill: git-look, tool: "Bash(git log:*)", action: deny } in ${file}:3`,
    });
  });

  test("a skill that cannot be loaded now has an answer all the same, and a note", async () => {
    const sandbox = createSandbox();
    const needs = "metadata:\n  requires: no-such-tool-here\nallowed-tools: Read\n";
    sandbox.write("home/.skillet/skills/needs/SKILL.md", `---\nname: needs\ndescription: N.\n${needs}---\n`);
    const run = await sandbox.skillet(["check-tool", "needs", "Read", "x"]);
    expect(run).toMatchObject({
      exitCode: 0,
      stderr: "needs would not be loaded now: it is unavailable: missing commands: no-such-tool-here.\n",
    });
    expect(run.stdout).toMatch(/^✓ allow\n/);
  });

  test("a rule that cannot be understood is reported", async () => {
    const sandbox = createSandbox();
    sandbox.write(
      "home/.skillet/skills/odd/SKILL.md",
      '---\nname: odd\ndescription: O.\nallowed-tools: ["Bash(git"]\n---\n',
    );
    const { stdout, stderr } = await sandbox.skillet(["check-tool", "odd", "Bash", "git status"]);
    expect(stdout).toMatch(/^\? ask\n/);
    expect(stderr).toContain('allowed-tools: "Bash(git"');
  });

  test("wrong use is answered with the right one", async () => {
    const sandbox = library();
    expect(await sandbox.skillet(["check-tool", "git-look", "Bash", "git", "status"])).toEqual({
      exitCode: 2,
      stdout: "",
      stderr:
        "error: The input is one argument; put it in quotes.\n  For example: skillet check-tool git-look Bash 'git status'\n",
    });
    expect((await sandbox.skillet(["check-tool", "git-look", "Bash(ls)"])).exitCode).toBe(2);
    expect(await sandbox.skillet(["check-tool", "git-lok", "Bash", "ls"])).toEqual({
      exitCode: 1,
      stdout: "",
      stderr: "error: There is no skill 'git-lok'.\n  Did you mean git-look?\n",
    });
  });
});
