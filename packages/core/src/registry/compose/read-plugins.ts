import { join } from "node:path";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { SkilletError } from "@skillet/kit/errors";
import { canonicalPath, isInside } from "@skillet/kit/files";
import { fieldOf, parseJson } from "@skillet/kit/json";
import { listFirst } from "@skillet/kit/text";
import { LocalSource } from "../../source/local/local-source.ts";
import { SKILL_FILE } from "../../source/skill-file-name.ts";
import type { SkillListing, SkillSource } from "../../source/skill-source.ts";
import { type AgentPlugin, MAX_PLUGIN_FILE_BYTES, readAgentPlugin } from "../agent-plugin.ts";
import { pathBelow } from "../read-tree.ts";
import { isScopeName } from "../scope-prefix.ts";

const PLUGIN_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** The name that a plugin's manifest gives to its skills, or why it gives none, to be read after "The manifest". */
export function readPluginName(manifest: Uint8Array): { readonly name: string } | { readonly fault: string } {
  if (manifest.length > MAX_PLUGIN_FILE_BYTES)
    return { fault: `is larger than ${MAX_PLUGIN_FILE_BYTES} bytes` };
  const content = parseJson(manifest);
  if (content === undefined) return { fault: "is not JSON" };
  const name = fieldOf(content, "name");
  if (typeof name !== "string") return { fault: "has no name" };
  // Its skills would pass for those of the scope.
  if (isScopeName(name)) return { fault: `has the name ${name}, which is a scope's` };
  return PLUGIN_NAME.test(name)
    ? { name }
    : { fault: "has a name with other characters than letters, digits, dots, hyphens and underscores" };
}

/** Where a skill lies; of a link, with the file that it leads to. */
export interface PlacedSkill {
  readonly folder: string;
  readonly file?: string;
  readonly canonicalFile?: string;
}

export interface Plugins<Skill> {
  /** The plugin of a skill: the Agent Plugin that it lies in, or the nearest folder above it with another manifest. */
  pluginOf(skill: PlacedSkill): string | undefined;
  /** Without those that lie in an Agent Plugin and are not skills of it. */
  readonly skills: readonly Skill[];
  /** By folder, those that are rejected too. */
  readonly agentPlugins: ReadonlyMap<string, AgentPlugin>;
  readonly diagnostics: readonly Diagnostic[];
}

interface Found {
  readonly form: "agent-plugin" | "dot-folder";
  /** Absent where an Agent Plugin is rejected. */
  readonly name?: string | undefined;
}

type Listed = NonNullable<SkillListing["plugins"]>[number];

/**
 * Reads the plugin manifests of a source. The root `plugin.json` of an Agent Plugin wins over manifests in dot folders,
 * and an invalid one takes its skills away; an invalid one in a dot folder leaves them to the plugin around it.
 */
export async function readPlugins<Skill extends PlacedSkill>(
  source: SkillSource,
  manifests: readonly Listed[],
  skills: readonly Skill[],
): Promise<Plugins<Skill>> {
  const found = new Map<string, Found>();
  const agentPlugins = new Map<string, AgentPlugin>();
  const diagnostics: Diagnostic[] = [];
  for (const listed of manifests) {
    // Root manifests are listed first.
    if (found.has(listed.path)) continue;
    const read = await readManifest(source, listed);
    const file = source.toolPath(listed.manifest);
    if (isRootManifest(listed)) {
      const plugin = "fault" in read ? read.rejected : readAgentPlugin(read.bytes, file);
      if (plugin === undefined) continue;
      diagnostics.push(...plugin.diagnostics);
      agentPlugins.set(listed.path, plugin);
      found.set(listed.path, { form: "agent-plugin", name: plugin.manifest?.name });
    } else {
      const reading = "fault" in read ? read : readPluginName(read.bytes);
      if ("name" in reading) found.set(listed.path, { form: "dot-folder", name: reading.name });
      else diagnostics.push(invalid(file, reading.fault));
    }
  }
  const around = (skill: PlacedSkill): Place => placeOf(source, found, skill);
  const misplaced = new Map<string, string[]>();
  const kept = skills.filter((skill) => {
    const { plugin, agentPlugin } = around(skill);
    if (agentPlugin === undefined || plugin !== undefined) return true;
    const files = misplaced.get(agentPlugin) ?? [];
    misplaced.set(agentPlugin, files);
    files.push(pathBelow(skill.folder, skill.file ?? SKILL_FILE).slice(pathBelow(agentPlugin, "").length));
    return false;
  });
  // A manifest that rejects all of them has its own diagnostic.
  for (const [path, files] of misplaced)
    if (found.get(path)?.name !== undefined) diagnostics.push(leftOut(source.toolPath(path), files));
  return { pluginOf: (skill) => around(skill).plugin, skills: kept, agentPlugins, diagnostics };
}

