import type { Skill } from "../../registry/skill.ts";

/** Tells whether a skill brings files that can be run. */
export type HasScripts = (skill: Skill) => boolean;

/**
 * Why a skill is taken to change things: it says so, or it asks for tools that write or run commands, or it has scripts.
 *
 * Undefined when it does not. Where nobody can say whether it has scripts, it might.
 */
export function whyMutates(skill: Skill, hasScripts: HasScripts | undefined): string | undefined {
  const { metadata, tools } = skill.manifest;
  const declared = readBoolean(Object.hasOwn(metadata, "mutates") ? metadata.mutates : undefined);
  if (declared !== undefined) return declared ? "it says that it changes things" : undefined;
  const tool = tools.allowed.find(isMutatingTool);
  if (tool !== undefined) return `it asks for the tool ${tool}`;
  if (hasScripts === undefined) return "nothing tells whether it has scripts";
  return hasScripts(skill) ? "it has scripts" : undefined;
}

const YES: ReadonlySet<string> = new Set(["true", "yes", "on", "1"]);
const NO: ReadonlySet<string> = new Set(["false", "no", "off", "0"]);

/** A boolean in any spelling; undefined for everything else. */
function readBoolean(value: unknown): boolean | undefined {
  if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean") return undefined;
  const text = String(value).trim().toLowerCase();
  return YES.has(text) ? true : NO.has(text) ? false : undefined;
}

// Hosts name their tools as they like, and those of MCP servers have no list; the words in a name are telling enough.
const MUTATING_WORDS: ReadonlySet<string> = new Set(
  (
    "bash sh zsh shell powershell pwsh cmd terminal command exec execute run script " +
    "write edit multiedit patch replace insert append create update delete remove move rename upload push deploy"
  ).split(" "),
);

/** It keeps a list for the model and touches nothing else. */
const HARMLESS_TOOL = "TodoWrite";

/** Whether a tool of any host writes or runs something; of a wildcard nobody knows. */
function isMutatingTool(tool: string): boolean {
  const name = tool.split("(", 1)[0] ?? "";
  if (name === HARMLESS_TOOL) return false;
  if (name.includes("*")) return true;
  const words = name.replace(/([a-z0-9])([A-Z])/g, "$1 $2").toLowerCase();
  return words.split(/[^a-z0-9]+/).some((word) => MUTATING_WORDS.has(word));
}
