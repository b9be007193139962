import { existsSync } from "node:fs";
import { join } from "node:path";
import { SkilletError } from "@skillet/kit/errors";
import { canonicalPath, readBoundedFile } from "@skillet/kit/files";
import { matchesName, parseStars } from "@skillet/kit/glob";
import { asObject, fieldOf, parseJson, textsOf } from "@skillet/kit/json";
import { type AgentPlaces, agentHome } from "./agents.ts";

/** The skill that an agent is told about: by its names, or by its SKILL.md as the agent comes to it. */
export interface SwitchSubject {
  readonly names: readonly string[];
  readonly file: string;
}

/** Where an agent is told not to load a skill, in a settings file of its own. */
export interface AgentSwitch {
  readonly id: "claude-code" | "codex" | "gemini-cli" | "opencode";
  /** As people find it in the agent's documentation. */
  readonly setting: string;
  /** The user's own, then those of a project, which count for more; the last decides. */
  files(places: AgentPlaces, projectRoot?: string): readonly [string, ...string[]];
  /** The one of a project's files that is a person's own there, kept out of git, relative to the project. */
  readonly personalFile?: string;
  /** Which skills the texts of these files turn off; what cannot be read turns none off. */
  readonly read: (texts: readonly string[]) => (subject: SwitchSubject) => boolean;
}

/** Agents with a switch of their own. Each is documented by its makers, or was read in their source. */
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
    // A repository cannot turn skills off or on in it.
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
      // The last pattern that fits decides.
      return ({ names: [name = ""] }) =>
        rules.find(([pattern]) => matchesName(parseStars(pattern), name))?.[1] === "deny";
    },
  },
];

/** Claude Code's settings, of which each counts for more than those before it, key by key. */
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

// One answer for all stands for the pattern of all, and replaces what came before it.
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

/** JSON in which people wrote comments and trailing commas, with spaces in their place, so that positions stay. */
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
  // The last one decides, and it compares real paths.
  return ({ names, file }) => {
    const real = rules.length === 0 ? "" : canonicalPath(file);
    return rules.findLast(({ path, name = "" }) => path === real || names.includes(name))?.isOff === true;
  };
}

const MAX_SETTINGS_BYTES = 1024 * 1024;

/** Which skills the agents themselves turned off; each file is read once, when it is asked about. */
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
    // Such an agent may well load the skill.
    if (SkilletError.isInstance(error)) return "";
    throw error;
  }
}
