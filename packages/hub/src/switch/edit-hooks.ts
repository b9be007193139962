import { asObject, fieldOf } from "@skillet/kit/json";
import type { AgentSwitch } from "./agent-switches.ts";
import { JsonText, Uncertain } from "./edit-json.ts";

/** The hooks of one agent: for each of its events the item of its list, as JSON; or a file that is a plugin. */
export interface HookItems {
  readonly agent: string;
  readonly items: Readonly<Record<string, string>>;
  readonly plugin?: string;
  /** The file before anything is listed in it. */
  readonly empty: string;
}

/**
 * Lists hooks in an agent's settings, or takes them away. What else is listed there stays, byte for byte: only an item
 * with nothing but a command of ours is ours.
 */
export function hookSwitch({ agent, items, plugin }: HookItems): Pick<AgentSwitch, "edit" | "setting"> {
  if (plugin !== undefined)
    return {
      setting: "plugin",
      edit: (text, _subject, isOn) => {
        const isForeign = text.trim() !== "" && !isHookCommand(text, agent);
        if (isForeign && isOn) throw new Uncertain("it is not Skillet's plugin");
        const wanted = isForeign ? text : isOn ? plugin : "";
        return text === wanted ? undefined : { start: 0, end: text.length, text: wanted };
      },
    };
  const isOurs = (item: unknown): boolean => {
    const hooks = fieldOf(item, "hooks") ?? [item];
    const [only, ...others] = Array.isArray(hooks) ? hooks : [];
    const command = asObject(only)?.command ?? asObject(only)?.bash;
    return typeof command === "string" && others.length === 0 && isHookCommand(command, agent);
  };
  return {
    setting: "hooks",
    edit: (text, _subject, isOn) => {
      const json = new JsonText(text);
      for (const [event, item] of Object.entries(items)) {
        const path = ["hooks", event];
        const isThere = (one: unknown): boolean => JSON.stringify(one) === item;
        const splice = isOn
          ? (json.remove(path, (one) => isOurs(one) && !isThere(one)) ??
            json.add(path, spaced(item), isThere, "lines"))
          : json.remove(path, isOurs);
        if (splice !== undefined) return splice;
      }
      return undefined;
    },
  };
}

/** On one line, as people write it. */
const spaced = (item: string): string => JSON.stringify(JSON.parse(item), null, 1).replace(/\n\s*/g, " ");

/** Whether a command of an agent's settings starts Skillet's hooks, of this or another version. */
export function isHookCommand(command: string, agent: string): boolean {
  return new RegExp(`[\\\\/]load-bundle\\.cjs["']? ${agent}\\s`).test(command);
}
