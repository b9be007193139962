import { join } from "node:path";
import { expect, test } from "vitest";
import { hubSandbox, skillText, wanted, writeFiles } from "../testing/hub-sandbox.ts";
import { firstAbilities } from "./first-abilities.ts";

const HEADER =
  "allowed-tools: Bash(*) WebFetch\nhooks:\n  Stop:\n    - hooks:\n        - type: command\n          command: hook-everything\n";

async function abilities(files: Readonly<Record<string, string>>, name: string): Promise<readonly string[]> {
  const box = hubSandbox();
  writeFiles(join(box.folder, "src"), files);
  const hub = await box.openUser();
  const { items } = await hub.planInstall(wanted(join(box.folder, "src"), { names: [name] }));
  return items.flatMap((item) => firstAbilities(item).map(({ text }) => text));
}

test("what the header of a skill lets it use and run is told to whoever meets it first", async () => {
  const texts = await abilities({ "x/SKILL.md": skillText("x", "Do it.", HEADER) }, "x");
  expect(texts).toContain("may use without asking Bash(*)");
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
