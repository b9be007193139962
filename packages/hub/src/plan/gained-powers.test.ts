import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { PlannedItem } from "../plan-item.ts";
import { hubSandbox, person, skillText, wanted, writeFiles } from "../testing/hub-sandbox.ts";
import { firstAbilities } from "./gained-powers.ts";

type Files = Readonly<Record<string, string>>;

async function updated(before: Files, after: Files): Promise<PlannedItem | undefined> {
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
const requires = (lines: string): string =>
  skillText("x", "Do it.", `metadata:\n  openclaw:\n    requires:\n${lines}`);
const COMPANION = `dependencies:
  tools:
    - { type: mcp, value: notes, transport: streamable_http, url: "https://notes.example/" }
    - { type: env_var, value: PAY_KEY }
`;
const agent = (header: string): Files => ({
  "agents/helper.md": `---\nname: helper\ndescription: Helps.\n${header}---\n\nHelp.\n`,
});
const manifest = (more: object): Files => ({
  ".claude-plugin/plugin.json": JSON.stringify({ name: "kit", ...more }),
});
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
    [
      "a skill that some disks find",
      KIT,
      { "skills/b/Skill.md": skillText("b", "Do it.", "allowed-tools: Bash(*)\n") },
      "asks other agents to pre-approve Bash(*) in skills/b/Skill.md; brings the skill b",
    ],
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
      "hooks that no one here can read",
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
      "asks other agents to pre-approve Bash(*)",
    ],
    [
      "a tool that a skill of a plugin allows itself",
      KIT,
      { "skills/a/SKILL.md": skillText("a", "Do it.", "allowed-tools: Bash(*)\n") },
      "asks other agents to pre-approve Bash(*) in skills/a/SKILL.md",
    ],
    [
      "a tool that a command allows itself",
      { ...KIT, "commands/go.md": "Go.\n" },
      { "commands/go.md": "---\ndescription: Goes.\nallowed-tools: Bash(*)\n---\nGo.\n" },
      "asks other agents to pre-approve Bash(*) in commands/go.md",
    ],
    [
      "a header that no one here can read",
      KIT,
      { "skills/a/SKILL.md": "---\nname: a\ndescription: d\nhooks: &a [*a]\nallowed-tools: Bash(*)\n---\nx" },
      "asks other agents to pre-approve whatever skills/a/SKILL.md says",
    ],
    ["a hook in its header", SKILL, { "SKILL.md": skillText("x", "Do it.", HEADER_HOOK) }, "sh ./notes.md"],
    [
      "a variable that it declares",
      SKILL,
      { "SKILL.md": requires("      env: [AWS_SECRET_ACCESS_KEY]\n") },
      "asks for AWS_SECRET_ACCESS_KEY",
    ],
    [
      "the variable that unlocks it",
      SKILL,
      { "SKILL.md": skillText("x", "Do it.", "metadata:\n  openclaw:\n    primaryEnv: PAY_KEY\n") },
      "asks for PAY_KEY",
    ],
    [
      "a file of credentials",
      SKILL,
      { "SKILL.md": skillText("x", "Do it.", "required-credential-files: [token.json]\n") },
      "asks for the file token.json",
    ],
    [
      "a server and a variable that it names beside its header",
      SKILL,
      { "agents/openai.yaml": COMPANION },
      "brings the server notes: https://notes.example/; asks for PAY_KEY",
    ],
    [
      "what no one here can read beside its header",
      SKILL,
      { "agents/openai.yaml": "a: &a [*a]\n" },
      "sets whatever agents/openai.yaml says",
    ],
    [
      "another agent that does its work",
      SKILL,
      { "SKILL.md": skillText("x", "Do it.", "context: fork\nagent: general-purpose\n") },
      "sets agent: general-purpose",
    ],
    [
      "servers of an agent",
      { ...KIT, ...agent("tools: Read\n") },
      agent("tools: Read\nmcpServers:\n  - slack\n  - own: { command: sh, args: [e.sh] }\n"),
      "brings the server slack in agents/helper.md; brings the server own: sh e.sh in agents/helper.md",
    ],
    [
      "an agent that asks for nothing any more",
      { ...KIT, ...agent("tools: Read\n") },
      agent("tools: Read\npermissionMode: bypassPermissions\n"),
      'sets permissionMode: "bypassPermissions" in agents/helper.md',
    ],
    [
      "an output style",
      KIT,
      { "output-styles/s.md": "Be terse.\n" },
      "brings the instructions output-styles/s.md",
    ],
    [
      "an output style that no one needs to choose",
      { ...KIT, "output-styles/s.md": "---\nname: s\n---\nBe terse.\n" },
      { "output-styles/s.md": "---\nname: s\nforce-for-plugin: true\n---\nBe terse.\n" },
      "sets force-for-plugin: true in output-styles/s.md",
    ],
    ["rules", KIT, { "rules/always.mdc": "Be terse.\n" }, "brings the instructions rules/always.mdc"],
    ["settings", KIT, { "settings.json": '{"agent":"boss"}' }, 'sets settings.json agent: "boss"'],
    [
      "a line of state that a program writes",
      KIT,
      { "settings.json": '{"subagentStatusLine":{"type":"command","command":"sh e.sh"}}' },
      "has the hook settings subagentStatusLine: sh e.sh",
    ],
    ["plugins that it needs", KIT, manifest({ dependencies: ["b@m"] }), 'sets dependencies: ["b@m"]'],
    ["apps", KIT, { ".app.json": '{"apps":{"mail":{"id":"c"}}}' }, 'sets .app.json mail: {"id":"c"}'],
    [
      "a monitor",
      KIT,
      { "monitors/monitors.json": '[{"name":"m","command":"watch.sh","description":"d"}]' },
      "has the hook monitor m: watch.sh",
    ],
    ["a monitor in the manifest", KIT, manifest({ monitors: [{ command: "w" }] }), "has the hook monitor: w"],
    [
      "an early monitor",
      KIT,
      manifest({ experimental: { monitors: [{ name: "m", command: "w" }] } }),
      "has the hook monitor m: w",
    ],
    ["a key that no one here knows", KIT, manifest({ onLoad: "e.sh" }), 'sets onLoad: "e.sh"'],
    [
      "hooks that some disks find",
      KIT,
      { "hooks/Hooks.json": stop({ command: "e.sh" }) },
      "has the hook Stop: e.sh",
    ],
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

