import { existsSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { SkilletError } from "@skillet/kit/errors";
import { canonicalPath, readBoundedFile } from "@skillet/kit/files";
import { matchesName, parseStars } from "@skillet/kit/glob";
import { asObject, fieldOf, parseJson, textsOf } from "@skillet/kit/json";
import type { AgentPlaces } from "./agents.ts";

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
  file(places: AgentPlaces): string;
  /** Which skills the text turns off; what cannot be read turns none off. */
  readonly read: (text: string) => (subject: SwitchSubject) => boolean;
}

/** Agents with a switch of their own. Each is documented by its makers, or was read in their source. */
export const AGENT_SWITCHES: readonly AgentSwitch[] = [
  {
    id: "claude-code",
    setting: "skillOverrides",
    file: (places) => join(variable(places, "CLAUDE_CONFIG_DIR", ".claude"), "settings.json"),
    read: (text) => {
      const overrides = fieldOf(readJson(text), "skillOverrides");
      return ({ names }) => names.some((name) => fieldOf(overrides, name) === "off");
    },
  },
  {
    id: "codex",
    setting: "[[skills.config]]",
    file: (places) => join(variable(places, "CODEX_HOME", ".codex"), "config.toml"),
    read: readSkillsConfig,
  },
  {
    id: "gemini-cli",
    setting: "skills.disabled",
    file: (places) => join(variable(places, "GEMINI_CLI_HOME", ""), ".gemini/settings.json"),
    read: (text) => {
      const disabled = textsOf(fieldOf(readJson(text), "skills"), "disabled").map((one) => one.toLowerCase());
      return ({ names: [name = ""] }) => disabled.includes(name.toLowerCase());
    },
  },
  {
    id: "opencode",
    setting: "permission.skill",
    file: (places) => {
      const folder = join(variable(places, "XDG_CONFIG_HOME", ".config"), "opencode");
      const file = join(folder, "opencode.jsonc");
      return existsSync(file) ? file : join(folder, "opencode.json");
    },
    read: (text) => {
      const skill = fieldOf(fieldOf(readJson(text), "permission"), "skill");
      const rules = Object.entries(asObject(skill) ?? { "*": skill }).toReversed();
      // The last pattern that fits decides.
      return ({ names: [name = ""] }) =>
        rules.find(([pattern]) => matchesName(parseStars(pattern), name))?.[1] === "deny";
    },
  },
];

function variable({ environment, userHome }: AgentPlaces, name: string, fallback: string): string {
  const moved = environment[name];
  // An empty or a relative one means nothing, as it does for the agents themselves.
  return moved !== undefined && isAbsolute(moved) ? moved : join(userHome, fallback);
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
export function createSwitchedOff(places: AgentPlaces): (agent: string, subject: SwitchSubject) => boolean {
  const readings = new Map<string, ReturnType<AgentSwitch["read"]>>();
  return (agent, subject) => {
    const own = AGENT_SWITCHES.find(({ id }) => id === agent);
    if (own === undefined) return false;
    const reading = readings.get(agent) ?? own.read(readText(own.file(places)));
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
