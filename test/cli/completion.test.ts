import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createSandbox, HAS_TERMINAL, LAUNCHER, type Sandbox, skillText } from "./sandbox.ts";

/** What the launcher gives a shell for words that were typed after `skillet`. */
function complete(sandbox: Sandbox, ...words: readonly string[]): readonly string[] {
  const { stdout } = spawnSync(process.execPath, [LAUNCHER, "__complete", ...words], {
    cwd: sandbox.project,
    env: { HOME: sandbox.home },
    encoding: "utf8",
  });
  return stdout.split("\n").filter((line) => line !== "");
}

/** An environment with `skillet` on the PATH. */
function withCommand(sandbox: Sandbox): Record<string, string> {
  const bin = join(sandbox.root, "bin");
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, "skillet"), `#!/bin/sh\nexec '${process.execPath}' '${LAUNCHER}' "$@"\n`, {
    mode: 0o755,
  });
  return { HOME: sandbox.home, PATH: `${bin}:${process.env.PATH}`, TERM: "xterm" };
}

/** What bash would insert for a line, with the script loaded. */
function inBash(sandbox: Sandbox, ...words: readonly string[]): readonly string[] {
  const script =
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is an array of bash
    'eval "$(skillet completion bash)"; COMP_WORDS=(skillet "$@"); COMP_CWORD=$#; _skillet; printf "%s\\n" "${COMPREPLY[@]}"';
  const { stdout, stderr } = spawnSync("bash", ["--norc", "-c", script, "bash", ...words], {
    cwd: sandbox.project,
    env: withCommand(sandbox),
    encoding: "utf8",
  });
  expect(stderr).toBe("");
  return stdout.split("\n").filter((line) => line !== "");
}

function inFish(sandbox: Sandbox, line: string): readonly string[] {
  const script = `skillet completion fish | source; complete -C '${line}'`;
  const options = { cwd: sandbox.project, env: withCommand(sandbox), encoding: "utf8" } as const;
  const { stdout, stderr } = spawnSync("fish", ["-c", script], options);
  expect(stderr).toBe("");
  return stdout.split("\n").filter((one) => one !== "");
}

/** The line that zsh has after Tab, on a terminal with compinit as people load it. */
function inZsh(sandbox: Sandbox, line: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn("script", ["-qec", "zsh -f -i", "/dev/null"], {
      cwd: sandbox.project,
      env: withCommand(sandbox),
    });
    let screen = "";
    let isTyped = false;
    child.stdout.on("data", (chunk: Buffer) => {
      screen += chunk.toString();
      if (isTyped || !screen.includes("READY")) return;
      isTyped = true;
      // Tab, then back to the start of the line, which is printed instead of run.
      child.stdin.write(`${line}\t\u0001print -r -- G''OT \rexit\r`);
    });
    child.on("error", reject);
    child.on("close", () => resolve(/GOT (.*?)\s*[\r\n]/.exec(screen)?.[1] ?? screen));
    child.stdin.write(
      `autoload -Uz compinit; compinit -u; eval "$(skillet completion zsh)"; print REA''DY\r`,
    );
  });
}

