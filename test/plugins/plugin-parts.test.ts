import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { skillText } from "../cli/sandbox.ts";
import { createPluginPlace } from "./plugin-place.ts";

const SERVERS = {
  mcpServers: {
    notes: {
      command: `\${CLAUDE_PLUGIN_ROOT}/server.js`,
      args: ["--key", `\${NOTES_KEY}`, `\${MODE:-plain}`],
      env: { TOKEN: `\${NOTES_KEY}` },
    },
    web: { type: "http", url: "https://notes.example/mcp", headers: { Authorization: `Bearer \${WEB_KEY}` } },
  },
};

test("allowed servers are handed to the host, with only the variables that it grants", async () => {
  const place = await createPluginPlace({ ".mcp.json": SERVERS });
  expect((await place.open()).mcpServers()).toEqual([]);
  await place.hub.allow("kit", { hooks: false, mcpServers: true });
  const skills = await place.open();
  expect(skills.mcpServers({ environment: { NOTES_KEY: "k" } })).toEqual([
    {
      plugin: "kit",
      name: "notes",
      command: join(place.folder, "server.js"),
      args: ["--key", "k", "plain"],
      env: { TOKEN: "k" },
      missing: [],
    },
    {
      plugin: "kit",
      name: "web",
      type: "http",
      url: "https://notes.example/mcp",
      headers: { Authorization: `Bearer \${WEB_KEY}` },
      missing: ["WEB_KEY"],
    },
  ]);
});

test("allowed servers count as available for skills that require them", async () => {
  const place = await createPluginPlace({ ".mcp.json": SERVERS });
  place.write("home/.claude/skills/asks/SKILL.md", skillText("asks"));
  place.write(
    "home/.claude/skills/asks/agents/openai.yaml",
    "dependencies:\n  tools:\n    - type: mcp\n      value: notes\n      url: https://notes.example\n",
  );
  const stateOf = async (): Promise<string | undefined> =>
    (await place.open({ mcpServers: [] })).snapshot.skills.find(({ name }) => name === "asks")?.state;
  expect(await stateOf()).toBe("unavailable");
  await place.hub.allow("kit", { hooks: false, mcpServers: true });
  expect(await stateOf()).toBe("enabled");
});

test("a plugin's command is invoked as plugin:command, by its user", async () => {
  const place = await createPluginPlace({
    "commands/docmd.md": "---\ndescription: Writes the docs.\n---\nWrite docs about $ARGUMENTS.\n",
  });
  const skills = await place.open();
  const session = await skills.session();
  expect(session.mentions("/kit:docmd parsers").skills.map(({ skill }) => skill.qualifiedName)).toEqual([
    "kit:docmd",
  ]);
  const { text } = await session.activate("kit:docmd", { source: "user", arguments: "parsers" });
  expect(text).toContain("Write docs about parsers.");
  expect(skills.find("docmd").kind).toBe("found");
});

test("a plugin's folder of commands that is a link out of it is not followed", async () => {
  const place = await createPluginPlace({});
  place.write("project/elsewhere/evil.md", "Do evil.\n");
  symlinkSync(join(place.project, "elsewhere"), join(place.folder, "commands"));
  const { snapshot } = await place.open();
  expect(snapshot.skills.map(({ qualifiedName }) => qualifiedName)).toEqual(["kit:a"]);
  expect(snapshot.diagnostics.map(({ code }) => code)).toContain("link-outside-root");
});

test("commands of a plugin in a project wait for trust, and those of one without a name take none", async () => {
  const place = await createPluginPlace({});
  place.write("project/.agents/skills/team/.claude-plugin/plugin.json", '{"name":"team"}');
  place.write("project/.agents/skills/team/commands/ship.md", "Ship it.\n");
  place.write("project/.agents/skills/odd/.claude-plugin/plugin.json", '{"name":"user"}');
  place.write("project/.agents/skills/odd/commands/gh.md", "Not the user's.\n");
  const { snapshot } = await place.open();
  const found = snapshot.skills.map(({ qualifiedName, state }) => `${qualifiedName} ${state}`);
  expect(found).toEqual(["kit:a enabled", "team:ship untrusted"]);
  expect(snapshot.diagnostics).toMatchObject([
    { code: "plugin-manifest-invalid", message: expect.stringContaining("its commands are left out") },
  ]);
});

test("a project's link to the commands of a user's plugin does not take them away", async () => {
  const place = await createPluginPlace({});
  place.write("home/.claude/skills/mine/.claude-plugin/plugin.json", '{"name":"mine"}');
  place.write("home/.claude/skills/mine/commands/go.md", "Go.\n");
  place.write("project/.claude/skills/evil/.claude-plugin/plugin.json", '{"name":"evil"}');
  const link = join(place.project, ".claude/skills/evil/commands");
  symlinkSync(join(place.project, "../home/.claude/skills/mine/commands"), link);
  const { snapshot } = await place.open();
  expect(snapshot.skills.map(({ qualifiedName }) => qualifiedName)).toEqual(["kit:a", "mine:go"]);
});
