import type { PluginHook, ServerDefinition, TreeFile } from "@skillet/core";
import { parseSkillBytes, readAgentPluginServers, readHooks, readServers } from "@skillet/core/internal";
import { type JsonObject, parseJsonObject } from "@skillet/kit/json";
import { agentPluginOf, isAgentPluginSkill, pluginManifests, readParts } from "./plugin-documents.ts";

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
  const agentPlugin = agentPluginOf(files);
  if (agentPlugin !== undefined) {
    const [file, schema] = [files.find(({ path }) => path === "mcp.json"), agentPlugin.manifest?.$schema];
    if (file === undefined || schema === undefined) return [];
    return readAgentPluginServers(file.bytes, { file: file.path, schema }).servers;
  }
  return inManifests(files, ({ mcpServers: value }) =>
    readParts(files, { value, usual: ".mcp.json", read: readServers }),
  );
}

// Each agent reads its own manifest, and several may say the same.
function inManifests<Part>(
  files: readonly TreeFile[],
  read: (manifest: JsonObject) => readonly Part[],
): readonly Part[] {
  const manifests = files.filter(({ path }) => pluginManifests("").includes(path.toLowerCase()));
  const parts = manifests.flatMap(({ bytes }) => read(parseJsonObject(bytes) ?? {}));
  return [...new Map(parts.map((part) => [JSON.stringify(part), part])).values()];
}
