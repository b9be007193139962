import { posix } from "node:path";
import type { TreeFile } from "@skillet/core";
import { parseSkillBytes } from "@skillet/core/internal";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import {
  asObject,
  fieldOf,
  type JsonObject,
  parseJsonObject,
  present,
  textOf,
  textsOf,
} from "@skillet/kit/json";
import { compareByteOrder } from "@skillet/kit/order";
import { listFirst } from "@skillet/kit/text";
import type { PluginParts } from "../plan-item.ts";
import {
  agentPluginOf,
  boundedText,
  isAgentPluginSkill,
  isDotManifest,
  pluginManifests,
  unique,
} from "./plugin-documents.ts";
import { readHooks, readServers, readSettings } from "./read-active-parts.ts";

const MAX_PROMPT_CHARACTERS = 500;
const MAX_NAMED = 5;

/** A marketplace's entry that is the only manifest is written as a file, so that the plugin knows its name. */
export function readPluginParts(
  files: readonly TreeFile[],
  { name, entry }: { readonly name: string; readonly entry?: JsonObject },
): {
  readonly files: readonly TreeFile[];
  readonly parts: PluginParts;
  readonly diagnostics: readonly Diagnostic[];
} {
  const agentPlugin = agentPluginOf(files);
  const path = pluginManifests("").find((one) => files.some((file) => file.path === one)) ?? "";
  const bytes = files.find((file) => file.path === path)?.bytes;
  const written: JsonObject | undefined = agentPlugin ? { ...agentPlugin.manifest } : parseJsonObject(bytes);
  // `strict: false` makes the entry the manifest, whatever the folder contains; an Agent Plugin's manifest always wins.
  const isEntry = written === undefined || (agentPlugin === undefined && entry?.strict === false);
  const listed = agentPlugin ? {} : entry;
  const manifest: JsonObject = isEntry ? { ...written, ...listed, name } : { ...listed, ...written };
  const whole = isEntry ? [...files.filter((file) => !isDotManifest(file)), manifestFile(manifest)] : files;
  const own = whole.filter(isDotManifest);
  // Each agent reads its own manifest; everything that any of them would run is listed.
  const manifests = [manifest, ...own.map((file) => parseJsonObject(file.bytes) ?? {})];
  const inEach = <Part>(read: (one: JsonObject) => readonly Part[]): readonly Part[] =>
    unique(manifests.flatMap(read));
  const parts: PluginParts = {
    name: (isEntry ? undefined : textOf(written, "name")) ?? name,
    ...present({ version: textOf(manifest, "version"), description: textOf(manifest, "description") }),
    // If there are manifests for other agents too, the skills that those would offer are listed as well.
    skills: skillsOf(whole, agentPlugin && own.length === 0 ? isAgentPluginSkill : isSkillFile),
    commands: inEach((one) => promptsOf(whole, one, "commands", "commands")),
    agents: inEach((one) => promptsOf(whole, one, "agents", "agents")),
    instructions: inEach((one) => [
      ...promptsOf(whole, one, "outputStyles", "output-styles"),
      ...promptsOf(whole, one, "rules", "rules"),
    ]),
    settings: unique(readSettings(whole, own)),
    hooks: inEach((one) => readHooks(whole, one)),
    mcpServers: inEach((one) => readServers(whole, one)),
  };
  return {
    files: whole.toSorted((left, right) => compareByteOrder(left.path, right.path)),
    parts,
    diagnostics: agentPlugin?.diagnostics ?? [
      ...(bytes !== undefined && written === undefined ? [unreadable(path)] : []),
      ...unreachable(parts.commands),
      ...moreThanListed(parts, entry),
    ],
  };
}

const MANIFEST_KEYS: readonly string[] = (
  "name version description author homepage license skills commands agents hooks mcpServers lspServers " +
  "outputStyles rules monitors apps dependencies"
).split(" ");

