import type { PluginHook, ServerDefinition, TreeFile } from "@skillet/core";
import { parseSkillBytes, readHooks, readServers } from "@skillet/core/internal";
import { type JsonObject, parseJsonObject } from "@skillet/kit/json";
import { pluginManifests, readParts } from "./plugin-documents.ts";

// The lists for people show more than this: everything that any agent might run. Here is what Skillet runs and hands on.

/** The hooks of a plugin: of its manifests, of `hooks/hooks.json`, and of the headers of its skills. */
export function runnableHooks(plugin: string, files: readonly TreeFile[]): readonly PluginHook[] {
  const ofPlugin = inManifests(files, ({ hooks: value }) =>
    readParts(files, { value, usual: "hooks/hooks.json", read: (document) => readHooks(document) }),
  );
  const ofSkills = files
    .filter(({ path }) => /(?:^|\/)skill\.md$/i.test(path))
    .flatMap(({ path, bytes }) => {
      const directoryName = path.split("/").at(-2) ?? plugin;
      const { manifest } = parseSkillBytes(bytes, { directoryName });
      return manifest === undefined ? [] : readHooks(manifest.hooks, `${plugin}:${manifest.name}`);
    });
  return [...ofPlugin, ...ofSkills];
}

/** The MCP servers of a plugin: of its manifests and of `.mcp.json`. */
export function runnableServers(files: readonly TreeFile[]): readonly ServerDefinition[] {
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
