import type { TreeFile } from "@skillet/core";
import { asObject, type JsonObject, parseJsonObject, textOf } from "@skillet/kit/json";
import type { PluginParts } from "../plan-item.ts";
import { boundedText, describeCommand, readParts, unshown } from "./plugin-documents.ts";

type Hook = PluginParts["hooks"][number];
type Server = PluginParts["mcpServers"][number];

// Clients nest three levels: event, matchers, hooks.
const MAX_DEPTH = 16;
const MAX_NAME_CHARACTERS = 100;

/** Entries in an unknown form are listed as written: the list must not be shorter than what would run. */
export function readHooks(files: readonly TreeFile[], manifest: JsonObject): readonly Hook[] {
  const unreadable = (event: string) => (command: string) => ({ event, command });
  const monitors = [manifest.monitors, asObject(manifest.experimental)?.monitors];
  return [
    ...readParts(files, {
      value: manifest.hooks,
      usual: "hooks/hooks.json",
      read: hooksOf,
      unreadable: unreadable("unknown"),
    }),
    ...monitors.flatMap((value) =>
      readParts(files, {
        value,
        usual: "monitors/monitors.json",
        read: monitorOf,
        unreadable: unreadable("monitor"),
      }),
    ),
    // A file that cannot be read is listed among the settings.
    ...readParts(files, { usual: "settings.json", read: settingHooks }),
  ];
}

const NO_EVENTS: ReadonlySet<string> = new Set(["$schema", "description", "name", "version"]);

export function hooksOf(document: JsonObject): readonly Hook[] {
  return Object.entries(asObject(document.hooks) ?? document)
    .filter(([event, value]) => !(NO_EVENTS.has(event) && typeof value === "string"))
    .flatMap(([event, value]) => commandsIn(boundedText(event, MAX_NAME_CHARACTERS), value));
}

function monitorOf({ name, description: _, ...rest }: JsonObject): readonly Hook[] {
  const label = typeof name === "string" ? ` ${boundedText(name, MAX_NAME_CHARACTERS)}` : "";
  return commandsIn(`monitor${label}`, rest);
}

// For example a status line, for which an agent runs a program.
function settingHooks(settings: JsonObject): readonly Hook[] {
  return Object.entries(settings)
    .filter(([key, value]) => isCommandSetting(key, value))
    .flatMap(([key, value]) =>
      key === "hooks"
        ? hooksOf(asObject(value) ?? { unknown: value })
        : commandsIn(`settings ${boundedText(key, MAX_NAME_CHARACTERS)}`, value),
    );
}

const COMMANDS: readonly string[] = ["command", "script", "bash", "powershell", "url", "prompt"];

function isCommandSetting(key: string, value: unknown): boolean {
  return key === "hooks" || COMMANDS.some((command) => textOf(value, command) !== undefined);
}

/** The commands in a value; `around` contains the keys of the enclosing objects. */
function commandsIn(event: string, value: unknown, around: JsonObject = {}, depth = 0): readonly Hook[] {
  if (typeof value === "string") return [{ event, command: describeCommand([value], around, []) }];
  if (depth > MAX_DEPTH) return [{ event, command: "(nested too deeply to show)" }];
  if (Array.isArray(value)) return value.flatMap((item) => commandsIn(event, item, around, depth + 1));
  const object = asObject(value);
  if (object === undefined) return [];
  const { hooks, ...rest } = object;
  const hasInner = Array.isArray(hooks);
  const all = { ...around, ...(hasInner ? rest : object) };
  const inner = hasInner ? commandsIn(event, hooks, all, depth + 1) : [];
  const keys = COMMANDS.filter((key) => textOf(object, key) !== undefined);
  if (keys.length === 0) return hasInner ? inner : [{ event, command: describeCommand([], all, []) }];
  const own = keys.map((key) => {
    const words = [object[key], ...argumentsOf(object)];
    return { event, command: describeCommand(words, all, [...keys, "args"]) };
  });
  return [...own, ...inner];
}

function argumentsOf({ args }: JsonObject): readonly unknown[] {
  if (args === undefined) return [];
  return Array.isArray(args) ? args : [args];
}

