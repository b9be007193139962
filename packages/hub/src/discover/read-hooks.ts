import type { TreeFile } from "@skillet/core";
import { asObject, type JsonObject, textOf } from "./json-object.ts";
import { pluginDocuments } from "./plugin-documents.ts";
import type { PluginParts } from "./plugin-parts.ts";

// Clients nest three deep: event, matchers, hooks.
const MAX_DEPTH = 16;
const MAX_SHOWN_CHARACTERS = 500;

/**
 * Everything that a plugin would run on events: of its manifest, of the files that it names, and of `hooks/hooks.json`.
 *
 * What has an unknown form is listed as it stands: a list of what would run must not be shorter than what does.
 */
export function readHooks(files: readonly TreeFile[], manifest: JsonObject): PluginParts["hooks"] {
  const { documents, unreadable } = pluginDocuments(files, {
    value: manifest.hooks,
    usual: "hooks/hooks.json",
  });
  const hooks = documents.flatMap((document) => {
    const events = asObject(document.hooks) ?? document;
    return Object.entries(events)
      .filter(([event]) => !NO_EVENTS.has(event))
      .flatMap(([event, value]) => commandsIn(event, value, 0));
  });
  return [...hooks, ...unreadable.map((path) => ({ event: "unknown", command: `whatever ${path} says` }))];
}

const NO_EVENTS: ReadonlySet<string> = new Set(["$schema", "description", "name", "version"]);
const COMMANDS: readonly string[] = ["command", "script", "bash", "powershell", "url", "prompt"];

function commandsIn(event: string, value: unknown, depth: number): PluginParts["hooks"] {
  if (typeof value === "string") return [{ event, command: value }];
  if (depth > MAX_DEPTH) return [{ event, command: "something nested too deep to be shown" }];
  if (Array.isArray(value)) return value.flatMap((item) => commandsIn(event, item, depth + 1));
  const object = asObject(value);
  if (object === undefined) return [];
  const commands = COMMANDS.map((key) => textOf(object, key)).filter((text) => text !== undefined);
  const inner = Array.isArray(object.hooks) ? commandsIn(event, object.hooks, depth + 1) : [];
  if (commands.length > 0) return [...commands.map((command) => ({ event, command })), ...inner];
  if (Array.isArray(object.hooks)) return inner;
  return [{ event, command: JSON.stringify(object).slice(0, MAX_SHOWN_CHARACTERS) }];
}
