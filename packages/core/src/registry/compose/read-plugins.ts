import { join } from "node:path";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { onRefusal } from "@skillet/kit/errors";
import { canonicalPath, isInside } from "@skillet/kit/files";
import { fieldOf, parseJson } from "@skillet/kit/json";
import { listFirst, showName } from "@skillet/kit/text";
import { pathBelow } from "../../source/check-relative-path.ts";
import { LocalSource } from "../../source/local/local-source.ts";
import { SKILL_FILE } from "../../source/skill-file-name.ts";
import type { SkillListing, SkillSource } from "../../source/skill-source.ts";
import { type AgentPlugin, MAX_PLUGIN_FILE_BYTES, readAgentPlugin, rejection } from "../agent-plugin.ts";
import { isScopeName } from "../skill.ts";

const PLUGIN_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** The name that a plugin's manifest gives, or the fault, phrased to follow "The manifest". */
export function readPluginName(manifest: Uint8Array): { readonly name: string } | { readonly fault: string } {
  if (manifest.length > MAX_PLUGIN_FILE_BYTES)
    return { fault: `is larger than ${MAX_PLUGIN_FILE_BYTES} bytes` };
  const content = parseJson(manifest);
  if (content === undefined) return { fault: "is not JSON" };
  const name = fieldOf(content, "name");
  if (typeof name !== "string") return { fault: "has no name" };
  // Its skills would look like skills of that scope.
  if (isScopeName(name)) return { fault: `has the name ${name}, which is a scope's` };
  return PLUGIN_NAME.test(name)
    ? { name }
    : { fault: "has a name with other characters than letters, digits, dots, hyphens and underscores" };
}

/** The position of a skill; for a link, also its target file. */
export interface PlacedSkill {
  readonly folder: string;
  readonly file?: string;
  readonly canonicalFile?: string;
}

interface FoundPlugin {
  /** Absent if an Agent Plugin is rejected. */
  readonly name?: string | undefined;
  readonly agentPlugin?: AgentPlugin;
}

export interface Plugins<Skill> {
  /** The plugin of a skill: its Agent Plugin, or the nearest folder above it with another manifest. */
  pluginOf(skill: PlacedSkill): string | undefined;
  /** The skills except for those in an Agent Plugin's folder that are not part of the plugin. */
  readonly skills: readonly Skill[];
  readonly found: ReadonlyMap<string, FoundPlugin>;
  readonly diagnostics: readonly Diagnostic[];
}

type Listed = NonNullable<SkillListing["plugins"]>[number];

/**
 * Reads a source's plugin manifests. An Agent Plugin's root `plugin.json` beats manifests in dot folders. If
 * invalid, its skills are dropped; an invalid one in a dot folder leaves them to the outer plugin.
 */
export async function readPlugins<Skill extends PlacedSkill>(
  source: SkillSource,
  manifests: readonly Listed[],
  skills: readonly Skill[],
): Promise<Plugins<Skill>> {
  const found = new Map<string, FoundPlugin>();
  const diagnostics: Diagnostic[] = [];
  for (const listed of manifests) {
    const { path, manifest } = listed;
    // Root manifests come first in the list.
    if (found.has(path)) continue;
    const file = source.toolPath(manifest);
    const read = await readManifest(source, manifest);
    if (isRootManifest(listed)) {
      const agentPlugin = staysInside(source, path, manifest)
        ? "bytes" in read && readAgentPlugin(read.bytes, file)
        : { diagnostics: [rejection({ message: LEAVES, file, hint: "Put the file itself there." })] };
      if (!agentPlugin) continue;
      found.set(path, { name: agentPlugin.manifest?.name, agentPlugin });
      diagnostics.push(...agentPlugin.diagnostics);
    } else {
      const reading = "bytes" in read ? readPluginName(read.bytes) : read;
      if ("name" in reading) found.set(path, reading);
      else diagnostics.push(invalid(file, reading.fault));
    }
  }
  const misplaced = new Map<string, string[]>();
  const kept = skills.filter((skill) => {
    const { plugin, agentPlugin } = placeOf(source, found, skill);
    if (agentPlugin === undefined || plugin !== undefined) return true;
    const files = misplaced.get(agentPlugin) ?? [];
    misplaced.set(agentPlugin, files);
    const file = pathBelow(skill.folder, skill.file ?? SKILL_FILE);
    files.push(agentPlugin === "" ? file : file.slice(agentPlugin.length + 1));
    return false;
  });
  // A manifest that rejects all of them has its own diagnostic.
  for (const [path, files] of misplaced)
    if (found.get(path)?.name !== undefined) diagnostics.push(leftOut(source.toolPath(path), files));
  return { pluginOf: (skill) => placeOf(source, found, skill).plugin, skills: kept, found, diagnostics };
}

