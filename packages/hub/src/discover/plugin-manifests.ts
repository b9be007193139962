/** Folders of plugin manifests, in the order that clients look. */
export const PLUGIN_FOLDERS: readonly string[] = [
  ".claude-plugin",
  ".codex-plugin",
  ".cursor-plugin",
  ".kimi-plugin",
];

/** The manifests that a plugin in a folder may have, in that order. */
export function pluginManifests(folder: string): readonly string[] {
  const prefix = folder === "" ? "" : `${folder}/`;
  return PLUGIN_FOLDERS.map((name) => `${prefix}${name}/plugin.json`);
}
