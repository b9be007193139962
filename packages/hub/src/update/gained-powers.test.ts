import { describe, expect, test } from "vitest";
import type { PlanItem } from "../plan/plan.ts";
import { hubSandbox, person, skillText, wanted, writeFiles } from "../testing/hub-sandbox.ts";

type Files = Readonly<Record<string, string>>;

async function updated(before: Files, after: Files): Promise<PlanItem | undefined> {
  const box = hubSandbox();
  writeFiles(`${box.project}/src`, before);
  const hub = await box.open({ ask: person("yes").ask });
  await hub.apply(await hub.planInstall(wanted("./src")));
  writeFiles(`${box.project}/src`, after);
  return (await hub.planUpdate({ names: [], force: false })).items[0];
}

const SKILL = { "SKILL.md": skillText("x") };
const KIT = { ".claude-plugin/plugin.json": '{"name":"kit"}', "skills/a/SKILL.md": skillText("a") };
const SCRIPT = "import sys\nprint(len(sys.argv))\n";
const servers = (server: object): string => JSON.stringify({ mcpServers: { s: server } });
const stop = (hook: object): string =>
  JSON.stringify({ hooks: { Stop: [{ hooks: [{ type: "command", ...hook }] }] } });
const matched = (matcher: string): string =>
  JSON.stringify({ hooks: { PreToolUse: [{ matcher, hooks: [{ type: "command", command: "x.sh" }] }] } });
const HEADER_HOOK =
  "hooks:\n  PreToolUse:\n    - matcher: Bash\n      hooks:\n        - type: command\n          command: sh ./notes.md\n";