const has = (shell: string): boolean => spawnSync(shell, ["--version"]).status === 0;

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

  test("scripts of the skill that is to run, and keys of the configuration", () => {
    const sandbox = withSkills();
    sandbox.write("home/.claude/skills/pdf-forms/scripts/fill.py", "");
    sandbox.write("home/.claude/skills/pdf-forms/references/fields.md", "");
    expect(complete(sandbox, "run", "pdf-forms", "scr")).toEqual(["scripts/fill.py"]);
    expect(complete(sandbox, "read", "pdf-forms", "ref")).toEqual(["references/fields.md"]);
    expect(complete(sandbox, "run", "..", "scr")).toEqual([]);
    expect(complete(sandbox, "config", "set", "hub.so")).toEqual(["hub.sources"]);
    expect(complete(sandbox, "config", "set", "hub.sources", "")).toEqual([]);
  });

  test("agents that have hooks, the words that an option takes, and values that have no default", () => {
    const sandbox = createSandbox();
    expect(complete(sandbox, "hook", "install", "c")).toEqual(["claude-code", "codex", "cursor"]);
    expect(complete(sandbox, "hook", "remove", "codex", "gem")).toEqual(["gemini-cli"]);
    expect(complete(sandbox, "hook", "status", "c")).toEqual([]);
    expect(complete(sandbox, "show", "--scope", "pl")).toEqual(["plugin"]);
    expect(complete(sandbox, "check-tool", "x", "--mode", "lo")).toEqual(["locked"]);
    expect(complete(sandbox, "config", "set", "eval.model.m")).toEqual(["eval.model.model"]);
  });

  test("only what a command accepts: nothing bundled to remove, only installed skills to update", () => {
    const sandbox = withSkills();
    const skills = { "pdf-installed": {} };
    sandbox.write("home/.skillet/lock.json", JSON.stringify({ lockVersion: 1, skills }));
    expect(complete(sandbox, "disable", "hello")).toEqual(["hello-world"]);
    expect(complete(sandbox, "remove", "hello")).toEqual([]);
    expect([...complete(sandbox, "remove", "pdf")].sort()).toEqual(["pdf-forms", "pdf-notes"]);
    expect(complete(sandbox, "update", "pdf")).toEqual(["pdf-installed"]);
    sandbox.write("home/.skillet/lock.json", "{");
    expect(complete(sandbox, "update", "pdf")).toEqual([]);
  });

  test("skills of Claude Code's plugins", () => {
    const sandbox = createSandbox();
    const installPath = join(sandbox.home, ".claude/plugins/cache/m/kit/1.0.0");
    sandbox.write(
      "home/.claude/plugins/cache/m/kit/1.0.0/skills/release-notes/SKILL.md",
      skillText("release-notes"),
    );
    const file = "home/.claude/plugins/installed_plugins.json";
    sandbox.write(file, JSON.stringify({ version: 2, plugins: { "kit@m": [{ installPath }] } }));
    expect(complete(sandbox, "explain", "rel")).toEqual(["release-notes"]);
    for (const broken of ["{", "[]", '{"plugins":{"a":[{}]}}']) {
      sandbox.write(file, broken);
      expect(complete(sandbox, "explain", "rel")).toEqual([]);
    }
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

  test("bash goes on behind the colon of a plugin's skill or command, where it breaks words", () => {
    const sandbox = withSkills();
    const plugins = { "kit@market": [{ installPath: join(sandbox.root, "kit") }] };
    sandbox.write("home/.claude/plugins/installed_plugins.json", JSON.stringify({ plugins }));
    sandbox.write("kit/skills/pdf-split/SKILL.md", "x");
    sandbox.write("home/.skillet/plugins/other/commands/pdf.md", "x");
    expect([...complete(sandbox, "explain", "kit:")]).toEqual(["kit:pdf-split"]);
    expect(inBash(sandbox, "explain", "kit", ":", "p")).toEqual(["pdf-split"]);
    expect(inBash(sandbox, "explain", "kit", ":")).toEqual(["pdf-split"]);
    expect(inBash(sandbox, "explain", "pdf-notes", "other", ":", "p")).toEqual(["pdf"]);
    expect(inBash(sandbox, "explain", "pdf-n")).toEqual(["pdf-notes"]);
  });

  test.skipIf(!has("fish"))("fish completes commands, and names of skills that it quotes itself", () => {
    const sandbox = withSkills();
    expect(inFish(sandbox, "skillet sho")).toEqual(["show"]);
    expect(inFish(sandbox, "skillet disable pdf-")).toEqual(["pdf-forms", "pdf-notes"]);
    expect(inFish(sandbox, "skillet install x --agent claude")).toEqual(["claude-code"]);
  });

  test.skipIf(!has("zsh") || !HAS_TERMINAL)("zsh completes commands, and a name as one word", async () => {
    const sandbox = withSkills();
    sandbox.write("home/.claude/skills/odd $(touch owned)/SKILL.md", "x");
    expect(await inZsh(sandbox, "skillet sho")).toBe("skillet show");
    expect(await inZsh(sandbox, "skillet disable pdf-fo")).toBe("skillet disable pdf-forms");
    expect(await inZsh(sandbox, "skillet disable od")).toBe("skillet disable odd $(touch owned)");
    expect(existsSync(join(sandbox.project, "owned"))).toBe(false);
  });

  test.each(["bash", "zsh", "fish"])("%s gets a script that asks skillet", async (shell) => {
    const { exitCode, stdout } = await createSandbox().skillet(["completion", shell]);
    expect(exitCode).toBe(0);
    expect(stdout).toContain("skillet __complete");
  });

  test("another shell is refused with those that there are", async () => {
    const { exitCode, stderr } = await createSandbox().skillet(["completion", "tcsh"]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining("bash, zsh, fish") });
    const none = await createSandbox().skillet(["completion"]);
    expect(none).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("shell: bash, zsh or fish\n"),
    });
  });
});
