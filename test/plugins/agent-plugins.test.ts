import { existsSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createRepository, HAS_GIT } from "../cli/git-repository.ts";
import { createSandbox, type Sandbox, skillText } from "../cli/sandbox.ts";
import { createPluginPlace } from "./plugin-place.ts";

const SCHEMAS = "https://agent-plugins.org/schemas/1.0.0";
const manifest = (fields: object = {}): string =>
  JSON.stringify({ $schema: `${SCHEMAS}/plugin.schema.json`, name: "acme.kit", version: "1.0.0", ...fields });
const servers = (mcpServers: object): string =>
  JSON.stringify({ $schema: `${SCHEMAS}/mcp.schema.json`, mcpServers });

function writePlugin(box: Sandbox, files: Readonly<Record<string, string>> = {}): void {
  const all = { "plugin.json": manifest(), "skills/a/SKILL.md": skillText("a"), ...files };
  for (const [path, text] of Object.entries(all)) box.write(`kit/${path}`, text);
}

async function names(box: Sandbox): Promise<readonly string[]> {
  const { document } = await box.json(["show", "--scope", "plugin"]);
  return document.skills.map(({ name, qualifiedName }: Record<string, string>) => qualifiedName ?? name);
}

const install = (box: Sandbox, ...more: readonly string[]) =>
  box.skillet(["install", "../kit", "--yes", ...more]);

describe("an Agent Plugin", () => {
  test("is installed as one, and shown with its version, skills and servers", async () => {
    const box = createSandbox();
    writePlugin(box, {
      "plugin.json": manifest({ mood: "sunny" }),
      "skills/b/SKILL.md": skillText("b"),
      "skills/b/references/c/SKILL.md": skillText("c"),
      "com.example.client/d/SKILL.md": skillText("d"),
      "mcp.json": servers({ notes: { type: "stdio", command: "notes-server" }, bad: { type: "stdio" } }),
    });
    const { exitCode, stdout, stderr } = await install(box);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/acme\.kit 1\.0\.0 .*plugin/);
    expect(stdout).toMatch(/skills +a, b$/m);
    expect(stdout).toContain("notes (notes-server)");
    expect(stderr).toContain("mcp.json");
    expect(stderr).toContain("`mcpServers.bad` has no `command`, so this server is not used.");
    expect(await names(box)).toEqual(["acme.kit:a", "acme.kit:b"]);
    const explained = await box.skillet(["explain", "acme.kit"]);
    expect([explained.exitCode, explained.stdout]).toEqual([
      0,
      expect.stringMatching(/^acme\.kit {2}plugin/),
    ]);
    expect(existsSync(join(box.home, ".skillet/plugins/acme.kit/com.example.client/d/SKILL.md"))).toBe(true);
  });

  test.runIf(HAS_GIT)("is locked to its commit, updated and verified like other plugins", async () => {
    const box = createSandbox();
    const repository = createRepository(box);
    repository.git("rm", "-qr", "skills");
    const first = repository.commit({ "plugin.json": manifest(), "skills/a/SKILL.md": skillText("a") });
    const { document } = await box.json(["install", repository.url, "--yes"]);
    expect(document.results).toMatchObject([
      { name: "acme.kit", outcome: "installed", resolved: { commit: first } },
    ]);
    const second = repository.commit({
      "plugin.json": manifest({ version: "2.0.0" }),
      "skills/b/SKILL.md": skillText("b"),
    });
    const update = await box.json(["update", "--yes", "--accept-capabilities"]);
    expect(update.document.results).toMatchObject([{ outcome: "updated", resolved: { commit: second } }]);
    expect(await names(box)).toEqual(["acme.kit:a", "acme.kit:b"]);
    expect((await box.skillet(["verify"])).exitCode).toBe(0);
    repository.commit({ "plugin.json": manifest({ name: "Not--Valid" }) });
    const broken = await box.json(["update", "--yes"]);
    expect(broken.exitCode).toBe(1);
    expect(await names(box)).toEqual(["acme.kit:a", "acme.kit:b"]);
  });

  test.each([
    ["its name", manifest({ name: "A--B" }), "plugin.json:1:"],
    [
      "its version of the format",
      manifest({ $schema: `${SCHEMAS}/9/plugin.schema.json` }),
      "versions 1.0 and 1.1",
    ],
    ["broken JSON", manifest().slice(0, -1), "It is not JSON"],
    ["its size", manifest({ description: "x".repeat(300_000) }), "larger than"],
  ])("is not installed for %s, nor is a dot folder taken instead", async (_, text, reason) => {
    const box = createSandbox();
    writePlugin(box, { "plugin.json": text, ".claude-plugin/plugin.json": '{"name":"other"}' });
    const { exitCode, stderr } = await install(box);
    expect(exitCode).toBe(1);
    expect(stderr.replace(/\s+/g, " ")).toContain(reason);
    const one = await install(box, "--skill", "a");
    expect(one.exitCode).not.toBe(0);
    expect(await names(box)).toEqual([]);
  });

  test("takes another name by --name, if it is one", async () => {
    const box = createSandbox();
    writePlugin(box);
    expect((await install(box, "--name", "user")).exitCode).toBe(1);
    expect((await install(box, "--name", "mine")).exitCode).toBe(0);
    expect(await names(box)).toEqual(["mine:a"]);
  });

  test("gives its skills one by one as well, and nothing else in it", async () => {
    const box = createSandbox();
    writePlugin(box, { "elsewhere/b/SKILL.md": skillText("b") });
    expect((await install(box, "--skill", "b")).exitCode).not.toBe(0);
    expect((await install(box, "--skill", "a")).exitCode).toBe(0);
    expect(await names(box)).toEqual(["a"]);
  });

  test("hidden in a skill or another plugin is refused: it would name what lies around it", async () => {
    const box = createSandbox();
    box.write("kit/SKILL.md", skillText("kit"));
    box.write("kit/.claude-plugin/plugin.json", '{"name":"kit"}');
    box.write("kit/skills/plugin.json", manifest({ name: "other" }));
    box.write("kit/skills/skills/a/SKILL.md", skillText("a"));
    const plugin = await install(box, "--skill", "plugin:kit");
    expect([plugin.exitCode, plugin.stdout]).toEqual([
      1,
      expect.stringMatching(/carries a\s+further\s+plugin\s+manifest/),
    ]);
    box.write("one/SKILL.md", skillText("one"));
    box.write("one/plugin.json", manifest({ name: "other" }));
    const skill = await box.skillet(["install", "../one", "--skill", "one", "--yes"]);
    expect(skill.exitCode).not.toBe(0);
    expect(await names(box)).toEqual([]);
  });

  test.each(["SKILL.md", "skill.md"])(
    "of files alone with a %s is refused: that would be a skill with a plain name",
    async (file) => {
      const box = createSandbox();
      box.write("kit/plugin.json", manifest());
      box.write("kit/mcp.json", servers({ notes: { type: "stdio", command: "notes-server" } }));
      box.write(`kit/${file}`, skillText("deploy"));
      const { exitCode, stdout } = await install(box, "--skill", "plugin:acme.kit");
      expect([exitCode, stdout]).toEqual([1, expect.stringMatching(/a\s+SKILL\.md\s+beside\s+its\s+plugin/)]);
      expect(await names(box)).toEqual([]);
    },
  );

  test("that links out of itself is not installed", async () => {
    const box = createSandbox();
    writePlugin(box);
    box.write("secret", "key\n");
    symlinkSync("../../../secret", join(box.root, "kit/skills/a/secret"));
    expect((await install(box)).exitCode).toBe(1);
  });
});

