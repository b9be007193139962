import type { TreeFile } from "@skillet/core";
import { asObject, type JsonObject, textOf } from "@skillet/kit/json";
import { boundedText, describeCommand } from "./describe-command.ts";
import { type PluginParts, pluginDocuments } from "./plugin-documents.ts";

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
export function isCommandSetting(key: string, value: unknown): boolean {
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
  if (typeof value === "string") return [{ event, command: describeCommand([value], said, { shown: [] }) }];
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
  if (keys.length === 0)
    return [{ event, command: describeCommand([], { ...said, ...object }, { shown: [] }) }];
  const whole = Array.isArray(hooks) ? all : { ...said, ...object };
  return [
    ...keys.map((key) => ({
      event,
      command: describeCommand(wordsOf(key, object), whole, { shown: [...keys, "args"] }),
    })),
    ...inner,
  ];
}

function wordsOf(key: string, object: JsonObject): readonly unknown[] {
  const { args } = object;
  const more = args === undefined ? [] : Array.isArray(args) ? args : [args];
  return [object[key], ...more];
}
