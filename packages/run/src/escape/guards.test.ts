import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { all, attackProgram } from "./testing/attack-program.ts";
import { Attacker } from "./testing/attacker.ts";
import { IDENTITIES, OBSTACLE } from "./testing/identities.ts";

describe.skipIf(OBSTACLE !== undefined).each(IDENTITIES)("as %s", (identity) => {
  let attacker: Attacker;
  beforeEach(async () => {
    attacker = await Attacker.open(identity);
  });
  afterEach(() => attacker?.close());

  const put = (path: string, text: string, mode = 0o644): string => {
    const file = join(attacker.workspace, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text, { mode });
    return file;
  };
  const give = (): void => {
    const owner = identity === "root" ? "0:0" : "1001:1001";
    execFileSync("chown", ["-hR", owner, attacker.workspace]);
  };
  const found = async (program: string, options = {}): Promise<unknown> =>
    JSON.parse((await attacker.attack(program, { writable: [attacker.workspace], ...options })).stdout);

  test("a folder of credentials cannot be moved out of its hiding place for the next run", async () => {
    put(".config/gh/hosts.yml", "oauth_token: HIDDEN-TOKEN");
    put(".config/gcloud/credentials.db", "HIDDEN-TOKEN");
    give();
    const before = { "the token": `must(b"HIDDEN" in read(".config/gh/hosts.yml"))` };
    expect(await found(attackProgram(before))).toEqual(all(before, "held"));
    const move = { "moving what is above": `os.rename(".config", "moved")` };
    expect.soft(await found(attackProgram(move))).toEqual(all(move, "held"));
    const after = { "the token, a run later": `must(b"HIDDEN" in read("moved/gh/hosts.yml"))` };
    expect(await found(attackProgram(after))).toEqual(all(after, "held"));
  });

  test("credentials that a link inside the workspace leads to are as hidden as others", async () => {
    put("dotfiles/ssh/id_ed25519", "HIDDEN-KEY");
    put("dotfiles/netrc", "password HIDDEN-KEY");
    symlinkSync("dotfiles/ssh", join(attacker.workspace, ".ssh"));
    symlinkSync("dotfiles/netrc", join(attacker.workspace, ".netrc"));
    give();
    const attempts = {
      "a key through the link": `must(b"HIDDEN" in read(".ssh/id_ed25519"))`,
      "a password through the link": `must(b"HIDDEN" in read(".netrc"))`,
    };
    expect(await found(attackProgram(attempts), { writable: [] })).toEqual(all(attempts, "held"));
  });

  test("nothing runs in a writable folder where others obey a link, which could be replaced", async () => {
    put("dotfiles/bashrc", "# mine\n");
    put("repository.git/hooks/README", "");
    for (const [name, target] of [
      [".bashrc", "dotfiles/bashrc"],
      [".git", "repository.git"],
      [".vscode", "nowhere"],
    ] as const) {
      const link = join(attacker.workspace, name);
      symlinkSync(target, link);
      give();
      await expect(attacker.attack("", { writable: [attacker.workspace] })).rejects.toThrow(
        `permission-denied: A script cannot be given ${attacker.workspace}: ${link} is reached through a link`,
      );
      expect((await attacker.attack("print('read')")).stdout).toBe("read\n");
      rmSync(link);
    }
  });

  test("nothing runs in a writable folder where a link leads to credentials in it", async () => {
    put("dotfiles/gh/hosts.yml", "HIDDEN-TOKEN");
    symlinkSync("dotfiles", join(attacker.workspace, ".config"));
    give();
    await expect(attacker.attack("", { writable: [attacker.workspace] })).rejects.toThrow("through a link");
  });

  test("instructions for models may be a link, and what it leads to cannot be written", async () => {
    put("docs/agents.md", "mine\n");
    symlinkSync("docs/agents.md", join(attacker.workspace, "AGENTS.md"));
    symlinkSync("AGENTS.md", join(attacker.workspace, "CLAUDE.md"));
    give();
    const attempts = {
      "through a link": `write("AGENTS.md", "evil")`,
      "through two": `write("CLAUDE.md", "evil")`,
      "where they lie": `write("docs/agents.md", "evil")`,
      "the folder they lie in": `os.rename("docs", "old")`,
    };
    expect(await found(attackProgram(attempts))).toEqual(all(attempts, "held"));
    const replace = 'os.unlink("CLAUDE.md"); write("CLAUDE.md", "evil")';
    const { diagnostics } = await attacker.attack(attackProgram({ replace }), {
      writable: [attacker.workspace],
    });
    expect(diagnostics.map(({ code, message }) => [code, message])).toEqual([
      [
        "obeyed-path-created",
        `scripts/attack.py created ${attacker.workspace}/CLAUDE.md, which tools run or obey without asking.`,
      ],
    ]);
  });

  test("what a script makes that others obey is told", async () => {
    put("package.json", "{}");
    put(".idea/workspace.xml", "<mine/>");
    give();
    const names = [".envrc", ".git/config", ".mcp.json", ".ssh/authorized_keys", ".vscode/tasks.json"];
    const attempts = Object.fromEntries(
      names.map((name) => [
        name,
        `
os.makedirs(os.path.dirname(${JSON.stringify(`./${name}`)}), exist_ok=True)
write(${JSON.stringify(name)}, "evil")`,
      ]),
    );
    const outcome = await attacker.attack(attackProgram({ ...attempts, result: `write("result.txt")` }), {
      writable: [attacker.workspace],
    });
    expect(JSON.parse(outcome.stdout)).toEqual({ ...all(attempts, "through"), result: "through" });
    expect(outcome.diagnostics).toEqual(
      [".envrc", ".git", ".mcp.json", ".ssh", ".vscode"].map((name) => ({
        code: "obeyed-path-created",
        severity: "warning",
        message: `scripts/attack.py created ${attacker.workspace}/${name}, which tools run or obey without asking.`,
        file: "scripts/attack.py",
        hint: "Look at it before anything is started in that folder, or remove it.",
      })),
    );
  });

  test("files that tools and agents obey by themselves cannot be rewritten where they exist", async () => {
    const names = [
      ".cargo/config.toml",
      ".npmrc",
      ".yarnrc.yml",
      ".pnpmfile.cjs",
      ".githooks/pre-commit",
      "lefthook.yml",
      ".windsurf/rules",
      ".zed/settings.json",
      ".kiro/hooks/a",
      ".opencode/plugin/a.ts",
      "opencode.json",
      ".gdbinit",
      ".cursorrules",
      ".clinerules",
      "AGENTS.md",
      "CLAUDE.md",
      "GEMINI.md",
      ".github/copilot-instructions.md",
      ".github/workflows/ci.yml",
      ".xprofile",
      ".config/environment.d/a.conf",
      ".local/share/systemd/user/a.service",
      ".cargo/env",
      ".nvm/nvm.sh",
      ".oh-my-zsh/oh-my-zsh.sh",
    ];
    for (const name of names) put(name, "mine");
    give();
    const attempts = Object.fromEntries(
      names.map((name) => [name, `write(${JSON.stringify(name)}, "evil")`]),
    );
    const outcome = (await found(attackProgram(attempts))) as Record<string, string>;
    expect(Object.keys(outcome).filter((name) => outcome[name] === "through")).toEqual([]);
  });

  test("a hook of a repository further down cannot be planted", async () => {
    put("packages/inner/.git/config", "[core]\n");
    put("packages/inner/.git/hooks/README", "");
    for (const name of ["HEAD", "objects/info/packs", "refs/heads/main"]) put(`apart/store/${name}`, "");
    give();
    const attempts = {
      "a hook further down": `write("packages/inner/.git/hooks/post-checkout", "evil")`,
      "a hook of a repository that lies apart": `write("apart/store/post-checkout", "evil")`,
      "what is above it": `os.rename("packages", "old")`,
      "a setting that runs a program": `write("packages/inner/.git/config", "[core]\\n\\tfsmonitor = evil\\n")`,
    };
    expect(await found(attackProgram(attempts))).toEqual(all(attempts, "held"));
  });

  test("closing a folder to its owner does not take the cover from what is in it", async () => {
    put(".config/gh/hosts.yml", "oauth_token: HIDDEN-TOKEN");
    give();
    chmodSync(join(attacker.workspace, ".config"), 0o600);
    const attempts = {
      "a token in a folder that was closed": `
os.chmod(".config", 0o700)
must(b"HIDDEN" in read(".config/gh/hosts.yml"))`,
    };
    expect(await found(attackProgram(attempts))).toEqual(all(attempts, "held"));
  });

  test("Skillet's own folder inside a read-only workspace shows neither other skills nor records", async () => {
    const home = join(attacker.workspace, "skillet-home");
    const other = join(home, "cache", "staged", "f".repeat(64));
    for (const folder of [home, join(home, "cache"), join(home, "cache", "staged")])
      mkdirSync(folder, { mode: 0o755, recursive: true });
    mkdirSync(other);
    writeFileSync(join(other, "SKILL.md"), "OTHER-SKILL");
    writeFileSync(join(home, "audit.jsonl"), "OTHER-RECORD", { mode: 0o600 });
    give();
    const attempts = {
      "another skill": `must(b"OTHER" in read("skillet-home/cache/staged/${"f".repeat(64)}/SKILL.md"))`,
      "the records": `must(b"OTHER" in read("skillet-home/audit.jsonl"))`,
    };
    const outcome = await found(attackProgram(attempts), { writable: [], home });
    expect(outcome).toEqual(all(attempts, "held"));
  });
});