describe("the servers of an Agent Plugin", () => {
  const PLUGIN = { $schema: `${SCHEMAS}/plugin.schema.json`, name: "kit" };
  const MCP = JSON.parse(
    servers({
      local: { type: "stdio", command: "./bin/server", args: [`\${PLUGIN_DATA}/x`, `\${HOME}`] },
      outside: { type: "stdio", command: "../bin/server" },
      plain: { type: "streamable-http", url: "http://example.com/mcp" },
      web: { type: "streamable-http", url: "https://example.com/mcp", headers: { A: `\${PLUGIN_ROOT}` } },
    }),
  );

  test("are off until a person allows them, then started in the plugin with a folder for their data", async () => {
    const place = await createPluginPlace({
      "plugin.json": PLUGIN,
      "mcp.json": MCP,
      ".mcp.json": { mcpServers: { other: { command: "for-another-agent" } } },
    });
    expect((await place.open()).mcpServers()).toEqual([]);
    await place.hub.allow("kit", { hooks: false, mcpServers: true });
    const [server] = (await place.open()).mcpServers();
    const data = server?.env?.PLUGIN_DATA ?? "";
    expect(data).toMatch(/\/\.skillet\/plugin-data\/kit-[0-9a-f]{16}$/);
    const environment = { HOME: "/leaked", PLUGIN_DATA: "/elsewhere" };
    expect((await place.open()).mcpServers({ environment })).toEqual([
      {
        plugin: "kit",
        name: "local",
        type: "stdio",
        command: join(place.folder, "bin/server"),
        args: [`${data}/x`, `\${HOME}`],
        cwd: place.folder,
        missing: [],
        env: { PLUGIN_ROOT: place.folder, PLUGIN_DATA: data },
      },
      { plugin: "kit", name: "web", ...MCP.mcpServers.web, missing: [] },
    ]);
    expect(statSync(data).mode & 0o777).toBe(0o700);
  });

  test.runIf(HAS_GIT)(
    "find their data after an update, and never that of a plugin from elsewhere",
    async () => {
      const text = { "plugin.json": JSON.stringify(PLUGIN), "mcp.json": JSON.stringify(MCP) };
      const place = await createPluginPlace(text);
      const dataOf = async (): Promise<string | undefined> => {
        await place.hub.allow("kit", { hooks: false, mcpServers: true });
        return (await place.open()).mcpServers()[0]?.env?.PLUGIN_DATA;
      };
      const install = async (source: string) => {
        const plan = await place.hub.planInstall({
          source,
          names: ["plugin:kit"],
          all: false,
          agents: [],
          agentTargets: "link",
          link: false,
          force: true,
        });
        return (await place.hub.apply(plan)).map(({ outcome }) => outcome);
      };
      const first = await dataOf();
      place.write("source/mcp.json", JSON.stringify({ ...MCP, mcpServers: { local: MCP.mcpServers.local } }));
      expect(await install(join(place.root, "source"))).toEqual(["updated"]);
      expect(await dataOf()).toBe(first);
      const repository = createRepository(place);
      repository.commit(text);
      await place.hub.remove({ names: ["kit"], discardEdits: false, dryRun: false });
      expect(await install(repository.url)).toEqual(["installed"]);
      const other = await dataOf();
      expect(other).toContain("plugin-data/kit-");
      expect(other).not.toBe(first);
    },
  );

  test("are allowed by a command that names them", async () => {
    const box = createSandbox();
    writePlugin(box, { "mcp.json": servers({ notes: { type: "stdio", command: "notes-server" } }) });
    await install(box);
    const { stdout } = await box.skillet(["allow", "acme.kit", "--mcp"]);
    expect(stdout).toContain("brings the server notes: notes-server");
  });
});

