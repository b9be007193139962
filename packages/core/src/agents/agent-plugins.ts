import { isAbsolute, join } from "node:path";
import { SkilletError } from "@skillet/kit/errors";
import { canonicalPath, isInside, readBoundedFile } from "@skillet/kit/files";
import { asObject, fieldOf, parseJsonObject, textOf, textsOf } from "@skillet/kit/json";
import { isScopeName } from "../registry/skill.ts";
import { claudeSettings } from "./agent-switches.ts";
import { type AgentPlaces, agentHome } from "./agents.ts";

/** A plugin installed by an agent's own plugin manager; Skillet never writes to its files. */
export interface AgentPluginFolder {
  readonly agent: string;
  /** The agent's name for it, without the marketplace. */
  readonly plugin: string;
  readonly path: string;
  readonly skills: readonly string[];
  /** Only the project's settings enable it; the agent applies those once the user trusts the project. */
  readonly byProject?: true;
  /** Settings turn it off, so the agent loads nothing from it. */
  readonly off?: true;
}

export interface AgentPluginReading {
  readonly folders: readonly AgentPluginFolder[];
  readonly file: string;
  /** Why the file could not be used, to be read after its name. */
  readonly fault?: string;
}

const AGENT = "claude-code";
const MAX_FILE_BYTES = 4 * 1024 * 1024;
// A machine has dozens of plugins and a plugin dozens of skills; each folder costs a root.
const MAX_PLUGINS = 500;
const MAX_FOLDERS = 200;
const PLUGIN_ID = /^([A-Za-z0-9][A-Za-z0-9._-]{0,63})@([A-Za-z0-9][A-Za-z0-9._-]{0,63})$/;

/** Claude Code's plugins in a project, or everywhere; it writes the file, which may hold anything. */
export function readAgentPlugins(places: AgentPlaces, projectRoot?: string): AgentPluginReading {
  const home = agentHome("CLAUDE_CONFIG_DIR", places);
  const file = join(home, "plugins/installed_plugins.json");
  const installed = readObject(file);
  if (typeof installed === "string") return { folders: [], file, fault: installed };
  const plugins = Object.entries(asObject(fieldOf(installed, "plugins")) ?? {});
  if (plugins.length === 0) return { folders: [], file };
  const [own, ...ofProject] = claudeSettings(places, projectRoot).map((settings) =>
    fieldOf(readObject(settings), "enabledPlugins"),
  );
  const lists = new Map<string, unknown>();
  const folders = plugins.slice(0, MAX_PLUGINS).flatMap(([id, records]): readonly AgentPluginFolder[] => {
    const [, plugin = "", market = ""] = PLUGIN_ID.exec(id) ?? [];
    const here = ofProject.findLast((one) => typeof fieldOf(one, id) === "boolean");
    const enabledHere = fieldOf(here, id);
    const isOff = (enabledHere ?? fieldOf(own, id)) === false;
    const usual = fieldOf(own, id) === false && !isOff ? undefined : installPath(records, projectRoot);
    const path = usual ?? (enabledHere === true ? installPath(records) : undefined);
    // Skills of a plugin named after a scope would pass for skills of that scope.
    if (path === undefined || plugin === "" || isScopeName(plugin)) return [];
    const list = join(home, "plugins/marketplaces", market, ".claude-plugin/marketplace.json");
    const entries = lists.get(list) ?? fieldOf(readObject(list), "plugins");
    lists.set(list, entries);
    const skills = skillFolders(path, plugin, entries);
    const byProject = usual === undefined && { byProject: true as const };
    return [{ agent: AGENT, plugin, path, skills, ...byProject, ...(isOff && { off: true }) }];
  });
  const isCut = plugins.length > MAX_PLUGINS;
  return { folders, file, ...(isCut && { fault: `lists more than ${MAX_PLUGINS} plugins` }) };
}

// A marketplace may split one repository into plugins, each of which is installed with the skills of all.
function skillFolders(path: string, plugin: string, entries: unknown): readonly string[] {
  const entry = Array.isArray(entries) ? entries.find((one) => textOf(one, "name") === plugin) : undefined;
  const listed = textsOf(entry, "skills");
  const own = textsOf(readObject(join(path, ".claude-plugin/plugin.json")), "skills");
  const folders = (listed.length > 0 ? listed : ["skills", ...own]).slice(0, MAX_FOLDERS);
  return [...new Set(folders.map((folder) => join(path, folder)))].filter((folder) => isInside(folder, path));
}

// Version 1 has one record per plugin, later ones a list. With `only`, records of other projects are skipped.
function installPath(records: unknown, ...only: readonly (string | undefined)[]): string | undefined {
  const list: readonly unknown[] = Array.isArray(records) ? records : [records];
  const counts = (record: unknown): boolean => {
    const project = textOf(record, "projectPath");
    return only.length === 0 || project === undefined || canonicalPath(project) === only[0];
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