/** Includes language servers, which an agent starts as well. */
export function readServers(files: readonly TreeFile[], manifest: JsonObject): readonly Server[] {
  const unreadable = (name: string): Server => ({ name });
  const listed = (usual: string, key: "mcpServers" | "lspServers", mark: string): readonly Server[] =>
    readParts(files, {
      value: manifest[key],
      usual,
      read: (document) => describeServers(asObject(document[key]) ?? document, mark),
      unreadable,
    });
  // Servers of an Agent Plugin, including entries that Skillet skips: another agent may be more lenient.
  const read = ({ mcpServers }: JsonObject): readonly Server[] =>
    describeServers(asObject(mcpServers) ?? {}, "");
  return [
    ...listed(".mcp.json", "mcpServers", ""),
    ...readParts(files, { usual: "mcp.json", read, unreadable }),
    ...listed(".lsp.json", "lspServers", " (language)"),
  ];
}

/** The servers that a value names or describes, as in an agent's header: by name, by definition, or in a list. */
export function serversIn(value: unknown): readonly Server[] {
  const items: readonly unknown[] = Array.isArray(value) ? value : [value];
  return items
    .filter((item) => item !== undefined && item !== null)
    .flatMap((item) => {
      const servers = asObject(item);
      if (servers !== undefined) return describeServers(servers, "");
      const name = typeof item === "string" ? item : JSON.stringify(item);
      return [{ name: boundedText(name, MAX_NAME_CHARACTERS) }];
    });
}

function describeServers(servers: JsonObject, mark: string): readonly Server[] {
  return Object.entries(servers).map(([name, server]) =>
    serverOf(`${boundedText(name, MAX_NAME_CHARACTERS)}${mark}`, server),
  );
}

const URLS: readonly string[] = ["url", "httpUrl", "serverUrl"];
const MAX_VALUE_CHARACTERS = 1_000;

function serverOf(name: string, value: unknown): Server {
  const server = asObject(value);
  if (server === undefined) return { name, command: describeCommand([], { value }, []) };
  const program = textOf(server, "command");
  const key = URLS.find((one) => textOf(server, one) !== undefined);
  const url = key === undefined ? undefined : textOf(server, key);
  if (program !== undefined) {
    const command = describeCommand([program, ...argumentsOf(server)], server, ["command", "args"]);
    return { name, command, ...(url !== undefined && { url: boundedText(url, MAX_VALUE_CHARACTERS) }) };
  }
  if (key === undefined) return { name, command: describeCommand([], server, []) };
  return { name, url: describeCommand([url], server, [key]) };
}

/** An agent may act on a key that is unknown here, so every key is listed except those known to do nothing. */
export function readSettings(files: readonly TreeFile[], manifests: readonly TreeFile[]): readonly string[] {
  const ownFile = (path: string): TreeFile | undefined =>
    files.find((file) => file.path.toLowerCase() === path);
  return [
    ...manifests.flatMap((file) => {
      const manifest = parseJsonObject(file.bytes);
      if (manifest === undefined) return [unshown(file.path, file.bytes)];
      const { apps, ...rest } = manifest;
      const keys = Object.entries(rest).filter(([key]) => !KNOWN_KEYS.has(key));
      const usual = ".app.json";
      const read = (document: JsonObject): readonly string[] => {
        const entries = Object.entries(asObject(document.apps) ?? document);
        return describe(entries, ownFile(usual) ?? file, `${usual} `);
      };
      return [
        ...describe(keys, file, ""),
        ...readParts(files, { value: apps, usual, read, unreadable: String }),
      ];
    }),
    ...readParts(files, {
      usual: "settings.json",
      read: (document) => {
        const entries = Object.entries(document).filter(([key, value]) => !isCommandSetting(key, value));
        return describe(entries, ownFile("settings.json"), "settings.json ");
      },
      unreadable: String,
    }),
  ];
}

// Keys that are for users, or that are read as parts of their own.
const KNOWN_KEYS: ReadonlySet<string> = new Set(
  (
    "$schema name displayName version description author homepage repository license keywords category tags icon logo " +
    "interface skills commands agents outputStyles rules hooks mcpServers lspServers monitors"
  ).split(" "),
);

function describe(
  entries: readonly (readonly [string, unknown])[],
  file: TreeFile | undefined,
  label: string,
): readonly string[] {
  try {
    return entries.map(([key, value]) =>
      boundedText(`${label}${key}: ${JSON.stringify(value)}`, MAX_VALUE_CHARACTERS),
    );
  } catch (error) {
    // Nested too deeply for the stack.
    if (!(error instanceof RangeError) || file === undefined) throw error;
    return [unshown(file.path, file.bytes)];
  }
}
