import { digestBytes, type Manifest, parseSkillBytes, type TreeFile } from "@skillet/core";
import type { Candidate } from "../candidate/candidate.ts";
import { asObject } from "../discover/json-object.ts";
import type { PluginParts } from "../discover/plugin-parts.ts";
import { hooksOf } from "../discover/read-hooks.ts";
import { readPluginParts } from "../discover/read-plugin-parts.ts";
import { isProgramPath } from "./is-program-path.ts";
import type { CapabilityChange } from "./version-changes.ts";

type Version = Pick<Candidate, "kind" | "files">;

/**
 * What a version can do that the one before could not, beyond what capabilities tell; all of it, where nobody knows what
 * that one was.
 */
export function gainedPowers(before: Version | undefined, after: Version): readonly CapabilityChange[] {
  const known = new Set((before === undefined ? [] : powersOf(before)).map(keyOf));
  const gained = powersOf(after).filter((one) => !known.has(keyOf(one)));
  return [...new Map(gained.map((one) => [keyOf(one), one])).values()];
}

// What it would run by itself, what it lets itself use, and what it offers to people and models.
function powersOf({ kind, files }: Version): readonly CapabilityChange[] {
  const parts = kind === "plugin" ? readPluginParts(files, { name: "" }).parts : undefined;
  const folders = parts?.skills.map(({ folder }) => folder) ?? [""];
  const prompts = parts === undefined ? [] : [...parts.commands, ...parts.agents];
  return [
    ...(parts === undefined ? [] : partsOf(parts)),
    ...files.filter(({ path }) => isHeaded(path, folders, prompts)).flatMap((file) => headerOf(file)),
    ...files
      .filter((file) => !isProgramPath(file.path) && file.mode !== "755" && isProgram(file))
      .map(({ path }) => power("scripts", path, "has the script")),
  ];
}

function partsOf({ skills, commands, agents, hooks, mcpServers }: PluginParts): readonly CapabilityChange[] {
  return [
    ...hooks.map(({ event, command }) => power("hooks", `${event}: ${command}`, "has the hook")),
    ...mcpServers.map(({ name, command, url }) =>
      power(
        "mcpServers",
        [name, command ?? url].filter((part) => part !== undefined).join(": "),
        "brings the server",
      ),
    ),
    ...skills.map(({ name, folder }) =>
      power("skills", `${name} (${folder === "" ? "its root" : folder})`, "brings the skill"),
    ),
    ...commands.map((value) => power("slashCommands", value, "brings the command")),
    ...agents.map((value) => power("agents", value, "brings the agent")),
  ];
}

function isHeaded(path: string, folders: readonly string[], prompts: readonly string[]): boolean {
  if (prompts.includes(path)) return true;
  const match = /^(?:(.*)\/)?(?:SKILL|skill)\.md$/.exec(path);
  return match !== null && folders.includes(match[1] ?? "");
}

// Commands and agents have the headers of skills.
function headerOf({ path, bytes }: TreeFile): readonly CapabilityChange[] {
  const { manifest } = parseSkillBytes(bytes, { file: path, directoryName: "unnamed" });
  // A more lenient reader may find anything in it; its digest tells when that is something else.
  if (manifest === undefined)
    return Buffer.from(bytes.subarray(0, 6)).includes("---")
      ? [power("allowedTools", `whatever ${path} says (${digestBytes(bytes)})`, "may use without asking")]
      : [];
  const where = path.toLowerCase() === "skill.md" ? "" : ` in ${path}`;
  return [
    ...toolsOf(manifest).map((tool) => power("allowedTools", `${tool}${where}`, "may use without asking")),
    ...hooksOf({ hooks: asObject(manifest.hooks) ?? { unknown: manifest.hooks } }).map(({ event, command }) =>
      power("hooks", `${event}: ${command}${where}`, "has the hook"),
    ),
  ];
}

// What an agent's header calls `tools` is no more than what it may use.
function toolsOf({ tools, extra }: Manifest): readonly string[] {
  const own = Object.hasOwn(extra, "tools") ? extra.tools : undefined;
  const listed = typeof own === "string" ? own.split(",").map((tool) => tool.trim()) : own;
  const more = Array.isArray(listed) ? listed.filter((tool) => typeof tool === "string") : [];
  return [...tools.allowed, ...more];
}

function isProgram({ bytes }: TreeFile): boolean {
  return PROGRAM_STARTS.some((start) => Buffer.from(bytes.subarray(0, start.length)).equals(start));
}

// A shebang, then what Linux, Windows, macOS (both orders, and for several machines) and browsers run.
const PROGRAM_STARTS: readonly Buffer[] = [
  "2321",
  "efbbbf2321",
  "7f454c46",
  "4d5a",
  "feedface",
  "feedfacf",
  "cefaedfe",
  "cffaedfe",
  "cafebabe",
  "0061736d",
].map((digits) => Buffer.from(digits, "hex"));

function power(kind: CapabilityChange["kind"], value: string, verb: string): CapabilityChange {
  return { kind, value, text: `${verb} ${value}` };
}

function keyOf({ kind, value }: CapabilityChange): string {
  return JSON.stringify([kind, value]);
}
