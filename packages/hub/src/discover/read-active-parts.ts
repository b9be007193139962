import type { TreeFile } from "@skillet/core";
import { digestBytes } from "@skillet/kit/digest";
import { asObject, type JsonObject, parseJsonObject, textOf } from "@skillet/kit/json";
import { boundedText, describeCommand, type PluginParts, pluginDocuments } from "./plugin-documents.ts";

// Clients nest three deep: event, matchers, hooks.
const MAX_DEPTH = 16;
const MAX_EVENT_CHARACTERS = 100;

/**
 * Everything that a plugin would run by itself: of its manifest, of the files that it names, of `hooks/hooks.json`, and
 * what its monitors and settings run.
 *
 * What has an unknown form is listed as it stands: a list of what would run must not be shorter than what does.
 */
export function readHooks(files: readonly TreeFile[], manifest: JsonObject): PluginParts["hooks"] {
  const hooks = pluginDocuments(files, { value: manifest.hooks, usual: "hooks/hooks.json" });
  const settings = pluginDocuments(files, { value: undefined, usual: "settings.json" });
  return [
    ...hooks.documents.flatMap((document) => hooksOf(document)),
    ...hooks.unreadable.map((command) => ({ event: "unknown", command })),
    ...[manifest.monitors, asObject(manifest.experimental)?.monitors].flatMap((value) =>
      monitorsOf(files, value),
    ),
    ...settings.documents.flatMap((document) => settingHooks(document)),
  ];
}

/** Whether a value of a plugin's settings runs something, so that it is listed as a hook. */
function isCommandSetting(key: string, value: unknown): boolean {
  return key === "hooks" || COMMANDS.some((command) => textOf(asObject(value), command) !== undefined);
}

export function hooksOf(document: JsonObject): PluginParts["hooks"] {
  const events = asObject(document.hooks) ?? document;
  return Object.entries(events)
    .filter(([event, value]) => !(NO_EVENTS.has(event) && typeof value === "string"))
    .flatMap(([event, value]) => commandsIn(boundedText(event, MAX_EVENT_CHARACTERS), value, { depth: 0 }));
}

function monitorsOf(files: readonly TreeFile[], value: unknown): PluginParts["hooks"] {
  const { documents, unreadable } = pluginDocuments(files, { value, usual: "monitors/monitors.json" });
  return [
    ...documents.flatMap((document) => {
      const { name, description: _, ...rest } = document;
      const event =
        typeof name === "string" ? `monitor ${boundedText(name, MAX_EVENT_CHARACTERS)}` : "monitor";
      return commandsIn(event, rest, { depth: 0 });
    }),
    ...unreadable.map((command) => ({ event: "monitor", command })),
  ];
}

// Such as a line of state, which an agent asks a program for.
function settingHooks(settings: JsonObject): PluginParts["hooks"] {
  return Object.entries(settings)
    .filter(([key, value]) => isCommandSetting(key, value))
    .flatMap(([key, value]) =>
      key === "hooks"
        ? hooksOf(asObject(value) ?? { unknown: value })
        : commandsIn(`settings ${boundedText(key, MAX_EVENT_CHARACTERS)}`, value, { depth: 0 }),
    );
}

const NO_EVENTS: ReadonlySet<string> = new Set(["$schema", "description", "name", "version"]);
const COMMANDS: readonly string[] = ["command", "script", "bash", "powershell", "url", "prompt"];

interface Around {
  readonly depth: number;
  readonly said?: JsonObject;
}

function commandsIn(event: string, value: unknown, { depth, said = {} }: Around): PluginParts["hooks"] {
  if (typeof value === "string") return [{ event, command: describeCommand([value], said, []) }];
  if (depth > MAX_DEPTH) return [{ event, command: "something nested too deep to be shown" }];
  if (Array.isArray(value))
    return value.flatMap((item) => commandsIn(event, item, { depth: depth + 1, said }));
  const object = asObject(value);
  if (object === undefined) return [];
  const keys = COMMANDS.filter((key) => textOf(object, key) !== undefined);
  const { hooks, ...rest } = object;
  const all = { ...said, ...rest };
  const inner = Array.isArray(hooks) ? commandsIn(event, hooks, { depth: depth + 1, said: all }) : [];
  if (keys.length === 0 && Array.isArray(hooks)) return inner;
  if (keys.length === 0) return [{ event, command: describeCommand([], { ...said, ...object }, []) }];
  const whole = Array.isArray(hooks) ? all : { ...said, ...object };
  return [
    ...keys.map((key) => ({
      event,
      command: describeCommand(wordsOf(key, object), whole, [...keys, "args"]),
    })),
    ...inner,
  ];
}

function wordsOf(key: string, object: JsonObject): readonly unknown[] {
  const { args } = object;
  const more = args === undefined ? [] : Array.isArray(args) ? args : [args];
  return [object[key], ...more];
}

const MAX_NAME_CHARACTERS = 100;

