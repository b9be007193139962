import { posix } from "node:path";
import type { TreeFile } from "@skillet/core";
import { parseSkillBytes } from "@skillet/core/internal";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { treeDigestOf } from "@skillet/kit/digest";
import { textsOf } from "@skillet/kit/json";
import { agentPluginOf } from "../discover/plugin-documents.ts";
import { readPluginParts, trimPath } from "../discover/read-plugin-parts.ts";
import type { HubLimits } from "../hub-limits.ts";
import type { OfferedItem, ReadItem, UnfitItem } from "../plan-item.ts";
import { checkEntryPath, findCollisions } from "../sources/entry-path.ts";
import type { FetchContext, OpenedSource, SourceEntry } from "../sources/fetch-context.ts";
import { filesBelow, skillFileOf } from "./inspect-item.ts";
import { placeName } from "./rename-item.ts";

interface ReadItemOptions extends Pick<FetchContext, "limits" | "signal"> {
  readonly rootName: string;
}

type Named = Pick<OfferedItem, "kind" | "name" | "folder" | "entry">;

/** From here on, no path of the source is opened again: these bytes are scanned, shown and placed. */
export async function readItem(
  opened: OpenedSource,
  offer: Named,
  { limits, rootName, signal }: ReadItemOptions,
): Promise<ReadItem | UnfitItem> {
  const { folder, kind, name } = offer;
  const entries = (await opened.expand?.(folder)) ?? opened.entries;
  const prefix = folder === "" ? "" : `${folder}/`;
  const below = filesBelow(entries, folder).filter(({ path }) => !isHidden(path));
  const nested = kind === "plugin" ? new Set<string>() : nestedSkills(below);
  const chosen =
    kind === "plugin" ? pluginEntries(below, offer) : below.filter((one) => !isInside(one, nested));
  const problem = findProblem(chosen, limits);
  if (problem !== undefined) return unfit(name, problem);
  const paths = chosen.map(({ path }) => `${prefix}${path}`);
  const read = await opened.read(paths, { signal });
  const excess = findExcess(
    read.map((file) => file.bytes.length),
    limits,
  );
  if (excess !== undefined) return unfit(name, excess);
  const followed = followLinks(read.map((file) => ({ ...file, path: file.path.slice(prefix.length) })));
  if ("problem" in followed) return unfit(name, followed.problem);
  const resolved = opened.resolvedOf?.(folder) ?? opened.resolved;
  const directoryName = folder === "" ? rootName : posix.basename(folder);
  // The root of an archive, a site or a registry's repository is not a folder that someone named after the skill.
  const hasFolder = folder !== "" || resolved.kind === "local" || resolved.kind === "git";
  const own =
    kind === "plugin"
      ? readPlugin(offer, followed.files)
      : readSkill(offer, followed.files, { directoryName, hasFolder });
  if ("state" in own) return own;
  return {
    ...own,
    state: "read",
    name: placeName(own.name, directoryName),
    digest: treeDigestOf(own.files),
    resolved,
    folder,
    ...(opened.identity !== undefined && { identity: opened.identity }),
    diagnostics: [...own.diagnostics, ...[...nested].map(nestedSkill)],
  };
}

function isHidden(path: string): boolean {
  return path === ".git" || path.startsWith(".git/") || path.includes("/.git/");
}

// Nested skills are not part of a skill, whose digest leaves them out; for a plugin, they are its content.
function nestedSkills(entries: readonly SourceEntry[]): ReadonlySet<string> {
  const files = entries.filter(({ path }) => /\/(?:SKILL|skill)\.md$/.test(path));
  return new Set(files.map(({ path }) => path.slice(0, path.lastIndexOf("/"))));
}

function isInside({ path }: SourceEntry, folders: ReadonlySet<string>): boolean {
  for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1))
    if (folders.has(path.slice(0, end))) return true;
  return false;
}

const PLUGIN_PARTS: readonly string[] = ["skills", "commands", "agents", "hooks", "mcpServers"];

// A marketplace may list some skills of its own repository as a plugin; the rest of the repository is not part of it.
function pluginEntries(entries: readonly SourceEntry[], { entry }: Named): readonly SourceEntry[] {
  if (entry?.strict !== false || !Array.isArray(entry.skills)) return entries;
  const roots = PLUGIN_PARTS.flatMap((key) => textsOf(entry, key)).map(trimPath);
  if (roots.length === 0 || roots.includes("")) return entries;
  return entries.filter(({ path }) => roots.some((root) => path === root || path.startsWith(`${root}/`)));
}