describe("skillet validate on an Agent Plugin", () => {
  const rows = async (box: Sandbox, ...paths: readonly string[]) => {
    const { exitCode, document } = await box.json(["validate", ...paths], { workingDirectory: box.root });
    const results: readonly {
      kind: string;
      path: string;
      valid: boolean;
      diagnostics: { code: string }[];
    }[] = document.results;
    const told = results.map(({ kind, path, valid, diagnostics }) => [
      ...[kind, path, valid],
      ...diagnostics.map(({ code }) => code),
    ]);
    return [exitCode, ...told];
  };

  test("checks the manifest, the servers and the skills, and nothing that is not a skill of it", async () => {
    const box = createSandbox();
    writePlugin(box, {
      "mcp.json": servers({ notes: { type: "stdio", command: "notes-server" } }),
      "skills/a/references/inner/SKILL.md": "not a skill\n",
      ".claude/commands/ship.md": "Ship it.\n",
    });
    expect(await rows(box, "kit")).toEqual([
      0,
      ["place", "kit", true, "agent-plugin-skill-left-out"],
      ["plugin", "kit/plugin.json", true],
      ["plugin", "kit/mcp.json", true],
      ["skill", "kit/skills/a", true],
      ["command", "kit/.claude/commands/ship.md", true],
    ]);
    const { stdout } = await box.skillet(["validate", "../kit"]);
    expect(stdout).toContain("✓ 2 plugin files and 2 skills and commands, all valid");
  });

  test("tells all that is wrong at once, with lines and hints", async () => {
    const box = createSandbox();
    writePlugin(box, {
      "mcp.json": servers({ web: { type: "sse", url: "http://example.com/" } }),
      "skills/b/SKILL.md": "---\nname: other\ndescription: Does b.\n---\n",
    });
    expect(await rows(box, "kit")).toEqual([
      1,
      ["plugin", "kit/plugin.json", true],
      ["plugin", "kit/mcp.json", false, "agent-plugin-server-skipped"],
      ["skill", "kit/skills/a", true],
      ["skill", "kit/skills/b", false, "name-directory-mismatch"],
    ]);
    box.write("kit/plugin.json", `{\n  "$schema": "${SCHEMAS}/plugin.schema.json",\n  "name": "No--No"\n}\n`);
    expect(await rows(box, "kit")).toEqual([
      1,
      ["plugin", "kit/plugin.json", false, "agent-plugin-invalid"],
      ["skill", "kit/skills/a", true],
      ["skill", "kit/skills/b", false, "name-directory-mismatch"],
    ]);
    const { stdout } = await box.skillet(["validate", "../kit"]);
    expect(stdout).toMatch(/kit\/plugin\.json:3:11/);
    expect(stdout).toContain('3 |   "name": "No--No"');
    expect(stdout).toContain("hint: Choose a name such as my-plugin.");
  });

  test("needs no skill, repairs only skills, and reads every plugin of a folder", async () => {
    const box = createSandbox();
    box.write("all/one/plugin.json", manifest({ name: "one", mood: "sunny" }));
    box.write("all/two/plugin.json", manifest({ name: "two" }).replace("}", ",}"));
    box.write("all/other/plugin.json", '{"id":"panel"}');
    box.write("all/other/x/SKILL.md", skillText("x"));
    box.write("all/out/skills/z/SKILL.md", skillText("z"));
    symlinkSync("../one/plugin.json", join(box.root, "all/out/plugin.json"));
    expect(await rows(box, "all", "--fix")).toEqual([
      1,
      ["plugin", "all/one/plugin.json", true, "agent-plugin-field-ignored"],
      ["plugin", "all/out/plugin.json", false, "agent-plugin-invalid"],
      ["plugin", "all/two/plugin.json", false, "agent-plugin-invalid"],
      ["skill", "all/other/x", true],
      ["skill", "all/out/skills/z", true],
    ]);
    expect(await rows(box, "all/one")).toEqual([
      0,
      ["plugin", "all/one/plugin.json", true, "agent-plugin-field-ignored"],
    ]);
  });
});
