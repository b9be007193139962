import { statSync } from "node:fs";
import {
  AGENT_SWITCHES as OWN_SWITCHES,
  type AgentSwitch as OwnSwitch,
  type SwitchSubject,
} from "@skillet/core/internal";
import { SkilletError } from "@skillet/kit/errors";
import { canonicalPath, readBoundedFile } from "@skillet/kit/files";
import { asObject, fieldOf } from "@skillet/kit/json";
import type { Located } from "@skillet/kit/located";
import { JsonText, type Splice, Uncertain } from "./edit-json.ts";

type Edit = (text: string, subject: SwitchSubject, off: boolean) => Splice | undefined;

/** How to turn a skill off in an agent's own settings file. */
export interface AgentSwitch extends OwnSwitch {
  /** The next change that the text needs; undefined once the skill is off, or on. */
  readonly edit: Edit;
}

const EDITS: Readonly<Record<OwnSwitch["id"], Edit>> = {
  "claude-code": (text, { names }, off) => {
    const json = new JsonText(text);
    const isOff = (name: string): boolean => isScalar(json.at(["skillOverrides", name]), "off");
    const name = names.find((one) => isOff(one) !== off);
    if (name === undefined) return undefined;
    return off ? json.set(["skillOverrides", name], '"off"') : json.remove(["skillOverrides", name]);
  },
  // Codex compares real paths.
  codex: (text, { file }, off) => setSkillsConfig(text, canonicalPath(file), off),
  "gemini-cli": (text, { names: [name = ""] }, off) => {
    const [json, path] = [new JsonText(text), ["skills", "disabled"]];
    const same = (one: unknown): boolean =>
      typeof one === "string" && one.toLowerCase() === name.toLowerCase();
    return off ? json.add(path, JSON.stringify(name), same) : json.remove(path, same);
  },
  opencode: (text, { names }, off) => denySkill(text, names[0] ?? "", off),
};

/** Agents with settings to turn skills off, by id. */
export const AGENT_SWITCHES: ReadonlyMap<string, AgentSwitch> = new Map(
  OWN_SWITCHES.map((own) => [own.id, { ...own, edit: EDITS[own.id] }]),
);