function findProblem(entries: readonly SourceEntry[], limits: HubLimits): string | undefined {
  if (entries.length === 0) return "it holds no files";
  if (entries.length > limits.maxSkillFiles)
    return `it has ${entries.length} files; at most ${limits.maxSkillFiles} are installed`;
  for (const { path, mode } of entries) {
    const problem = checkEntryPath(path);
    if (problem !== undefined) return `its path ${JSON.stringify(path.slice(0, 200))} ${problem}`;
    if (mode === "160000") return `${path} is a submodule, which is not fetched`;
  }
  const sizes = entries.map(({ size = 0 }) => size);
  return findExcess(sizes, limits) ?? findCollisions(entries.map(({ path }) => path));
}

function findExcess(sizes: readonly number[], { maxSkillBytes }: HubLimits): string | undefined {
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  return bytes > maxSkillBytes ? `it has ${bytes} bytes; at most ${maxSkillBytes} are installed` : undefined;
}

type Read = Pick<ReadItem, "kind" | "name" | "files" | "manifest" | "parts" | "diagnostics">;

function readSkill(
  offer: Named,
  files: readonly TreeFile[],
  { directoryName, hasFolder }: { readonly directoryName: string; readonly hasFolder: boolean },
): Read | UnfitItem {
  const main = skillFileOf(files);
  if (main === undefined) return unfit(offer.name, "it has no SKILL.md");
  // Includes the folder: a source may contain many skills, and a message must say which one it is about.
  const file = offer.folder === "" ? main.path : `${offer.folder}/${main.path}`;
  const { manifest, diagnostics } = parseSkillBytes(main.bytes, { file, directoryName });
  if (manifest === undefined) return unfit(offer.name, "its SKILL.md cannot be understood", diagnostics);
  const told = diagnostics.filter(({ code }) => hasFolder || code !== "name-directory-mismatch");
  return { kind: "skill", name: manifest.name, files, manifest, diagnostics: told };
}

function readPlugin(offer: Named, files: readonly TreeFile[]): Read | UnfitItem {
  const agentPlugin = agentPluginOf(files);
  if (agentPlugin !== undefined && agentPlugin.manifest === undefined)
    return unfit(offer.name, "its plugin.json is not a valid Agent Plugin manifest", agentPlugin.diagnostics);
  const { files: whole, parts, diagnostics } = readPluginParts(files, offer);
  const isEmpty = [parts.skills, parts.commands, parts.hooks, parts.mcpServers].every(
    ({ length }) => length === 0,
  );
  if (isEmpty) return unfit(offer.name, "it brings neither skills, commands, hooks nor servers", diagnostics);
  return { kind: "plugin", name: parts.name, files: whole, parts, diagnostics };
}

function nestedSkill(folder: string): Diagnostic {
  const message = `The folder ${folder} holds a skill of its own, which is not installed with this one.`;
  const hint = "Install it by its own name if you want it too.";
  return { code: "nested-skill", severity: "info", message, file: `${folder}/SKILL.md`, hint };
}

export function unfit(name: string, problem: string, diagnostics: readonly Diagnostic[] = []): UnfitItem {
  return { state: "unfit", name, problem, code: "unfit", diagnostics };
}

// Linux gives up after 40 links as well.
const MAX_LINKS = 40;

/** A link that leaves the skill would copy a file of the installing user, for example a key in their home. */
function followLinks(
  files: readonly TreeFile[],
): { readonly files: readonly TreeFile[] } | { readonly problem: string } {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const plain: TreeFile[] = [];
  for (const file of files) {
    const target = follow(file, byPath);
    if (target === undefined) {
      const text = new TextDecoder().decode(file.bytes).slice(0, 200);
      return { problem: `${file.path} is a link to ${JSON.stringify(text)}, which is not a file of it` };
    }
    plain.push({ ...target, path: file.path });
  }
  return { files: plain };
}

function follow(file: TreeFile, byPath: ReadonlyMap<string, TreeFile>): TreeFile | undefined {
  let current = file;
  for (let links = 0; links < MAX_LINKS && current.mode === "120000"; links++) {
    const text = new TextDecoder().decode(current.bytes);
    if (text.startsWith("/") || text.includes("\\") || text.includes("\0")) return undefined;
    const next = byPath.get(posix.join(posix.dirname(current.path), text));
    if (next === undefined) return undefined;
    current = next;
  }
  return current.mode === "120000" ? undefined : current;
}