// Contains everything that the entry defines: a restore from the files alone must see the same hooks.
function manifestFile(manifest: JsonObject): TreeFile {
  const kept = MANIFEST_KEYS.filter((key) => Object.hasOwn(manifest, key)).map((key) => [key, manifest[key]]);
  const text = `${JSON.stringify(Object.fromEntries(kept), null, 2)}\n`;
  return { path: ".claude-plugin/plugin.json", mode: "644", bytes: Buffer.from(text) };
}

function isSkillFile(path: string): boolean {
  return /(?:^|\/)skill\.md$/i.test(path);
}

// All of them, whatever the manifest lists: everything placed is offered, on some disks regardless of case.
function skillsOf(files: readonly TreeFile[], isSkill: (path: string) => boolean): PluginParts["skills"] {
  return files
    .filter(({ path }) => isSkill(path))
    .map(({ path, bytes }) => {
      const folder = path.slice(0, Math.max(0, path.lastIndexOf("/")));
      const directoryName = posix.basename(folder);
      return { name: parseSkillBytes(bytes, { directoryName }).manifest?.name ?? directoryName, folder };
    });
}

// A manifest names files and folders of prompts, or contains the prompts itself.
function promptsOf(
  files: readonly TreeFile[],
  manifest: JsonObject,
  key: string,
  usualFolder: string,
): readonly string[] {
  const value = fieldOf(manifest, key);
  const roots = [...textsOf(manifest, key).map(trimPath), usualFolder].map((root) => root.toLowerCase());
  const isBelow = (path: string): boolean =>
    roots.some((root) => root === "" || path === root || path.startsWith(`${root}/`));
  const inline = (Array.isArray(value) ? value : [value])
    .flatMap((object) => Object.entries(asObject(object) ?? {}))
    .map(([name, prompt]) => boundedText(`${name}: ${JSON.stringify(prompt)}`, MAX_PROMPT_CHARACTERS));
  const paths = files.map(({ path }) => path);
  return [...paths.filter((path) => /\.mdc?$/i.test(path) && isBelow(path.toLowerCase())), ...inline];
}

/** A path of a manifest without `./` and empty parts. */
export function trimPath(path: string): string {
  const parts = path.split("/").filter((part) => part !== "" && part !== ".");
  return parts.join("/");
}

// Discovery finds commands in one folder only; others, or those inside a manifest, would be listed but never found.
function unreachable(commands: readonly string[]): readonly Diagnostic[] {
  const others = commands.filter((command) => !command.toLowerCase().startsWith("commands/"));
  if (others.length === 0) return [];
  const [is, it] = others.length === 1 ? ["is a command", "it"] : ["are commands", "they"];
  const message = `${listFirst(others, MAX_NAMED)} ${is} outside the folder commands/, so ${it} cannot be invoked here.`;
  const hint = "Ask the plugin's author to move such files into commands/.";
  const file = ".claude-plugin/plugin.json";
  return [{ code: "plugin-command-unreachable", severity: "warning", message, file, hint }];
}

// Agents add the skills that an entry lists to those in the plugin's folder, unless the entry is the whole manifest.
function moreThanListed({ name, skills }: PluginParts, entry: JsonObject = {}): readonly Diagnostic[] {
  const listed = textsOf(entry, "skills").map(trimPath);
  const others = skills.filter(
    ({ folder }) => !listed.some((root) => root === "" || folder === root || folder.startsWith(`${root}/`)),
  );
  if (entry.strict === false || listed.length === 0 || others.length === 0) return [];
  const message = `The marketplace lists ${listed.length} of the ${skills.length} skills of ${name}; all of them belong to the plugin, because its entry does not say "strict": false.`;
  const hint = "To install only some, name them: --skill NAME.";
  return [
    {
      code: "plugin-more-than-listed",
      severity: "warning",
      message,
      file: ".claude-plugin/marketplace.json",
      hint,
    },
  ];
}

function unreadable(file: string): Diagnostic {
  const message = "The plugin manifest is not a JSON object; it was replaced by what the marketplace says.";
  const hint = 'Give it {"name": "…"} with a short name of letters, digits and hyphens.';
  return { code: "plugin-manifest-invalid", severity: "warning", message, file, hint };
}