const TEXTS = /"""[\s\S]*?"""+|'''[\s\S]*?'''+|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|#[^\n]*/g;
// Inline, dotted, quoted, or a plain table: all are valid TOML, and `[[skills.config]]` may follow none of them.
const OTHER_FORMS = [
  /^[ \t]*skills[ \t]*[.=]/m,
  /^[ \t]*\[[ \t]*skills[ \t]*\.[ \t]*config\b|^[ \t]*\[\[[ \t]*skills[ \t]*\]/m,
  /^[ \t]*\[[ \t]*skills[ \t]*\][^[]*^[ \t]*config[ \t]*[.=]/m,
];

/** Turns a skill off with a `[[skills.config]]` table for its path (the last one wins), or removes that table. */
function setSkillsConfig(text: string, path: string, off: boolean): Splice | undefined {
  // Strings and comments may contain anything, so they are blanked out.
  const bare = text.replace(TEXTS, (part) => part.replace(/[^\r\n]/g, " "));
  if (/["']/.test(bare)) throw new Uncertain("a text in it is not closed");
  if ((bare.match(/[[{]/g) ?? []).length !== (bare.match(/[\]}]/g) ?? []).length)
    throw new Uncertain("a bracket in it is not closed");
  if (OTHER_FORMS.some((form) => form.test(bare)) || /^[ \t]*\[*[ \t]*["']skills["']/m.test(text))
    throw new Uncertain("`skills.config` is written in another form than `[[skills.config]]`");
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  // JSON's escapes are valid in TOML, which also requires this one.
  const written = JSON.stringify(path).replaceAll("\x7f", "\\u007F");
  const block = ["[[skills.config]]", `path = ${written}`, "enabled = false", ""].join(eol);
  const start = text.indexOf(block);
  // Inside a multi-line string it has no effect.
  const isThere = start >= 0 && bare.startsWith("[[skills.config]]", start);
  if (off === isThere) return undefined;
  if (!off) return { start, end: start + block.length, text: "" };
  const gap = text === "" ? "" : text.endsWith("\n") ? eol : `${eol}${eol}`;
  return { start: text.length, end: text.length, text: `${gap}${block}` };
}

/** In OpenCode the last matching pattern wins, and a single value may replace the whole object. */
function denySkill(text: string, name: string, off: boolean): Splice | undefined {
  // A star in a name would be a pattern that matches other names too.
  if (/[*?]/.test(name)) throw new Uncertain("the name would be read as a pattern");
  const path = ["permission", "skill", name];
  const json = new JsonText(text);
  const all = json.at(path.slice(0, 2));
  if (!off) return all?.kind === "map" && isScalar(json.at(path), "deny") ? json.remove(path) : undefined;
  if (isScalar(all, "deny")) return undefined;
  if (all?.kind === "scalar") throw new Uncertain("permission.skill is not an object");
  const keys = all?.kind === "map" ? all.entries.map(({ key }) => key) : [];
  if (keys.slice(0, -1).includes(name))
    throw new Uncertain(`permission.skill has a rule for ${name} before others`);
  return json.set(path, '"deny"', "last");
}

function isScalar(node: Located | undefined, value: string): boolean {
  return node?.kind === "scalar" && node.value === value;
}

/** The hooks of one agent: the list item for each of its events, as JSON; or a file that is a plugin. */
export interface HookItems {
  readonly agent: string;
  readonly items: Readonly<Record<string, string>>;
  readonly plugin?: string;
  /** The content of the file while nothing is listed in it. */
  readonly empty: string;
}

/**
 * Lists hooks in an agent's settings, or removes them. Everything else in the list stays, byte for byte: only
 * an item that contains nothing but our command is ours.
 */
export function hookSwitch({ agent, items, plugin }: HookItems): Editing & Pick<AgentSwitch, "setting"> {
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

/** On one line, as users write it. */
const spaced = (item: string): string => JSON.stringify(JSON.parse(item), null, 1).replace(/\n\s*/g, " ");

/** Whether a command in an agent's settings starts Skillet's hooks, of this or another version. */
export function isHookCommand(command: string, agent: string): boolean {
  return new RegExp(`[\\\\/]load-bundle\\.cjs["']? ${agent}\\s`).test(command);
}

const MAX_SETTINGS_BYTES = 1024 * 1024;

/** The text of an agent's settings; undefined if there is no file. A file that is not clearly the user's is refused. */
export function readSettings(file: string): string | undefined {
  try {
    const bytes = readBoundedFile(file, { maxBytes: MAX_SETTINGS_BYTES });
    // Users link settings from a repository of dotfiles; a file that belongs to another user is not theirs.
    if (bytes !== undefined && process.getuid !== undefined && statSync(file).uid !== process.getuid())
      throw new Uncertain("it belongs to another user");
    return bytes && new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    if (SkilletError.isInstance(error)) throw new Uncertain(error.message);
    throw error instanceof TypeError ? new Uncertain("it is not UTF-8") : error;
  }
}

export interface EditedText {
  readonly removed: string;
  readonly inserted: string;
}

type Editing = Pick<AgentSwitch, "edit">;
type Edited = { readonly text: string; readonly changes: readonly EditedText[] };

/** Turns a skill off or on in the text of an agent's settings; returns no changes if it is so already. */
export function editSettings({ edit }: Editing, given: string, subject: SwitchSubject, off: boolean): Edited {
  const changes: EditedText[] = [];
  let text = given;
  for (let splice = edit(text, subject, off); splice !== undefined; splice = edit(text, subject, off)) {
    const { start, end, text: inserted } = splice;
    changes.push({ removed: text.slice(start, end), inserted });
    text = `${text.slice(0, start)}${inserted}${text.slice(end)}`;
  }
  return { text, changes };
}

/** Undoes recorded changes: exactly, if they are still there as made, otherwise by removing the setting. */
export function undoSettings(
  own: Editing,
  given: string,
  subject: SwitchSubject,
  made: Edited["changes"],
): string {
  const byRule = editSettings(own, given, subject, false);
  // If there are no changes, someone turned it on again already.
  if (byRule.changes.length === 0) return given;
  let text = given;
  for (const { removed, inserted } of made.toReversed()) {
    const [before, after, ...more] = text.split(inserted);
    if (before === undefined || after === undefined || more.length > 0) return byRule.text;
    text = `${before}${removed}${after}`;
  }
  return own.edit(text, subject, false) === undefined ? text : byRule.text;
}