/** With servers for languages, which an agent starts as well. */
export function readServers(files: readonly TreeFile[], manifest: JsonObject): PluginParts["mcpServers"] {
  return [
    ...serversOf(files, { value: manifest.mcpServers, usual: ".mcp.json", key: "mcpServers", mark: "" }),
    ...serversOf(files, {
      value: manifest.lspServers,
      usual: ".lsp.json",
      key: "lspServers",
      mark: " (language)",
    }),
  ];
}

/** The servers that a value names or describes, as an agent's header does: by name, with what they are, or in a list. */
export function serversIn(value: unknown): PluginParts["mcpServers"] {
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

interface Kind {
  readonly value: unknown;
  readonly usual: string;
  readonly key: string;
  readonly mark: string;
}

function serversOf(files: readonly TreeFile[], { value, usual, key, mark }: Kind): PluginParts["mcpServers"] {
  const { documents, unreadable } = pluginDocuments(files, { value, usual });
  const servers = documents.flatMap((document) => describeServers(asObject(document[key]) ?? document, mark));
  return [...servers, ...unreadable.map((name) => ({ name }))];
}

function describeServers(servers: JsonObject, mark: string): PluginParts["mcpServers"] {
  return Object.entries(servers).map(([name, server]) =>
    serverOf(`${boundedText(name, MAX_NAME_CHARACTERS)}${mark}`, server),
  );
}

const URLS: readonly string[] = ["url", "httpUrl", "serverUrl"];

function serverOf(name: string, value: unknown): PluginParts["mcpServers"][number] {
  const server = asObject(value);
  if (server === undefined) return { name, command: describeCommand([], { value }, []) };
  const program = textOf(server, "command");
  const key = URLS.find((one) => textOf(server, one) !== undefined);
  const url = key === undefined ? {} : { url: boundedText(textOf(server, key) ?? "", MAX_URL_CHARACTERS) };
  if (program !== undefined) {
    const { args } = server;
    const words = [program, ...(args === undefined ? [] : Array.isArray(args) ? args : [args])];
    return { name, command: describeCommand(words, server, ["command", "args"]), ...url };
  }
  if (key === undefined) return { name, command: describeCommand([], server, []) };
  return { name, url: describeCommand([server[key]], server, [key]) };
}

const MAX_URL_CHARACTERS = 1_000;

const MAX_SETTING_CHARACTERS = 1_000;

/**
 * What a plugin sets besides what it brings: in `settings.json`, in `.app.json`, and by keys of its manifests.
 *
 * An agent may act on a key that no one here knows, so that all are listed as they stand but those known to do nothing.
 */
export function readSettings(files: readonly TreeFile[], manifests: readonly TreeFile[]): readonly string[] {
  return [
    ...manifests.flatMap((file) => manifestSettings(files, file)),
    ...settingsIn(files, {
      usual: "settings.json",
      value: undefined,
      entriesOf: (document) =>
        Object.entries(document).filter(([key, value]) => !isCommandSetting(key, value)),
    }),
  ];
}

// What these say is for people, or is read as a part of its own.
const KNOWN_KEYS: ReadonlySet<string> = new Set(
  `
  $schema name displayName version description author homepage repository license keywords category
  tags icon logo interface skills commands agents outputStyles rules hooks mcpServers lspServers
  monitors
`
    .trim()
    .split(/\s+/),
);

function manifestSettings(files: readonly TreeFile[], file: TreeFile): readonly string[] {
  const manifest = parseJsonObject(file.bytes);
  if (manifest === undefined) return [unshown(file)];
  const { apps, ...rest } = manifest;
  const keys = Object.entries(rest).filter(([key]) => !KNOWN_KEYS.has(key));
  return [
    ...describe(keys, file, ""),
    ...settingsIn(files, {
      usual: ".app.json",
      value: apps,
      manifest: file,
      entriesOf: (document) => Object.entries(asObject(document.apps) ?? document),
    }),
  ];
}

interface SettingsPlace {
  readonly usual: string;
  readonly value: unknown;
  readonly manifest?: TreeFile;
  readonly entriesOf: (document: JsonObject) => readonly (readonly [string, unknown])[];
}

function settingsIn(files: readonly TreeFile[], place: SettingsPlace): readonly string[] {
  const { usual, manifest, entriesOf } = place;
  const { documents, unreadable } = pluginDocuments(files, place);
  const file = files.find(({ path }) => path.toLowerCase() === usual) ?? manifest;
  return [
    ...documents.flatMap((document) => describe(entriesOf(document), file, `${usual} `)),
    ...unreadable,
  ];
}

function describe(
  entries: readonly (readonly [string, unknown])[],
  file: TreeFile | undefined,
  label: string,
): readonly string[] {
  try {
    return entries.map(([key, value]) =>
      boundedText(`${label}${key}: ${JSON.stringify(value)}`, MAX_SETTING_CHARACTERS),
    );
  } catch (error) {
    // Nested deeper than the stack is.
    if (!(error instanceof RangeError) || file === undefined) throw error;
    return [unshown(file)];
  }
}

// By its digest, so that another text is seen to be another.
function unshown({ path, bytes }: TreeFile): string {
  return `whatever ${path} says (${digestBytes(bytes)})`;
}