describe("an update asks about everything new that can be run or used", () => {
  test.each<[string, Files, Files, string]>([
    ["a script of a plugin's skill", KIT, { "skills/a/scripts/run": SCRIPT }, "skills/a/scripts/run"],
    ["a program beside SKILL.md", SKILL, { "run.py": SCRIPT }, "run.py"],
    ["a program in some folder", SKILL, { "tools/run.SH": "echo hi\n" }, "tools/run.SH"],
    ["a program known by its first line alone", SKILL, { "lib/run": "#!/bin/sh\necho hi\n" }, "lib/run"],
    ["a note that became a program", { ...SKILL, n: "n" }, { n: "#!/bin/sh\n" }, "has the script n"],
    ["a notebook", SKILL, { "lib/run.ipynb": '{"cells":[]}' }, "lib/run.ipynb"],
    ["a package's scripts", SKILL, { "lib/package.json": "{}" }, "lib/package.json"],
    ["a further skill of a plugin", KIT, { "other/b/SKILL.md": skillText("b") }, "brings the skill b"],
    ["a command", KIT, { "commands/deploy.md": "Deploy it.\n" }, "brings the command commands/deploy.md"],
    [
      "a command in the manifest",
      KIT,
      { ".claude-plugin/plugin.json": '{"name":"kit","commands":{"go":{"content":"Go."}}}' },
      'brings the command go: {"content":"Go."}',
    ],
    ["an agent", KIT, { "agents/boss.md": "You are the boss.\n" }, "brings the agent agents/boss.md"],
    [
      "an environment of a server",
      { ...KIT, ".mcp.json": servers({ command: "node", args: ["s.js"] }) },
      { ".mcp.json": servers({ command: "node", args: ["s.js"], env: { NODE_OPTIONS: "-r ./e.js" } }) },
      'brings the server s: node s.js with {"env":{"NODE_OPTIONS":"-r ./e.js"}}',
    ],
    [
      "a helper for the headers of a server",
      { ...KIT, ".mcp.json": servers({ url: "https://mcp.example.com" }) },
      { ".mcp.json": servers({ url: "https://mcp.example.com", headersHelper: "sh ./e.sh" }) },
      'https://mcp.example.com with {"headersHelper":"sh ./e.sh"}',
    ],
    [
      "arguments of a hook",
      { ...KIT, "hooks/hooks.json": stop({ command: "node", args: ["good.js"] }) },
      { "hooks/hooks.json": stop({ command: "node", args: ["evil.js"] }) },
      "has the hook Stop: node evil.js",
    ],
    [
      "what a hook is for",
      { ...KIT, "hooks/hooks.json": matched("Bash") },
      { "hooks/hooks.json": matched("*") },
      'has the hook PreToolUse: x.sh with {"matcher":"*"}',
    ],
    [
      "hooks that nobody here can read",
      { ...KIT, "hooks/hooks.json": "{ // one\n}" },
      { "hooks/hooks.json": "{ // two\n}" },
      "has the hook unknown: whatever hooks/hooks.json says",
    ],
    [
      "a server for a language",
      KIT,
      { ".lsp.json": '{"go":{"command":"sh","args":["./e.sh"]}}' },
      "brings the server go (language): sh ./e.sh",
    ],
    [
      "a tool that it allows itself",
      SKILL,
      { "SKILL.md": skillText("x", "Do it.", "allowed-tools: Bash(*)\n") },
      "may use without asking Bash(*)",
    ],
    [
      "a tool that a skill of a plugin allows itself",
      KIT,
      { "skills/a/SKILL.md": skillText("a", "Do it.", "allowed-tools: Bash(*)\n") },
      "may use without asking Bash(*) in skills/a/SKILL.md",
    ],
    [
      "a tool that a command allows itself",
      { ...KIT, "commands/go.md": "Go.\n" },
      { "commands/go.md": "---\ndescription: Goes.\nallowed-tools: Bash(*)\n---\nGo.\n" },
      "may use without asking Bash(*) in commands/go.md",
    ],
    [
      "a header that nobody here can read",
      KIT,
      { "skills/a/SKILL.md": "---\nname: a\ndescription: d\nhooks: &a [*a]\nallowed-tools: Bash(*)\n---\nx" },
      "may use without asking whatever skills/a/SKILL.md says",
    ],
    ["a hook in its header", SKILL, { "SKILL.md": skillText("x", "Do it.", HEADER_HOOK) }, "sh ./notes.md"],
  ])("%s", async (_, before, after, asked) => {
    const item = await updated(before, after);
    expect(item?.action).toBe("update");
    expect(item?.questions.join("; ")).toContain(asked);
  });

  test("and about nothing that was there before", async () => {
    const header = `allowed-tools: Bash(ls)\n${HEADER_HOOK}`;
    const files = {
      "lib/run": "#!/bin/sh\n",
      "run.py": SCRIPT,
      "SKILL.md": skillText("x", "Do it.", header),
    };
    const item = await updated(files, { "SKILL.md": skillText("x", "Do it well.", header) });
    expect([item?.action, item?.questions]).toEqual(["update", []]);
    const kit = {
      ...KIT,
      "hooks/hooks.json": stop({ command: "a" }),
      ".mcp.json": servers({ url: "https://a.example" }),
      "commands/go.md": "Go.\n",
    };
    const plugin = await updated(kit, { "commands/go.md": "Go on.\n" });
    expect([plugin?.action, plugin?.questions]).toEqual(["update", []]);
  });
});

test("a question fits on a screen, however much is new", async () => {
  const item = await updated(KIT, {
    "hooks/hooks.json": stop({ command: `true ${"a ".repeat(200_000)}` }),
    ...Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`scripts/${index}`, "x"])),
  });
  const question = item?.questions.join("; ") ?? "";
  expect(question.length).toBeLessThan(20_000);
  expect(question).toMatch(/and can do \d+ more things/);
});

test("two hooks that differ behind what is shown are two", async () => {
  const long = (end: string): Files => ({
    "hooks/hooks.json": stop({ command: `${"a".repeat(5_000)}${end}` }),
  });
  const item = await updated({ ...KIT, ...long("one") }, long("two"));
  expect(item?.questions).toHaveLength(1);
});
