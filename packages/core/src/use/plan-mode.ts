import type { Manifest } from "../format/manifest.ts";

/**
 * Why plan mode hides a skill: it says that it changes things, asks for tools that write or run commands, or has
 * scripts. Undefined when none of these is the case.
 */
export function whyMutates({ metadata, tools }: Manifest, hasScripts: () => boolean): string | undefined {
  const declared = readBoolean(Object.hasOwn(metadata, "mutates") ? metadata.mutates : undefined);
  if (declared !== undefined) return declared ? "it says that it changes things" : undefined;
  const tool = tools.allowed.find(isMutatingTool);
  if (tool !== undefined) return `it asks for the tool ${tool}`;
  return hasScripts() ? "it has scripts" : undefined;
}

const YES: ReadonlySet<string> = new Set(["true", "yes", "on", "1"]);
const NO: ReadonlySet<string> = new Set(["false", "no", "off", "0"]);

function readBoolean(value: unknown): boolean | undefined {
  if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean") return undefined;
  const text = String(value).trim().toLowerCase();
  return YES.has(text) ? true : NO.has(text) ? false : undefined;
}

// Hosts name their tools as they like, and MCP servers bring their own; the words in a name are telling enough.
const MUTATING_WORDS: ReadonlySet<string> = new Set(
  (
    "bash sh zsh shell powershell pwsh cmd terminal command exec execute run script " +
    "write edit multiedit patch replace insert append create update delete remove move rename upload push deploy"
  ).split(" "),
);

/** Keeps a list for the model and touches nothing else. */
const HARMLESS_TOOL = "TodoWrite";

// A wildcard may stand for any tool, so it counts as one that writes.
function isMutatingTool(tool: string): boolean {
  const name = tool.split("(", 1)[0] ?? "";
  if (name === HARMLESS_TOOL) return false;
  if (name.includes("*")) return true;
  const words = name.replace(/([a-z0-9])([A-Z])/g, "$1 $2").toLowerCase();
  return words.split(/[^a-z0-9]+/).some((word) => MUTATING_WORDS.has(word));
}
