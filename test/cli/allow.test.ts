import { expect, test } from "vitest";
import { createSandbox, skillText } from "./sandbox.ts";

const hooks = (count: number): string =>
  JSON.stringify({
    hooks: { Stop: Array.from({ length: count }, (_, index) => `hook-number-${index + 1}`) },
  });

/** A sandbox with a plugin installed that has so many hooks. */
async function sandboxWithKit(count: number) {
  const box = createSandbox();
  box.write("src/.claude-plugin/plugin.json", '{"name":"kit"}');
  box.write("src/skills/a/SKILL.md", skillText("a"));
  box.write("src/hooks/hooks.json", hooks(count));
  box.write("src/.mcp.json", JSON.stringify({ mcpServers: { notes: { command: "notes-server" } } }));
  const { exitCode } = await box.skillet(["install", "../src", "--skill", "plugin:kit", "--yes"]);
  expect(exitCode).toBe(0);
  return box;
}

test("allow names everything that it turns on, and nothing else", async () => {
  const box = await sandboxWithKit(20);
  const { exitCode, stdout } = await box.skillet(["allow", "kit", "--hooks"]);
  expect(exitCode).toBe(0);
  expect(stdout.match(/has the hook Stop: hook-number-\d+$/gm)).toHaveLength(20);
  expect(stdout).not.toContain("notes-server");
  const { document } = await box.json(["allow", "kit", "--mcp"]);
  const text = "brings the server notes: notes-server";
  expect(document.results).toMatchObject([
    {
      allowed: { hooks: true, mcpServers: true },
      grants: [{ kind: "mcpServers", value: "notes: notes-server", text }],
    },
  ]);
  expect((await box.skillet(["allow", "kit", "--none"])).stdout.trim().split("\n")).toHaveLength(1);
});

test("allow adds to what may run, tells it without a flag, and install names it", async () => {
  const box = createSandbox();
  box.write("src/.claude-plugin/plugin.json", '{"name":"kit"}');
  box.write("src/hooks/hooks.json", hooks(1));
  box.write("src/skills/a/SKILL.md", skillText("a"));
  const { stdout } = await box.skillet(["install", "../src", "--skill", "plugin:kit", "--yes"]);
  expect(stdout).toContain("skillet allow kit --hooks");
  expect(stdout).not.toContain("--mcp");
  const state = async (): Promise<string> => (await box.skillet(["allow", "kit"])).stdout.trim();
  expect(await state()).toBe("✓ kit: hooks off, MCP servers off");
  await box.skillet(["allow", "kit", "--hooks"]);
  await box.skillet(["allow", "kit", "--mcp"]);
  expect(await state()).toBe("✓ kit: hooks on, MCP servers on");
  const explained = await box.skillet(["explain", "kit"]);
  expect(explained.exitCode).toBe(0);
  expect(explained.stdout).toContain("hooks on, MCP servers on");
  expect((await box.skillet(["allow", "kit", "--none", "--mcp"])).exitCode).toBe(2);
  await box.skillet(["allow", "kit", "--none"]);
  expect(await state()).toBe("✓ kit: hooks off, MCP servers off");
});

test("allow refuses a plugin that was changed since it was installed, and says what to do", async () => {
  const box = await sandboxWithKit(1);
  box.write("home/.skillet/plugins/kit/hooks/hooks.json", hooks(1).replace("hook-number-1", "other"));
  const refused = await box.skillet(["allow", "kit", "--hooks"]);
  expect(refused.exitCode).toBe(1);
  expect(refused.stderr).toContain("kit is not as it was installed (hooks/hooks.json)");
  expect(refused.stderr).toContain("skillet install --discard");
  expect((await box.skillet(["install", "--discard", "--yes"])).exitCode).toBe(0);
  const allowed = await box.skillet(["allow", "kit", "--hooks"]);
  expect([allowed.exitCode, allowed.stdout]).toEqual([0, expect.stringContaining("Stop: hook-number-1")]);
});

test("a variable that a new version declares is asked about and shown", async () => {
  const box = createSandbox();
  const header = (more: string): string => skillText("x").replace("\n---\n", `\n${more}---\n`);
  box.write("src/x/SKILL.md", skillText("x"));
  await box.skillet(["install", "../src/x", "--yes"]);
  box.write(
    "src/x/SKILL.md",
    header("metadata:\n  openclaw:\n    requires:\n      env: [AWS_SECRET_ACCESS_KEY]\n"),
  );
  const { exitCode, stdout } = await box.skillet(["update", "--yes"]);
  expect(exitCode).not.toBe(0);
  expect(stdout).toContain("asks for AWS_SECRET_ACCESS_KEY");
});
