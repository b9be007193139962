import { describe, expect, test } from "vitest";
import { agentPath, classifyPath, classifyVariable, startupPath } from "./classify-path.ts";

describe("paths that lead to secrets are told from ordinary ones", () => {
  test.each([
    ["~/.ssh/id_ed25519", "ssh"],
    ["~/.ssh/id_ed25519.pub", undefined],
    ["~/.ssh/known_hosts", undefined],
    ["$HOME/.aws/credentials", "cloud"],
    ["%USERPROFILE%\\.aws\\credentials", "cloud"],
    ["~/.kube/config", "kubernetes"],
    ["~/.npmrc", "package-registry"],
    ["~/.netrc", "netrc"],
    ["~/.git-credentials", "git"],
    ["~/Library/Keychains/login.keychain-db", "keychain"],
    ["~/Library/Application Support/Google/Chrome/Default/Login Data", "browser"],
    ["~/.config/solana/id.json", "wallet"],
    ["~/.claude/.credentials.json", "agent"],
    ["~/.bash_history", "shell-history"],
    ["/etc/shadow", "system-accounts"],
    ["/tmp/../etc/./shadow", "system-accounts"],
    [".env", "environment-file"],
    ["config/.env.production", "environment-file"],
    [".env.example", undefined],
    ["/proc/self/environ", "environment-file"],
    ["config/credentials.json", "generic"],
    ["README.md", undefined],
    ["src/environment.ts", undefined],
    ["docs/secrets.md", undefined],
  ])("%s is %s", (path, kind) => {
    expect(classifyPath(path)).toBe(kind);
  });
});

test.each([
  ["OPENAI_API_KEY", "own-key"],
  ["GITHUB_TOKEN", "own-key"],
  ["DB_PASSWORD", "own-key"],
  ["WALLET_PRIVATE_KEY", "wallet"],
  ["MAX_TOKENS", undefined],
  ["TOKENIZERS_PARALLELISM", undefined],
  ["PUBLIC_KEY", undefined],
  ["PATH", undefined],
  ["KEYBOARD", undefined],
  ["MONKEY", undefined],
])("the variable %s is %s", (name, kind) => {
  expect(classifyVariable(name)).toBe(kind);
});

test.each([
  ["CLAUDE.md", "memory"],
  ["~/.openclaw/workspace/SOUL.md", "memory"],
  [".claude/settings.local.json", "settings"],
  [".mcp.json", "mcp-server"],
  ["~/.claude/skills/other/SKILL.md", "skill"],
  [".claude/hooks/pre.sh", "hook"],
  ["docs/claude.html", undefined],
  ["README.md", undefined],
])("%s of an agent's control plane is %s", (path, part) => {
  expect(agentPath(path)).toBe(part);
});

test.each([
  ["~/.bashrc", "shell-startup"],
  ["/etc/cron.d/x", "cron"],
  ["~/Library/LaunchAgents/x.plist", "launchd"],
  ["~/.config/systemd/user/x.service", "systemd"],
  [".git/hooks/pre-commit", "git-hook"],
  ["~/.ssh/authorized_keys", "authorized-keys"],
  ["venv/lib/python3/site-packages/x.pth", "python-startup"],
  ["src/profile.ts", undefined],
])("%s is run by itself: %s", (path, where) => {
  expect(startupPath(path)).toBe(where);
});

test.each([
  ["~/.config/systemd/user/a.service", "systemd"],
  ["/etc/systemd/system/a.service.d/override.conf", "systemd"],
  ["/etc/systemd/system/a.timer", "systemd"],
  ["~/.config/systemd/user/a.conf", undefined],
  ["~/.config/systemd/user/tokens.env", undefined],
])("%s: %s", (path, expected) => {
  expect(startupPath(path)).toBe(expected);
});
