import type { TreeFile } from "@skillet/core";
import { parseSkillBytes } from "@skillet/core/internal";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { asObject, type JsonObject, parseJsonObject, textOf, textsOf } from "@skillet/kit/json";
import { compareByteOrder } from "@skillet/kit/order";
import { boundedText, type PluginParts, pluginManifests } from "./plugin-documents.ts";
import { readHooks, readServers, readSettings } from "./read-active-parts.ts";

const MAX_PROMPT_CHARACTERS = 500;

interface PluginReading {
  readonly files: readonly TreeFile[];
  readonly parts: PluginParts;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Where a marketplace's entry is all the manifest there is, it is written down as one, so that what is installed knows
 * its name.
 */
export function readPluginParts(
  files: readonly TreeFile[],
  { name, entry }: { readonly name: string; readonly entry?: JsonObject },
): PluginReading {
  const path = pluginManifests("").find((one) => files.some((file) => file.path === one));
  const bytes = files.find((file) => file.path === path)?.bytes;
  const written = bytes && parseJsonObject(bytes);
  // `strict: false` says that the entry is the manifest, whatever the folder says.
  const isEntry = written === undefined || entry?.strict === false;
  const manifest: JsonObject = isEntry ? { ...written, ...entry, name } : { ...entry, ...written };
  const diagnostics: Diagnostic[] =
    bytes !== undefined && written === undefined ? [unreadable(path ?? "")] : [];
  const whole = isEntry ? [...files.filter((file) => !isManifest(file)), manifestFile(manifest)] : files;
  // Each agent reads its own manifest; what one of them would run is listed, whichever that is.
  const manifests = [
    manifest,
    ...whole.filter(isManifest).map(({ bytes: text }) => parseJsonObject(text) ?? {}),
  ];
  const parts: PluginParts = {
    name: (isEntry ? undefined : textOf(written, "name")) ?? name,
    ...optionalText(manifest, "version"),
    ...optionalText(manifest, "description"),
    skills: skillsOf(whole),
    commands: unique(manifests.flatMap((one) => promptsOf(whole, one, COMMANDS))),
    agents: unique(manifests.flatMap((one) => promptsOf(whole, one, AGENTS))),
    instructions: unique(
      manifests.flatMap((one) => INSTRUCTIONS.flatMap((prompts) => promptsOf(whole, one, prompts))),
    ),
    settings: unique(readSettings(whole, whole.filter(isManifest))),
    hooks: unique(manifests.flatMap((one) => readHooks(whole, one))),
    mcpServers: unique(manifests.flatMap((one) => readServers(whole, one))),
  };
  return {
    files: whole.toSorted((left, right) => compareByteOrder(left.path, right.path)),
    parts,
    diagnostics,
  };
}

function unique<Part>(parts: readonly Part[]): readonly Part[] {
  return [...new Map(parts.map((part) => [JSON.stringify(part), part])).values()];
}

function isManifest({ path }: TreeFile): boolean {
  // Many disks take one case for the other, and an agent on them finds the manifest.
  return pluginManifests("").includes(path.toLowerCase());
}

const MANIFEST_KEYS: readonly string[] = `
  name version description author homepage license skills commands agents hooks mcpServers lspServers
  outputStyles rules monitors apps dependencies
`
  .trim()
  .split(/\s+/);

// With all that it brings: whoever restores it from its files alone must see the same hooks.
function manifestFile(manifest: JsonObject): TreeFile {
  const kept = MANIFEST_KEYS.filter((key) => Object.hasOwn(manifest, key)).map((key) => [key, manifest[key]]);
  const text = `${JSON.stringify(Object.fromEntries(kept), null, 2)}\n`;
  return { path: ".claude-plugin/plugin.json", mode: "644", bytes: Buffer.from(text) };
}

// All of them, whatever the manifest lists: whatever is placed is offered, by some on disks without case.
function skillsOf(files: readonly TreeFile[]): PluginParts["skills"] {
  return files
    .filter(({ path }) => /(?:^|\/)skill\.md$/i.test(path))
    .map(({ path, bytes }) => {
      const folder = path.slice(0, Math.max(0, path.lastIndexOf("/")));
      const directoryName = folder.slice(folder.lastIndexOf("/") + 1);
      return { name: parseSkillBytes(bytes, { directoryName }).manifest?.name ?? directoryName, folder };
    });
}

interface Prompts {
  readonly key: string;
  readonly folder: string;
}

const COMMANDS: Prompts = { key: "commands", folder: "commands" };
const AGENTS: Prompts = { key: "agents", folder: "agents" };
const INSTRUCTIONS: readonly Prompts[] = [
  { key: "outputStyles", folder: "output-styles" },
  { key: "rules", folder: "rules" },
];

// A manifest names files and folders of them, or holds the prompts itself.
function promptsOf(
  files: readonly TreeFile[],
  manifest: JsonObject,
  { key, folder }: Prompts,
): readonly string[] {
  const value = Object.hasOwn(manifest, key) ? manifest[key] : undefined;
  const roots = [...textsOf(manifest, key).map(trimPath), folder].map((root) => root.toLowerCase());
  const inline = (Array.isArray(value) ? value : [value])
    .map(asObject)
    .flatMap((object) => Object.entries(object ?? {}))
    .map(([name, prompt]) => boundedText(`${name}: ${JSON.stringify(prompt)}`, MAX_PROMPT_CHARACTERS));
  return [
    ...files
      .map(({ path }) => path)
      .filter((path) => /\.mdc?$/i.test(path) && roots.some((root) => isBelow(path.toLowerCase(), root))),
    ...inline,
  ];
}

function isBelow(path: string, root: string): boolean {
  return root === "" || path === root || path.startsWith(`${root}/`);
}

function trimPath(path: string): string {
  return path
    .split("/")
    .filter((part) => part !== "" && part !== ".")
    .join("/");
}

function optionalText(
  manifest: JsonObject,
  key: "version" | "description",
): { readonly [key: string]: string } {
  const text = textOf(asObject(manifest), key);
  return text === undefined ? {} : { [key]: text };
}

function unreadable(file: string): Diagnostic {
  return {
    code: "plugin-manifest-invalid",
    severity: "warning",
    message: "The plugin manifest is not a JSON object; it was replaced by what the marketplace says.",
    file,
    hint: 'Give it {"name": "…"} with a short name of letters, digits and hyphens.',
  };
}
