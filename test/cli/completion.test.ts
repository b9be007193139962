import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createSandbox, LAUNCHER, type Sandbox, skillText } from "./sandbox.ts";

/** What the launcher gives a shell for words that were typed after `skillet`. */
function complete(sandbox: Sandbox, ...words: readonly string[]): readonly string[] {
  const { stdout } = spawnSync(process.execPath, [LAUNCHER, "__complete", ...words], {
    cwd: sandbox.project,
    env: { HOME: sandbox.home },
    encoding: "utf8",
  });
  return stdout.split("\n").filter((line) => line !== "");
}

/** What bash would insert for a line, with the script loaded and `skillet` on the PATH. */
function inBash(sandbox: Sandbox, ...words: readonly string[]): readonly string[] {
  const bin = join(sandbox.root, "bin");
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, "skillet"), `#!/bin/sh\nexec '${process.execPath}' '${LAUNCHER}' "$@"\n`, {
    mode: 0o755,
  });
  const script =
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is an array of bash
    'eval "$(skillet completion bash)"; COMP_WORDS=(skillet "$@"); COMP_CWORD=$#; _skillet; printf "%s\\n" "${COMPREPLY[@]}"';
  const { stdout, stderr } = spawnSync("bash", ["--norc", "-c", script, "bash", ...words], {
    cwd: sandbox.project,
    env: { HOME: sandbox.home, PATH: `${bin}:${process.env.PATH}` },
    encoding: "utf8",
  });
  expect(stderr).toBe("");
  return stdout.split("\n").filter((line) => line !== "");
}

function withSkills(): Sandbox {
  const sandbox = createSandbox();
  sandbox.write("home/.claude/skills/pdf-forms/SKILL.md", skillText("pdf-forms"));
  sandbox.write("project/.agents/skills/pdf-notes/SKILL.md", skillText("pdf-notes"));
  return sandbox;
}

describe("completion", () => {
  test("commands, their options and those of every command, agents and actions", () => {
    const sandbox = createSandbox();
    expect(complete(sandbox, "ins")).toEqual(["install"]);
    expect(complete(sandbox, "help", "ins")).toEqual(["install"]);
    expect(complete(sandbox, "install", "--skip")).toEqual(["--skip-existing"]);
    expect(complete(sandbox, "show", "--js")).toEqual(["--json"]);
    expect(complete(sandbox, "install", "x", "--agent", "claude")).toEqual(["claude-code"]);
    expect(complete(sandbox, "config", "se")).toEqual(["set"]);
    expect(complete(sandbox, "--workspace", "x", "ins")).toEqual(["install"]);
    expect(complete(sandbox, "no-such-command", "")).toEqual([]);
  });

  test("names of skills of agents and of the project, from a folder inside it", () => {
    const sandbox = withSkills();
    expect([...complete(sandbox, "disable", "pdf")].sort()).toEqual(["pdf-forms", "pdf-notes"]);
    expect(complete(sandbox, "new", "pdf")).toEqual([]);
  });

  test("bash inserts names as one word, and control characters never reach it", () => {
    const sandbox = withSkills();
    sandbox.write("home/.claude/skills/pdf $(touch owned);x/SKILL.md", "x");
    sandbox.write("home/.claude/skills/pdf\u001b]0;owned\u0007/SKILL.md", "x");
    sandbox.write("home/.claude/skills/pdf\nsecond/SKILL.md", "x");
    const found = inBash(sandbox, "disable", "pdf");
    expect([...found].sort()).toEqual(
      ["pdf-forms", "pdf-notes", String.raw`pdf\ \$\(touch\ owned\)\;x`].sort(),
    );
    expect(complete(sandbox, "disable", "second")).toEqual([]);
    sandbox.write("project/.agents/skills/--yes-all/SKILL.md", "x");
    expect(complete(sandbox, "disable", "")).not.toContain("--yes-all");
  });

  test.each(["bash", "zsh", "fish"])("%s gets a script that asks skillet", async (shell) => {
    const { exitCode, stdout } = await createSandbox().skillet(["completion", shell]);
    expect(exitCode).toBe(0);
    expect(stdout).toContain("skillet __complete");
  });

  test("another shell is refused with those that there are", async () => {
    const { exitCode, stderr } = await createSandbox().skillet(["completion", "tcsh"]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining("bash, zsh, fish") });
  });
});
