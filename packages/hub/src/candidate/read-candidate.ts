import { posix } from "node:path";
import type { TreeFile } from "@skillet/core";
import { parseSkillBytes } from "@skillet/core/internal";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { treeDigestOf } from "@skillet/kit/digest";
import { textsOf } from "@skillet/kit/json";
import type { Offer } from "../discover/find-offers.ts";
import { readPluginParts } from "../discover/read-plugin-parts.ts";
import type { HubLimits } from "../hub-limits.ts";
import { checkEntryPath, findCollisions } from "../sources/entry-path.ts";
import type { OpenedSource, SourceEntry } from "../sources/fetch-context.ts";
import type { Candidate, CandidateReading, UnfitCandidate } from "./candidate.ts";
import { placeName } from "./rename-candidate.ts";

interface ReadCandidateOptions {
  readonly limits: HubLimits;
  readonly rootName: string;
  readonly signal?: AbortSignal | undefined;
}

/** From here on no path of the source is opened again: what is scanned, shown and placed are these bytes. */
export async function readCandidate(
  opened: OpenedSource,
  offer: Offer,
  options: ReadCandidateOptions,
): Promise<CandidateReading> {
  const { folder, kind, name } = offer;
  const entries = (await opened.expand?.(folder)) ?? opened.entries;
  const { entries: own, nested } = ownEntries(entries, folder, kind);
  const chosen = kind === "plugin" ? pluginEntries(own, offer) : own;
  const problem = findProblem(chosen, options.limits);
  if (problem !== undefined) return unfit(name, problem);
  const prefix = folder === "" ? "" : `${folder}/`;
  const { signal } = options;
  const read = await opened.read(
    chosen.map(({ path }) => `${prefix}${path}`),
    { signal },
  );
  const bytes = read.reduce((sum, file) => sum + file.bytes.length, 0);
  if (bytes > options.limits.maxSkillBytes) return unfit(name, tooLarge(bytes, options.limits));
  const followed = followLinks(read.map((file) => ({ ...file, path: file.path.slice(prefix.length) })));
  if ("problem" in followed) return unfit(name, followed.problem);
  const place = { folder, opened, nested, rootName: options.rootName };
  return kind === "plugin"
    ? createPlugin(offer, followed.files, place)
    : createSkill(offer, followed.files, place);
}

interface Place {
  readonly folder: string;
  readonly opened: OpenedSource;
  readonly nested: readonly string[];
  readonly rootName: string;
}

// A marketplace may list some skills of its own repository as a plugin; the rest of the repository is not part of it.
function pluginEntries(entries: readonly SourceEntry[], offer: Offer): readonly SourceEntry[] {
  const { entry } = offer;
  if (entry?.strict !== false || !Array.isArray(entry.skills)) return entries;
  const roots = PLUGIN_PARTS.flatMap((key) => textsOf(entry, key)).map((item) =>
    item
      .split("/")
      .filter((part) => part !== "" && part !== ".")
      .join("/"),
  );
  if (roots.length === 0 || roots.includes("")) return entries;
  return entries.filter(({ path }) => roots.some((root) => path === root || path.startsWith(`${root}/`)));
}

const PLUGIN_PARTS: readonly string[] = ["skills", "commands", "agents", "hooks", "mcpServers"];

function findProblem(entries: readonly SourceEntry[], limits: HubLimits): string | undefined {
  if (entries.length === 0) return "it holds no files";
  if (entries.length > limits.maxSkillFiles)
    return `it has ${entries.length} files; at most ${limits.maxSkillFiles} are installed`;
  for (const { path, mode } of entries) {
    const problem = checkEntryPath(path);
    if (problem !== undefined) return `its path ${JSON.stringify(path.slice(0, 200))} ${problem}`;
    if (mode === "160000") return `${path} is a submodule, which is not fetched`;
  }
  const bytes = entries.reduce((sum, { size = 0 }) => sum + size, 0);
  if (bytes > limits.maxSkillBytes) return tooLarge(bytes, limits);
  return findCollisions(entries.map(({ path }) => path));
}

function createSkill(offer: Offer, files: readonly TreeFile[], place: Place): CandidateReading {
  const { folder, nested } = place;
  const main = files.find(({ path }) => path === "SKILL.md") ?? files.find(({ path }) => path === "skill.md");
  if (main === undefined) return unfit(offer.name, "it has no SKILL.md");
  const directoryName = folder === "" ? place.rootName : folder.slice(folder.lastIndexOf("/") + 1);
  const { manifest, diagnostics } = parseSkillBytes(main.bytes, { file: main.path, directoryName });
  if (manifest === undefined)
    return { ...unfit(offer.name, "its SKILL.md cannot be understood"), diagnostics };
  const told = hasFolder(place) ? diagnostics : diagnostics.filter(({ code }) => code !== FOLDER_NAME);
  const notes = nested.map((inner): Diagnostic => nestedSkill(inner));
  return finish(
    { kind: "skill", name: manifest.name, manifest, diagnostics: [...told, ...notes] },
    files,
    place,
  );
}

