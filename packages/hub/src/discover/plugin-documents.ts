import { posix } from "node:path";
import type { ServerDefinition, TreeFile } from "@skillet/core";
import { type AgentPlugin, readAgentPlugin, readAgentPluginServers } from "@skillet/core/internal";
import { digestBytes } from "@skillet/kit/digest";
import { asObject, type JsonObject, parseJson } from "@skillet/kit/json";

/** Folders of plugin manifests, in the order in which clients look. */
export const PLUGIN_FOLDERS: readonly string[] = [
  ".claude-plugin",
  ".codex-plugin",
  ".cursor-plugin",
  ".kimi-plugin",
];

export function pluginManifests(folder: string): readonly string[] {
  const prefix = folder === "" ? "" : `${folder}/`;
  return PLUGIN_FOLDERS.map((name) => `${prefix}${name}/plugin.json`);
}

/** Whether a file is a plugin's manifest in a dot folder, in any case: on many disks, agents would find it. */
export function isDotManifest({ path }: Pick<TreeFile, "path">): boolean {
  return pluginManifests("").includes(path.toLowerCase());
}

/** The Agent Plugin that a root `plugin.json` declares, valid or not; it wins over manifests in dot folders. */
export function agentPluginOf(
  files: readonly TreeFile[],
): (AgentPlugin & { readonly servers: readonly ServerDefinition[] }) | undefined {
  const bytesOf = (name: string): Uint8Array | undefined => files.find(({ path }) => path === name)?.bytes;
  const plugin = readAgentPlugin(bytesOf("plugin.json") ?? new Uint8Array(), "plugin.json");
  const [mcp, schema] = [bytesOf("mcp.json"), plugin?.manifest?.$schema];
  if (mcp === undefined || schema === undefined) return plugin && { ...plugin, servers: [] };
  const { servers, diagnostics } = readAgentPluginServers(mcp, { file: "mcp.json", schema });
  return { ...plugin, servers, diagnostics: [...(plugin?.diagnostics ?? []), ...diagnostics] };
}

/** Whether a path is that of a skill of an Agent Plugin; only this folder counts. */
export function isAgentPluginSkill(path: string): boolean {
  return /^skills\/[^/]+\/SKILL\.md$/.test(path);
}

export function unique<Part>(parts: readonly Part[]): readonly Part[] {
  return [...new Map(parts.map((part) => [JSON.stringify(part), part])).values()];
}

/** Where a kind of part is defined: under a manifest's key, in files that the key names, or in the usual file. */
interface PartPlace<Part> {
  readonly value?: unknown;
  readonly usual: string;
  readonly read: (document: JsonObject) => readonly Part[];
  /** Called for a file that is missing or cannot be read, because an agent may be more lenient. Default: left out. */
  readonly unreadable?: (description: string) => Part;
}

const MAX_PATH_CHARACTERS = 200;

/** Reads one kind of part. Paths are compared without case, since many disks accept `Hooks.json` for `hooks.json`. */
export function readParts<Part>(files: readonly TreeFile[], place: PartPlace<Part>): readonly Part[] {
  const { value, usual, read, unreadable } = place;
  const items: readonly unknown[] = Array.isArray(value) ? value : [value];
  const named = items.filter((item) => typeof item === "string").map(normalise);
  const byPath = new Map(files.map((file) => [file.path.toLowerCase(), file]));
  const documents = items.map(asObject).filter((item) => item !== undefined);
  const faulty: string[] = [];
  for (const path of new Set([...named, usual])) {
    const file = byPath.get(path.toLowerCase());
    if (file === undefined && path === usual) continue;
    const found = file && documentsIn(file.bytes);
    if (found === undefined) faulty.push(unshown(boundedText(path, MAX_PATH_CHARACTERS), file?.bytes));
    else documents.push(...found);
  }
  return [...documents.flatMap(read), ...(unreadable === undefined ? [] : faulty.map(unreadable))];
}

// A file may contain a list of documents, like those of monitors.
function documentsIn(bytes: Uint8Array): readonly JsonObject[] | undefined {
  const value = parseJson(bytes);
  const items = (Array.isArray(value) ? value : [value]).map(asObject);
  const documents = items.filter((item) => item !== undefined);
  return documents.length === items.length ? documents : undefined;
}

/** Describes a text that cannot be shown, by its digest, so that another text is recognisable as such. */
export function unshown(path: string, bytes: Uint8Array | undefined): string {
  return `whatever ${path} says${bytes === undefined ? "" : ` (${digestBytes(bytes)})`}`;
}

// Agents replace the variable with the plugin's folder.
function normalise(path: string): string {
  return posix.normalize(path.replace(/^\$\{[A-Z_]+\}\//, "")).replace(/^\.\//, "");
}

// Nobody reads longer commands.
const MAX_COMMAND_CHARACTERS = 1_000;
const PLAIN_TYPES: ReadonlySet<unknown> = new Set(["command", "stdio", "http", "sse"]);

/**
 * The command that would run, with everything around it: words that contain spaces in quotes, then all other
 * keys as JSON. `NODE_OPTIONS` or a helper for headers can run as much as a command does, so only the keys
 * named here are left out as harmless.
 */
export function describeCommand(
  words: readonly unknown[],
  object: JsonObject,
  shown: readonly string[],
): string {
  const isPlain = (key: string, value: unknown): boolean => key === "type" && PLAIN_TYPES.has(value);
  const rest = Object.entries(object).filter(([key, value]) => !shown.includes(key) && !isPlain(key, value));
  const command = words.map((word, index) => (index === 0 ? String(word) : quoted(word))).join(" ");
  // JSON.parse makes `__proto__` an own key, and fromEntries keeps it one.
  const more = rest.length === 0 ? [] : [JSON.stringify(Object.fromEntries(rest))];
  const parts = words.length > 0 ? [command, ...more] : more;
  return boundedText(parts.join(" with "), MAX_COMMAND_CHARACTERS);
}

function quoted(word: unknown): string {
  return typeof word === "string" && /^[^\s"'\\]+$/.test(word) ? word : JSON.stringify(word);
}

/** Cuts a longer text to its beginning, length and digest, so that two different texts never look the same. */
export function boundedText(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  return `${text.slice(0, maxCharacters)}… (${text.length} characters, ${digestBytes(Buffer.from(text))})`;
}