/** Whether a manifest lies in its plugin's folder itself, as that of an Agent Plugin does. */
export function isRootManifest({ path, manifest }: Listed): boolean {
  return manifest === pathBelow(path, "plugin.json");
}

async function readManifest(
  source: SkillSource,
  listed: Listed,
): Promise<{ readonly bytes: Uint8Array } | { readonly fault: string; readonly rejected?: AgentPlugin }> {
  const { path, manifest } = listed;
  try {
    const isLocal = source instanceof LocalSource && isRootManifest(listed);
    if (isLocal && !isWithin(source, canonicalPath(join(source.canonicalRoot, manifest)), path)) {
      const diagnostics = [leavesPlugin(source.toolPath(manifest))];
      return { fault: "leads out of its plugin", rejected: { diagnostics } };
    }
    // One byte more than may be there tells that there is more.
    return await source.read(manifest, { maxBytes: MAX_PLUGIN_FILE_BYTES + 1 });
  } catch (error) {
    if (SkilletError.isInstance(error)) return { fault: `cannot be read: ${error.message}` };
    throw error;
  }
}

function isWithin(source: SkillSource, canonicalFile: string | undefined, plugin: string): boolean {
  if (canonicalFile === undefined || !(source instanceof LocalSource)) return true;
  return isInside(canonicalFile, canonicalPath(join(source.canonicalRoot, plugin)));
}

interface Place {
  readonly plugin?: string | undefined;
  /** The folder of the Agent Plugin that it lies in; without `plugin`, it is not a skill of that. */
  readonly agentPlugin?: string;
}

// What lies in an Agent Plugin is the plugin's: manifests further in name nothing.
function placeOf(source: SkillSource, plugins: ReadonlyMap<string, Found>, skill: PlacedSkill): Place {
  if (plugins.size === 0) return NOWHERE;
  const { folder, file } = skill;
  let agentPlugin: string | undefined;
  let nearest: string | undefined;
  for (let path = folder; ; path = path.slice(0, Math.max(0, path.lastIndexOf("/")))) {
    const found = plugins.get(path);
    if (found?.form === "agent-plugin") agentPlugin = path;
    else nearest ??= found?.name;
    if (path === "") break;
  }
  if (agentPlugin === undefined) return { plugin: nearest };
  const parent = pathBelow(agentPlugin, "skills");
  const isPart =
    file === SKILL_FILE && folder.startsWith(parent) && folder.lastIndexOf("/") === parent.length;
  const isInPlace = isPart && isWithin(source, skill.canonicalFile, agentPlugin);
  return { agentPlugin, plugin: isInPlace ? plugins.get(agentPlugin)?.name : undefined };
}

const NOWHERE: Place = {};
const MAX_NAMED = 5;

function leftOut(file: string, files: readonly string[]): Diagnostic {
  const what = files.length === 1 ? "is not a skill" : "are not skills";
  return {
    code: "agent-plugin-skill-left-out",
    severity: "warning",
    message: `${listFirst(files, MAX_NAMED)} ${what} of this plugin: those of an Agent Plugin are files skills/NAME/SKILL.md within it.`,
    file,
    hint: "Move what should be a skill right below skills/, as a folder with a SKILL.md and not as a link out of the plugin.",
  };
}

function leavesPlugin(file: string): Diagnostic {
  return {
    code: "agent-plugin-invalid",
    severity: "error",
    message: "The manifest is a link out of its plugin, so nothing of this plugin is offered.",
    file,
    hint: "Put the file itself there.",
  };
}

function invalid(file: string, fault: string): Diagnostic {
  return {
    code: "plugin-manifest-invalid",
    severity: "warning",
    message: `The plugin manifest ${fault}; its skills keep their plain names, and its commands are left out.`,
    file,
    hint: 'Give it {"name": "…"} with a short name of letters, digits and hyphens.',
  };
}