describe("an update asks about less to keep it back", () => {
  const limited = "disallowed-tools: [Bash, WebFetch]\ndisable-model-invocation: true\n";
  test.each<[string, Files, Files, string]>([
    [
      "tools that it may not use",
      { "SKILL.md": skillText("x", "Do it.", limited) },
      { "SKILL.md": skillText("x", "Do it.", limited.replace("Bash, ", "")) },
      "the new version is no longer kept from Bash",
    ],
    [
      "that it is held to a list of tools",
      { "SKILL.md": skillText("x", "Do it.", "allowed-tools: Read\n") },
      SKILL,
      "the new version is not held to the tools that it names",
    ],
    [
      "that only people call it",
      { "SKILL.md": skillText("x", "Do it.", "disable-model-invocation: true\n") },
      SKILL,
      "the new version may be called by the model",
    ],
    [
      "that only people call it, as it says beside its header",
      { ...SKILL, "agents/openai.yaml": "policy:\n  allow_implicit_invocation: false\n" },
      { "agents/openai.yaml": "policy: {}\n" },
      "the new version may be called by the model",
    ],
    [
      "where a secret may go",
      {
        "SKILL.md": requires("      env: [PAY_KEY]\n").replace(
          "metadata",
          "credential-destinations: { PAY_KEY: [pay.example] }\nmetadata",
        ),
      },
      { "SKILL.md": requires("      env: [PAY_KEY]\n") },
      "the new version may send PAY_KEY anywhere",
    ],
    [
      "the tools of an agent",
      { ...KIT, ...agent("tools: Read\n") },
      agent(""),
      "the new version may use every tool in agents/helper.md",
    ],
    [
      "the tools of an agent, by a list that is empty",
      { ...KIT, ...agent("tools: Read\n") },
      agent("tools: ''\n"),
      "the new version may use every tool in agents/helper.md",
    ],
    [
      "tools that an agent may not use",
      { ...KIT, ...agent("tools: Read\ndisallowedTools: Bash, WebFetch\n") },
      agent("tools: Read\n"),
      "the new version is no longer kept from Bash in agents/helper.md; is no longer kept from WebFetch in agents/helper.md",
    ],
    [
      "a header that is gone altogether",
      { ...KIT, "commands/go.md": `---\n${limited}---\nGo.\n` },
      { "commands/go.md": "Go.\n" },
      "may be called by the model in commands/go.md",
    ],
  ])("%s", async (_, before, after, asked) => {
    const item = await updated(before, after);
    expect(item?.action).toBe("update");
    expect(item?.questions.join("; ")).toContain(asked);
  });

  test.each<[string, Files, Files]>([
    ["an agent gets a list of tools", { ...KIT, ...agent("") }, agent("tools: Read, Grep\n")],
    ["a skill keeps itself from more", SKILL, { "SKILL.md": skillText("x", "Do it.", limited) }],
    ["a variable is asked for no more", { "SKILL.md": requires("      env: [A_KEY]\n") }, SKILL],
  ])("and about nothing where %s", async (_, before, after) => {
    const item = await updated(before, after);
    expect([item?.action, item?.questions]).toEqual(["update", []]);
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

test("two hooks that differ after what is shown are two", async () => {
  const long = (end: string): Files => ({
    "hooks/hooks.json": stop({ command: `${"a".repeat(5_000)}${end}` }),
  });
  const item = await updated({ ...KIT, ...long("one") }, long("two"));
  expect(item?.questions).toHaveLength(1);
});

const HEADER =
  "allowed-tools: Bash(*) WebFetch\nhooks:\n  Stop:\n    - hooks:\n        - type: command\n          command: hook-everything\n";

async function abilities(files: Readonly<Record<string, string>>, name: string): Promise<readonly string[]> {
  const box = hubSandbox();
  writeFiles(join(box.folder, "src"), files);
  const hub = await box.openUser();
  const { items } = await hub.planInstall(wanted(join(box.folder, "src"), { names: [name] }));
  return items.flatMap((item) => firstAbilities(item).map(({ text }) => text));
}

test("what the header of a skill lets it use and run is told on the first install", async () => {
  const texts = await abilities({ "x/SKILL.md": skillText("x", "Do it.", HEADER) }, "x");
  expect(texts).toContain("asks other agents to pre-approve Bash(*)");
  expect(texts).toContain("has the hook Stop: hook-everything");
  expect(new Set(texts).size).toBe(texts.length);
});

test("of a plugin, what its parts tell is not told twice, but what the headers of its skills say is", async () => {
  const hook = { Stop: [{ hooks: [{ type: "command", command: "of-the-plugin" }] }] };
  const texts = await abilities(
    {
      ".claude-plugin/plugin.json": '{"name":"kit"}',
      "hooks/hooks.json": JSON.stringify({ hooks: hook }),
      ".mcp.json": JSON.stringify({ mcpServers: { docs: { command: "serve-docs" } } }),
      "skills/a/SKILL.md": skillText("a", "Do it.", HEADER),
    },
    "plugin:kit",
  );
  expect(texts).toContain("has the hook Stop: hook-everything in skills/a/SKILL.md");
  expect(texts.filter((text) => /has the hook Stop: of-the-plugin|brings the/.test(text))).toEqual([]);
});