const FOLDER_NAME = "name-directory-mismatch";

// What lies at the root of an archive, a site or a registry's repository lies in no folder that someone named after it.
function hasFolder({ folder, opened }: Place): boolean {
  const { kind } = opened.resolvedOf?.(folder) ?? opened.resolved;
  return folder !== "" || kind === "local" || kind === "git";
}

function createPlugin(offer: Offer, files: readonly TreeFile[], place: Place): CandidateReading {
  const { files: whole, parts, diagnostics } = readPluginParts(files, offer);
  if (parts.skills.length + parts.commands.length + parts.hooks.length + parts.mcpServers.length === 0)
    return { ...unfit(offer.name, "it brings neither skills, commands, hooks nor servers"), diagnostics };
  return finish({ kind: "plugin", name: parts.name, parts, diagnostics }, whole, place);
}

type Read = Pick<Candidate, "kind" | "name" | "manifest" | "parts" | "diagnostics">;

function finish(read: Read, files: readonly TreeFile[], { folder, opened, rootName }: Place): Candidate {
  const fallback = folder === "" ? rootName : folder.slice(folder.lastIndexOf("/") + 1);
  const digest = treeDigestOf(files);
  return {
    ...read,
    name: placeName(read.name, fallback),
    files,
    digest,
    resolved: opened.resolvedOf?.(folder) ?? opened.resolved,
    folder,
    ...(opened.identity !== undefined && { identity: opened.identity }),
  };
}

function nestedSkill(folder: string): Diagnostic {
  const message = `The folder ${folder} holds a skill of its own, which is not installed with this one.`;
  const hint = "Install it by its own name if you want it too.";
  return { code: "nested-skill", severity: "info", message, file: `${folder}/SKILL.md`, hint };
}

function tooLarge(bytes: number, limits: HubLimits): string {
  return `it has ${bytes} bytes; at most ${limits.maxSkillBytes} are installed`;
}

function unfit(name: string, problem: string): UnfitCandidate {
  return { name, problem, diagnostics: [] };
}

// Linux gives up after 40 links as well.
const MAX_LINKS = 40;

/** A link that leaves the skill would copy a file of whoever installs it, such as a key in their home. */
function followLinks(
  files: readonly TreeFile[],
): { readonly files: readonly TreeFile[] } | { readonly problem: string } {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const plain: TreeFile[] = [];
  for (const file of files) {
    const target = file.mode === "120000" ? follow(file, byPath) : file;
    if (target === undefined) {
      const text = new TextDecoder().decode(file.bytes).slice(0, 200);
      return { problem: `${file.path} is a link to ${JSON.stringify(text)}, which is not a file of it` };
    }
    plain.push({ ...target, path: file.path });
  }
  return { files: plain };
}

function follow(link: TreeFile, byPath: ReadonlyMap<string, TreeFile>): TreeFile | undefined {
  let current = link;
  for (let links = 0; links < MAX_LINKS && current.mode === "120000"; links++) {
    const text = new TextDecoder().decode(current.bytes);
    if (text.startsWith("/") || text.includes("\\") || text.includes("\0")) return undefined;
    const next = byPath.get(posix.join(posix.dirname(current.path), text));
    if (next === undefined) return undefined;
    current = next;
  }
  return current.mode === "120000" ? undefined : current;
}

interface OwnEntries {
  readonly entries: readonly SourceEntry[];
  readonly nested: readonly string[];
}

/**
 * What belongs to a skill: everything in its folder but `.git` and nested skills, as its digest counts it.
 *
 * Of a plugin, nested skills are what it is for.
 */
function ownEntries(all: readonly SourceEntry[], folder: string, kind: "skill" | "plugin"): OwnEntries {
  const prefix = folder === "" ? "" : `${folder}/`;
  const below = all
    .filter(({ path }) => path.startsWith(prefix) && !isHidden(path.slice(prefix.length)))
    .map((entry) => ({ ...entry, path: entry.path.slice(prefix.length) }));
  if (kind === "plugin") return { entries: below, nested: [] };
  const nested = below
    .filter(({ path }) => /\/(?:SKILL|skill)\.md$/.test(path))
    .map(({ path }) => path.slice(0, path.lastIndexOf("/")));
  const inner = new Set(nested);
  const entries = below.filter(({ path }) => !isInside(path, inner));
  return { entries, nested: [...inner] };
}

function isInside(path: string, folders: ReadonlySet<string>): boolean {
  for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1))
    if (folders.has(path.slice(0, end))) return true;
  return false;
}

function isHidden(path: string): boolean {
  return path === ".git" || path.startsWith(".git/") || path.includes("/.git/");
}
