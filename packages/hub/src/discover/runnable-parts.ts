import type { PluginHook, ServerDefinition, TreeFile } from "@skillet/core";
import { parseSkillBytes, readHooks, readServers } from "@skillet/core/internal";
import { type JsonObject, parseJsonObject } from "@skillet/kit/json";
import { agentPluginOf, isAgentPluginSkill, isDotManifest, readParts, unique } from "./plugin-documents.ts";

// The lists for people show more than this: everything that any agent might run. Here is what Skillet runs and hands on.

/** The hooks of a plugin: of its manifests, of `hooks/hooks.json`, and of the headers of its skills. */
export function runnableHooks(plugin: string, files: readonly TreeFile[]): readonly PluginHook[] {
  const isAgentPlugin = agentPluginOf(files) !== undefined;
  const ofPlugin = isAgentPlugin
    ? []
    : inManifests(files, ({ hooks: value }) =>
        readParts(files, { value, usual: "hooks/hooks.json", read: (document) => readHooks(document) }),
      );
  const ofSkills = files
    .filter(({ path }) => (isAgentPlugin ? isAgentPluginSkill(path) : /(?:^|\/)skill\.md$/i.test(path)))
    .flatMap(({ path, bytes }) => {
      const directoryName = path.split("/").at(-2) ?? plugin;
      const { manifest } = parseSkillBytes(bytes, { directoryName });
      return manifest === undefined ? [] : readHooks(manifest.hooks, `${plugin}:${manifest.name}`);
    });
  return [...ofPlugin, ...ofSkills];
}

/** The MCP servers of a plugin: of its manifests and of `.mcp.json`; of an Agent Plugin, those of `mcp.json` alone. */
export function runnableServers(files: readonly TreeFile[]): readonly ServerDefinition[] {
  const read = ({ mcpServers: value }: JsonObject): readonly ServerDefinition[] =>
    readParts(files, { value, usual: ".mcp.json", read: readServers });
  return agentPluginOf(files)?.servers ?? inManifests(files, read);
}

// Each agent reads its own manifest, and several may say the same.
function inManifests<Part>(
  files: readonly TreeFile[],
  read: (manifest: JsonObject) => readonly Part[],
): readonly Part[] {
  return unique(files.filter(isDotManifest).flatMap(({ bytes }) => read(parseJsonObject(bytes) ?? {})));
}
