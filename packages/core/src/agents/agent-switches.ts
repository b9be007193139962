import { existsSync } from "node:fs";
import { join } from "node:path";
import { SkilletError } from "@skillet/kit/errors";
import { canonicalPath, readBoundedFile } from "@skillet/kit/files";
import { matchesName, parseStars } from "@skillet/kit/glob";
import { asObject, fieldOf, parseJson, textsOf } from "@skillet/kit/json";
import { type AgentPlaces, agentHome } from "./agents.ts";

/** The skill that a switch is about: its names, and its SKILL.md by the path that the agent finds. */
export interface SwitchSubject {
  readonly names: readonly string[];
  readonly file: string;
}

/** How an agent's own settings turn skills off. */
export interface AgentSwitch {
  readonly id: "claude-code" | "codex" | "gemini-cli" | "opencode";
  /** The setting's name in the agent's documentation. */
  readonly setting: string;
  /** The user's file, then those of a project, which override it; the last one decides. */
  files(places: AgentPlaces, projectRoot?: string): readonly [string, ...string[]];
  /** The project file that holds one user's own settings and stays out of git, relative to the project. */
  readonly personalFile?: string;
  /** Which skills these settings texts turn off; an unreadable text turns none off. */
  readonly read: (texts: readonly string[]) => (subject: SwitchSubject) => boolean;
}

/** Agents that can turn a skill off, according to their documentation or source. */
export const AGENT_SWITCHES: readonly AgentSwitch[] = [
  {
    id: "claude-code",
    setting: "skillOverrides",
    personalFile: ".claude/settings.local.json",
    files: claudeSettings,
    read: (texts) => {
      const overrides = mergedAt(texts, "skillOverrides");
      return ({ names }) => names.some((name) => fieldOf(overrides, name) === "off");
    },
  },
  {
    id: "codex",
    setting: "[[skills.config]]",
    // A repository cannot turn skills off or on for Codex.
    files: (places) => [join(agentHome("CODEX_HOME", places), "config.toml")],
    read: ([text = ""]) => readSkillsConfig(text),
  },
  {
    id: "gemini-cli",
    setting: "skills.disabled",
    files: (places, projectRoot) => [
      join(agentHome("GEMINI_CLI_HOME", places), ".gemini/settings.json"),
      ...(projectRoot === undefined ? [] : [join(projectRoot, ".gemini/settings.json")]),
    ],
    read: (texts) => {
      const lists = texts.flatMap((text) => textsOf(fieldOf(readJson(text), "skills"), "disabled"));
      const disabled = lists.map((one) => one.toLowerCase());
      return ({ names: [name = ""] }) => disabled.includes(name.toLowerCase());
    },
  },
  {
    id: "opencode",
    setting: "permission.skill",
    files: (places, projectRoot) => [
      opencodeFile(join(agentHome("XDG_CONFIG_HOME", places), "opencode")),
      ...(projectRoot === undefined
        ? []
        : [opencodeFile(projectRoot), opencodeFile(join(projectRoot, ".opencode"))]),
    ],
    read: (texts) => {
      const rules = Object.entries(mergedAt(texts, "permission", "skill") ?? {}).toReversed();
      // The last matching pattern decides.
      return ({ names: [name = ""] }) =>
        rules.find(([pattern]) => matchesName(parseStars(pattern), name))?.[1] === "deny";
    },
  },
];

/** Claude Code's settings files; each overrides those before it, key by key. */
export function claudeSettings(places: AgentPlaces, projectRoot?: string): readonly [string, ...string[]] {
  const names = projectRoot === undefined ? [] : ["settings.json", "settings.local.json"];
  return [
    join(agentHome("CLAUDE_CONFIG_DIR", places), "settings.json"),
    ...names.map((name) => join(projectRoot ?? "", ".claude", name)),
  ];
}

function opencodeFile(folder: string): string {
  const file = join(folder, "opencode.jsonc");
  return existsSync(file) ? file : join(folder, "opencode.json");
}

// A plain string is short for `{ "*": value }` and replaces everything before it.
function mergedAt(texts: readonly string[], ...path: readonly string[]): Readonly<Record<string, unknown>> {
  let merged: Readonly<Record<string, unknown>> = Object.create(null);
  for (const text of texts) {
    const value = path.reduce<unknown>((at, key) => fieldOf(at, key), readJson(text));
    if (value !== undefined)
      merged = typeof value === "string" ? { "*": value } : { ...merged, ...asObject(value) };
  }
  return merged;
}

function readJson(text: string): unknown {
  return parseJson(text) ?? parseJson(blankJsonComments(text));
}

/** Blanks comments and trailing commas in hand-written JSON with spaces, so that positions stay. */
export function blankJsonComments(text: string): string {
  const blank = (part: string): string => (part.startsWith('"') ? part : part.replace(/[^\r\n]/g, " "));
  const bare = text.replace(/"(?:[^"\\\n]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\/|\uFEFF/g, blank);
  return bare.replace(/"(?:[^"\\\n]|\\.)*"|,(?=\s*[}\]])/g, blank);
}

function readSkillsConfig(text: string): (subject: SwitchSubject) => boolean {
  const tables = text.split(/^[ \t]*\[/m).filter((table) => /^\[\s*skills\s*\.\s*config\s*\]\]/.test(table));
  const rules = tables.map((table) => {
    const valueAt = (key: string): string | undefined => {
      const found = new RegExp(
        `^[ \\t]*${key}[ \\t]*=[ \\t]*("(?:[^"\\\\\\n]|\\\\.)*"|'[^'\\n]*'|\\w+)`,
        "m",
      ).exec(table);
      const value = found?.[1];
      return value?.startsWith('"') ? String(parseJson(value)) : value?.replaceAll("'", "");
    };
    const path = valueAt("path");
    return {
      path: path && canonicalPath(path),
      name: valueAt("name"),
      isOff: valueAt("enabled") === "false",
    };
  });
  // The last matching entry decides; Codex compares real paths.
  return ({ names, file }) => {
    const real = rules.length === 0 ? "" : canonicalPath(file);
    return rules.findLast(({ path, name = "" }) => path === real || names.includes(name))?.isOff === true;
  };
}

const MAX_SETTINGS_BYTES = 1024 * 1024;

/** Which skills the agents' own settings turn off; each file is read once, on first use. */
export function createSwitchedOff(
  places: AgentPlaces,
  projectRoot?: string,
): (agent: string, subject: SwitchSubject) => boolean {
  const readings = new Map<string, ReturnType<AgentSwitch["read"]>>();
  return (agent, subject) => {
    const own = AGENT_SWITCHES.find(({ id }) => id === agent);
    if (own === undefined) return false;
    const reading = readings.get(agent) ?? own.read(own.files(places, projectRoot).map(readText));
    readings.set(agent, reading);
    return reading(subject);
  };
}

function readText(file: string): string {
  try {
    return new TextDecoder().decode(readBoundedFile(file, { maxBytes: MAX_SETTINGS_BYTES }));
  } catch (error) {
    // The agent may well load the skill.
    if (SkilletError.isInstance(error)) return "";
    throw error;
  }
}