/** Whether a manifest is directly in its plugin's folder, as in an Agent Plugin. */
export function isRootManifest({ path, manifest }: Listed): boolean {
  return manifest === pathBelow(path, "plugin.json");
}

async function readManifest(
  source: SkillSource,
  manifest: string,
): Promise<{ readonly bytes: Uint8Array } | { readonly fault: string }> {
  // One byte more than allowed shows that a file is too large.
  const read = source.read(manifest, { maxBytes: MAX_PLUGIN_FILE_BYTES + 1 });
  return onRefusal(read, ({ message }) => ({ fault: `cannot be read: ${message}` }));
}

const LEAVES = "the manifest is a link out of its plugin";

/** Whether a file is inside a plugin's folder after links are followed, which only works for local files. */
function staysInside(source: SkillSource, plugin: string, path: string, canonicalFile?: string): boolean {
  if (!(source instanceof LocalSource)) return true;
  const real = (one: string): string => canonicalPath(join(source.canonicalRoot, one));
  return isInside(canonicalFile ?? real(path), real(plugin));
}

const NOWHERE = {};

/** Without `plugin`, a skill in an Agent Plugin is not part of it. Manifests below that one are ignored. */
function placeOf(
  source: SkillSource,
  plugins: ReadonlyMap<string, FoundPlugin>,
  { folder, file = "", canonicalFile }: PlacedSkill,
): { readonly plugin?: string | undefined; readonly agentPlugin?: string } {
  if (plugins.size === 0) return NOWHERE;
  let agentPlugin: string | undefined;
  let nearest: string | undefined;
  for (let path = folder; ; path = path.slice(0, Math.max(0, path.lastIndexOf("/")))) {
    const found = plugins.get(path);
    if (found?.agentPlugin !== undefined) agentPlugin = path;
    else nearest ??= found?.name;
    if (path === "") break;
  }
  if (agentPlugin === undefined) return { plugin: nearest };
  const parent = pathBelow(agentPlugin, "skills");
  const isPart =
    file === SKILL_FILE && folder.startsWith(parent) && folder.lastIndexOf("/") === parent.length;
  const isInPlace = isPart && staysInside(source, agentPlugin, pathBelow(folder, file), canonicalFile);
  return { agentPlugin, plugin: isInPlace ? plugins.get(agentPlugin)?.name : undefined };
}

const MAX_NAMED = 5;

function leftOut(file: string, files: readonly string[]): Diagnostic {
  const names = listFirst(files.map(showName), MAX_NAMED);
  const what = `${names} ${files.length === 1 ? "is not a skill" : "are not skills"} of this plugin`;
  const message = `${what}: those of an Agent Plugin are files skills/NAME/SKILL.md within it.`;
  const hint =
    "Move what should be a skill right below skills/, as a folder with a SKILL.md and not as a link out of the plugin.";
  return { code: "agent-plugin-skill-left-out", severity: "warning", message, file, hint };
}

function invalid(file: string, fault: string): Diagnostic {
  const message = `The plugin manifest ${fault}; its skills keep their plain names, and its commands are left out.`;
  const hint = 'Give it {"name": "…"} with a short name of letters, digits and hyphens.';
  return { code: "plugin-manifest-invalid", severity: "warning", message, file, hint };
}
