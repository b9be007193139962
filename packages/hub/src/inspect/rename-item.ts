import { posix } from "node:path";
import { editFrontmatter, type FrontmatterEdit, repairSkill, type TreeFile } from "@skillet/core";
import { readAgentPlugin, readPluginName, tryEditFrontmatter } from "@skillet/core/internal";
import { treeDigestOf } from "@skillet/kit/digest";
import { SkilletError } from "@skillet/kit/errors";
import { parseJsonObject } from "@skillet/kit/json";
import {
  agentPluginOf,
  isDotManifest,
  PLUGIN_FOLDERS,
  pluginManifests,
} from "../discover/plugin-documents.ts";
import type { ReadItem } from "../plan-item.ts";
import { checkEntryPath } from "../sources/entry-path.ts";
import { skillFileOf } from "./inspect-item.ts";

/** Discovery uses the manifest's name, so that is rewritten. Deterministic, so that a lock can be restored. */
export function renameItem(item: ReadItem, name: string): ReadItem {
  if (!isPlaceName(name)) {
    const message = `${JSON.stringify(name.slice(0, 100))} cannot be the name of an installed skill; use letters, digits and hyphens, at most 64.`;
    throw new SkilletError("name-invalid", message, { data: { name: name.slice(0, 100) } });
  }
  if (name === item.name) return item;
  const files = item.files.map((file) => rename(file, item, name));
  const digest = treeDigestOf(files);
  const { manifest, parts, signed } = item;
  return {
    ...item,
    name,
    files,
    digest,
    ...(manifest && { manifest: { ...manifest, name } }),
    ...(parts && { parts: { ...parts, name } }),
    // The signatures are for other bytes.
    ...(signed && { signed: { ...signed, envelopes: [] } }),
  };
}

function rename(file: TreeFile, { kind, files }: ReadItem, name: string): TreeFile {
  if (kind === "plugin") {
    const isDotFolder = /^\.[a-z]+-plugin\/plugin\.json$/.test(file.path);
    const isNaming = isDotFolder || (file.path === "plugin.json" && isAgentPlugin(file));
    const manifest = isNaming ? parseJsonObject(file.bytes) : undefined;
    if (manifest === undefined) return file;
    return { ...file, bytes: Buffer.from(`${JSON.stringify({ ...manifest, name }, null, 2)}\n`) };
  }
  if (file !== skillFileOf(files)) return file;
  const text = new TextDecoder().decode(file.bytes);
  const edits: FrontmatterEdit[] = [{ path: ["name"], value: name }];
  // Loading accepts headers that cannot be edited as they are.
  const renamed = tryEditFrontmatter(text, edits) ?? editFrontmatter(repairSkill(text).text, edits);
  return { ...file, bytes: Buffer.from(renamed) };
}

/** A name may come from a stranger; as a path, it must not lead elsewhere or pass for a scope's or a hidden folder. */
export function placeName(name: string, fallback: string): string {
  const fitting = [name, slug(name), fallback, slug(fallback)].find((one) => isPlaceName(one));
  return fitting ?? "skill";
}

function isPlaceName(name: string): boolean {
  const isWord = /^[\p{L}\p{N}][\p{L}\p{M}\p{N}._-]*$/u.test(name);
  return isWord && name.length <= MAX_NAME_CHARACTERS && checkEntryPath(name) === undefined;
}

const MAX_NAME_CHARACTERS = 64;

function slug(text: string): string {
  const words = text
    .slice(0, 256)
    .normalize("NFKC")
    .toLowerCase()
    .match(/[\p{L}\p{M}\p{N}]+/gu);
  return (words ?? []).join("-").slice(0, MAX_NAME_CHARACTERS).replace(/-$/, "");
}

/**
 * Discovery names skills by the nearest manifest above them, and leaves them plain names if that is unusable: a plugin
 * could take the place of any skill with a manifest that only an installer understands, or with a second one.
 */
export function findNamingProblem(item: Pick<ReadItem, "kind" | "name" | "files">): string | undefined {
  const { kind, name, files } = item;
  const own = files.filter(isDotManifest);
  const agentPlugin = agentPluginOf(files);
  const carried = own[0]?.path ?? (agentPlugin && "plugin.json");
  if (kind === "skill")
    return carried === undefined
      ? undefined
      : `it carries the plugin manifest ${carried}, which would change its name; install the plugin instead, or have the manifest taken away`;
  if (agentPlugin !== undefined) {
    // Discovery treats a folder without subfolders and with a SKILL.md as a skill, whatever else is in it.
    if (files.every(({ path }) => !path.includes("/")) && skillFileOf(files) !== undefined)
      return "it has a SKILL.md beside its plugin.json and no folders, so that would be a skill with a plain name";
    const declared = agentPlugin.manifest?.name;
    if (declared === name) return undefined;
    const fault = declared === undefined ? "cannot give it that name" : `calls it ${declared}`;
    return `its plugin manifest plugin.json ${fault}, and it would be installed as ${shown(name)}; ${HELP}`;
  }
  const nested = files.find((file) => (isManifest(file) && !own.includes(file)) || isAgentPlugin(file));
  if (nested !== undefined)
    return `it carries a further plugin manifest, ${shown(nested.path)}, which would change the names of its skills`;
  // Discovery reads only the first of several folders.
  const first = PLUGIN_FOLDERS.find((folder) => files.some(({ path }) => path.startsWith(`${folder}/`)));
  if (first === undefined || !own.some(({ path }) => path === `${first}/plugin.json`))
    return `it has no manifest ${first ?? PLUGIN_FOLDERS[0]}/plugin.json, by which its skills would be named`;
  for (const { path, bytes } of own) {
    const reading = readPluginName(bytes);
    if ("fault" in reading) return `its plugin manifest ${path} ${reading.fault}; ${HELP}`;
    if (reading.name !== name)
      return `its plugin manifest ${path} calls it ${reading.name}, and it would be installed as ${shown(name)}; ${HELP}`;
  }
  return undefined;
}

const HELP = "pass --name with a short one of letters, digits and hyphens, or have the manifest corrected";

// File systems and agents differ in case sensitivity.
function isManifest({ path }: TreeFile): boolean {
  const lower = path.toLowerCase();
  return pluginManifests("").some((own) => lower === own || lower.endsWith(`/${own}`));
}

// Manifests inside an Agent Plugin name nothing; an Agent Plugin's manifest inside another plugin does.
function isAgentPlugin(file: TreeFile): boolean {
  const isRoot = posix.basename(file.path) === "plugin.json" && !isManifest(file);
  return isRoot && readAgentPlugin(file.bytes, file.path) !== undefined;
}

function shown(text: string): string {
  return JSON.stringify(text.slice(0, 200));
}
