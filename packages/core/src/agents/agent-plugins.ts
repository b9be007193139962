import { isAbsolute, join } from "node:path";
import { SkilletError } from "@skillet/kit/errors";
import { readBoundedFile } from "@skillet/kit/files";
import { asObject, fieldOf, parseJsonObject, textOf } from "@skillet/kit/json";
import { type AgentPlaces, agentHome } from "./agents.ts";

/** A plugin that an agent's own plugin manager installed; its files are that agent's, and never written to. */
export interface AgentPluginFolder {
  readonly agent: string;
  /** As the agent calls it, without the marketplace. */
  readonly plugin: string;
  readonly path: string;
}

export interface AgentPluginReading {
  readonly folders: readonly AgentPluginFolder[];
  readonly file: string;
  /** Why the file says nothing, to be read after its name. */
  readonly fault?: string;
}

const AGENT = "claude-code";
const MAX_FILE_BYTES = 4 * 1024 * 1024;
// A machine has dozens; each costs a root.
const MAX_PLUGINS = 500;

/** The plugins that Claude Code loads in a project, or everywhere. */
export function agentPluginFolders(
  places: AgentPlaces,
  projectRoot?: string | undefined,
): readonly AgentPluginFolder[] {
  return readAgentPlugins(places, projectRoot).folders;
}

/** The same, and why it could not be read: the file is another program's, and may be anything. */
export function readAgentPlugins(places: AgentPlaces, projectRoot?: string | undefined): AgentPluginReading {
  const home = agentHome("CLAUDE_CONFIG_DIR", places);
  const file = join(home, "plugins/installed_plugins.json");
  const installed = readObject(file);
  if (typeof installed === "string") return { folders: [], file, fault: installed };
  const plugins = Object.entries(asObject(installed["plugins"]) ?? {});
  if (plugins.length === 0) return { folders: [], file };
  const settings = readObject(join(home, "settings.json"));
  const enabled = typeof settings === "string" ? undefined : settings["enabledPlugins"];
  const folders = plugins.slice(0, MAX_PLUGINS).flatMap(([id, records]) => {
    const plugin = id.replace(/@[^@]*$/, "");
    const path = installPath(records, projectRoot);
    return path === undefined || fieldOf(enabled, id) === false ? [] : [{ agent: AGENT, plugin, path }];
  });
  const isCut = plugins.length > MAX_PLUGINS;
  return { folders, file, ...(isCut && { fault: `lists more than ${MAX_PLUGINS} plugins` }) };
}

// One record in the first version of the file, a list of them since; one for a project counts only there.
function installPath(records: unknown, projectRoot: string | undefined): string | undefined {
  const list: readonly unknown[] = Array.isArray(records) ? records : [records];
  const counts = (record: unknown): boolean => {
    const project = textOf(record, "projectPath");
    return project === undefined || project === projectRoot;
  };
  const path = textOf(list.find(counts), "installPath");
  return path !== undefined && isAbsolute(path) ? path : undefined;
}

function readObject(file: string): Readonly<Record<string, unknown>> | string {
  try {
    const bytes = readBoundedFile(file, { maxBytes: MAX_FILE_BYTES });
    if (bytes === undefined) return {};
    return parseJsonObject(bytes) ?? "is not a JSON object";
  } catch (error) {
    if (SkilletError.isInstance(error)) return `cannot be read: ${error.message}`;
    throw error;
  }
}
