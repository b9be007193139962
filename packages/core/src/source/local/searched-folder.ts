// Version control and packages hold copies and code of others, never a project's own skills.
const SKIPPED: ReadonlySet<string> = new Set([".git", "node_modules"]);
const PLUGIN: ReadonlySet<string> = new Set([
  ".claude-plugin",
  ".codex-plugin",
  ".cursor-plugin",
  ".kimi-plugin",
]);

/** Whether a folder of that name holds a plugin's manifest, and is searched for nothing else. */
export function isPluginFolder(name: string): boolean {
  return PLUGIN.has(name);
}

export function isSearchedFolder(name: string): boolean {
  return !SKIPPED.has(name) && !PLUGIN.has(name);
}
