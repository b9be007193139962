import { posix } from "node:path";
import { AGENTS, parseSkillBytes, readAgentPlugin } from "@skillet/core/internal";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { asObject, type JsonObject, parseJsonObject, textOf } from "@skillet/kit/json";
import type { OfferedItem } from "../plan-item.ts";
import type { OpenedSource, SourceEntry } from "../sources/fetch-context.ts";
import { isAgentPluginSkill, pluginManifests } from "./plugin-documents.ts";
import { MARKETPLACE_FILES, readMarketplace } from "./read-marketplace.ts";

interface OfferRequest {
  readonly folder: string;
  /** The requested names; if there are any, only folders that could have them are read. */
  readonly names: readonly string[];
  readonly rootName: string;
  readonly signal?: AbortSignal | undefined;
}

export interface FoundOffers {
  readonly offers: readonly OfferedItem[];
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Names are inside the files, and a repository may contain thousands of them. A requested name is usually the
 * folder's, so those folders are read first, and all others only if that was not enough.
 */
export async function findOffers(opened: OpenedSource, request: OfferRequest): Promise<FoundOffers> {
  const { folder, signal } = request;
  const plugins = await findPlugins(opened, request);
  const places = placesIn(opened, folder).filter(({ file }) => plugins.holds(file));
  const folders = await withoutOwnDependencies(opened, places, folder, signal);
  const skills = await readNamed(opened, folders, { ...request, plugins: plugins.offers });
  const { kept, diagnostics } = withoutShadowed(skills, folders);
  return {
    offers: [...kept.map((offer) => partOf(offer, plugins.offers)), ...plugins.offers],
    diagnostics: [...diagnostics, ...plugins.diagnostics],
  };
}

/** The skill's name without the plugin's in `plugin:skill`. */
export function bareName(name: string): string {
  return name.slice(name.indexOf(":") + 1);
}

// A package declares where its skills are; its other folders are internal.
function placesIn(opened: OpenedSource, below: string): readonly SkillFolder[] {
  const folders = skillFolders(opened.entries, below);
  if (opened.skillFolders === undefined) return folders;
  const declared = new Set(opened.skillFolders);
  const known = new Set(folders.map(({ folder }) => folder));
  const prefix = below === "" ? "" : `${below}/`;
  const unusual = [...declared]
    .filter((folder) => !known.has(folder) && `${folder}/`.startsWith(prefix))
    .map((folder) => ({ folder, file: folder === "" ? "SKILL.md" : `${folder}/SKILL.md`, rank: LAST_RANK }));
  return [...folders.filter(({ folder }) => declared.has(folder)), ...unusual];
}

const LAST_RANK = 4;

async function readNamed(
  opened: OpenedSource,
  folders: readonly SkillFolder[],
  request: OfferRequest & { readonly plugins: readonly OfferedItem[] },
): Promise<readonly OfferedItem[]> {
  const { names, plugins } = request;
  if (names.length === 0) return readSkills(opened, folders, request);
  const wanted = new Set(names.map(bareName));
  const likely = await readSkills(
    opened,
    folders.filter(({ folder }) => wanted.has(posix.basename(folder))),
    request,
  );
  const isMet = (name: string): boolean =>
    likely.some((offer) => offer.name === bareName(name)) ||
    plugins.some((offer) => offer.name === name || `plugin:${offer.name}` === name);
  return names.every(isMet) ? likely : readSkills(opened, folders, request);
}

async function readSkills(
  opened: OpenedSource,
  folders: readonly SkillFolder[],
  { rootName, signal }: Pick<OfferRequest, "rootName" | "signal">,
): Promise<readonly OfferedItem[]> {
  const untold = folders.filter(({ folder }) => opened.summaries?.has(folder) !== true);
  const paths = untold.map(({ file }) => file);
  const bytesOf = new Map((await opened.read(paths, { signal })).map(({ path, bytes }) => [path, bytes]));
  return folders.flatMap(({ folder, file }): OfferedItem[] => {
    const summary = opened.summaries?.get(folder);
    if (summary !== undefined)
      return [{ state: "offered", kind: "skill", folder, internal: false, ...summary }];
    const bytes = bytesOf.get(file);
    return bytes === undefined ? [] : [skillOffer(folder, bytes, rootName)];
  });
}

// Faults of a header are reported when the whole skill is read; a list needs only its name.
function skillOffer(folder: string, bytes: Uint8Array, rootName: string): OfferedItem {
  const directoryName = folder === "" ? rootName : posix.basename(folder);
  const { manifest } = parseSkillBytes(bytes, { directoryName });
  return {
    state: "offered",
    kind: "skill",
    name: manifest?.name ?? directoryName,
    description: manifest?.description ?? "",
    folder,
    internal: manifest?.invocation.internal ?? false,
  };
}

/** For each name, the best place wins; offers in equally good places all stay, and the caller must pick. */
function withoutShadowed(
  offers: readonly OfferedItem[],
  folders: readonly SkillFolder[],
): { readonly kept: readonly OfferedItem[]; readonly diagnostics: readonly Diagnostic[] } {
  const rankOf = new Map(folders.map(({ folder, rank }) => [folder, rank]));
  const best = new Map<string, { readonly rank: number; readonly folder: string }>();
  const kept: OfferedItem[] = [];
  const diagnostics: Diagnostic[] = [];
  for (const offer of offers) {
    const rank = rankOf.get(offer.folder) ?? LAST_RANK;
    const first = best.get(offer.name);
    if (first === undefined) best.set(offer.name, { rank, folder: offer.folder });
    if (first === undefined || first.rank === rank) kept.push(offer);
    else diagnostics.push(shadowed(offer, first.folder));
  }
  return { kept, diagnostics };
}

function shadowed({ name, folder }: OfferedItem, by: string): Diagnostic {
  const message = `The source holds ${name} in ${by === "" ? "its root" : by} too, which is the one that is meant.`;
  const hint = "To install this one, add its folder to the source.";
  return { code: "offer-shadowed", severity: "info", message, file: `${folder}/SKILL.md`, hint };
}

function partOf(offer: OfferedItem, plugins: readonly OfferedItem[]): OfferedItem {
  const here = plugins.filter(({ elsewhere }) => elsewhere === undefined);
  const plugin =
    here.find(({ folder, entry }) =>
      folder === "" ? lists(entry?.skills, offer.folder) : offer.folder.startsWith(`${folder}/`),
    ) ?? here.find(({ folder, entry }) => folder === "" && !Array.isArray(entry?.skills));
  return plugin === undefined ? offer : { ...offer, plugin: plugin.name };
}

/** Several plugins of a marketplace may share its root; one that does not list its skills gets the rest. */
function lists(skills: unknown, folder: string): boolean {
  return (
    Array.isArray(skills) &&
    skills.some((path) => typeof path === "string" && posix.join("./", path).replace(/\/$/, "") === folder)
  );
}

/** The plugins that a folder of a source is or lists; plugins deeper in the source are offered as their skills. */
async function findPlugins(
  opened: OpenedSource,
  { folder, rootName, signal }: Pick<OfferRequest, "folder" | "rootName" | "signal">,
): Promise<FoundOffers & { /** Whether a file may belong to a skill. */ holds(file: string): boolean }> {
  const prefix = folder === "" ? "" : `${folder}/`;
  const lists = MARKETPLACE_FILES.map((name) => `${prefix}${name}`);
  const root = `${prefix}plugin.json`;
  const manifests = pluginManifests(folder);
  const bytesOf = await readPresent(opened, [...lists, root, ...manifests], signal);
  const list = lists.find((path) => bytesOf.has(path));
  const listed = list && bytesOf.get(list);
  const { offers, diagnostics } =
    list && listed ? readMarketplace(listed, list, folder) : { offers: [], diagnostics: [] };
  const agentPlugin = readAgentPlugin(bytesOf.get(root) ?? new Uint8Array(), root);
  const dotFolder = manifests.find((path) => bytesOf.has(path));
  // An invalid plugin is offered as well, under some name, and refused with the reason when it is read.
  const own = agentPlugin
    ? pluginOffer({ name: rootName, ...agentPlugin.manifest }, folder)
    : dotFolder && pluginOffer(parseJsonObject(bytesOf.get(dotFolder)), folder);
  const isListed = own && offers.some(({ name }) => name === own.name);
  return {
    offers: own && !isListed ? [own, ...offers] : offers,
    diagnostics,
    holds: (file) =>
      agentPlugin === undefined ||
      (agentPlugin.manifest !== undefined && isAgentPluginSkill(file.slice(prefix.length))),
  };
}

/** Those of the wanted paths that are files of the source, with their bytes. */
async function readPresent(
  opened: OpenedSource,
  wanted: readonly string[],
  signal: AbortSignal | undefined,
): Promise<ReadonlyMap<string, Uint8Array>> {
  const isFile = ({ mode }: SourceEntry): boolean => mode === "644" || mode === "755";
  const paths = opened.entries
    .filter((one) => isFile(one) && wanted.includes(one.path))
    .map(({ path }) => path);
  const files = paths.length === 0 ? [] : await opened.read(paths, { signal });
  return new Map(files.map(({ path, bytes }) => [path, bytes]));
}

function pluginOffer(manifest: JsonObject | undefined, folder: string): OfferedItem | undefined {
  const name = textOf(manifest, "name");
  if (name === undefined) return undefined;
  const description = textOf(manifest, "description") ?? "";
  return { state: "offered", kind: "plugin", name, description, folder, internal: false };
}

interface SkillFolder {
  readonly folder: string;
  readonly file: string;
  /** Of two skills with the same name, the one with the lower rank wins. */
  readonly rank: number;
}

/**
 * Every folder with a SKILL.md below `below`: the root, then `skills`, its hidden collections, agents'
 * folders, and the rest; within each group shallow folders first, then in byte order.
 *
 * Copies kept by builds, package managers or version control are not offered; `dist/skills` is where packages
 * ship theirs.
 */
function skillFolders(entries: readonly SourceEntry[], below: string): readonly SkillFolder[] {
  const prefix = below === "" ? "" : `${below}/`;
  const found = new Map<string, SkillFolder>();
  for (const { path, mode } of entries) {
    if (!path.startsWith(prefix) || mode === "160000") continue;
    const slash = path.lastIndexOf("/");
    if (!SKILL_FILES.has(path.slice(slash + 1))) continue;
    const folder = slash < 0 ? "" : path.slice(0, slash);
    if (folder.length < below.length || isSkipped(folder.slice(prefix.length))) continue;
    // Entries are in byte order, so the standard spelling comes first.
    if (!found.has(folder))
      found.set(folder, { folder, file: path, rank: rankOf(folder.slice(prefix.length)) });
  }
  const depth = ({ folder }: SkillFolder): number => folder.split("/").length;
  return [...found.values()].sort((left, right) => left.rank - right.rank || depth(left) - depth(right));
}

function isAgentFolder(folder: string): boolean {
  return AGENT_FOLDERS.some((own) => folder.startsWith(`${own}/`));
}

const SKILL_FILES: ReadonlySet<string> = new Set(["SKILL.md", "skill.md"]);
const SKIPPED: ReadonlySet<string> = new Set([".git", "node_modules", "dist", "build", "__pycache__"]);
const COLLECTIONS = /^skills\/\.(?:curated|experimental|system)\//;
// `skills` is both an agent's folder and the common one.
const AGENT_FOLDERS: readonly string[] = [
  ...new Set(AGENTS.flatMap(({ projectReads }) => projectReads)),
].filter((folder) => folder !== "skills");

function isSkipped(folder: string): boolean {
  const parts = folder.split("/");
  return parts.some(
    (part, index) => SKIPPED.has(part) && !(part === "dist" && parts[index + 1] === "skills"),
  );
}

function rankOf(folder: string): number {
  if (folder === "") return 0;
  if (/^skills\/[^./][^/]*$/.test(folder)) return 1;
  if (COLLECTIONS.test(folder)) return 2;
  return isAgentFolder(folder) ? 3 : 4;
}

const LOCKS: readonly string[] = ["skills-lock.json", "skillet.lock"];

/** Leaves out skills that a source only uses: those in agents' folders that its own lock lists as installed. */
async function withoutOwnDependencies(
  opened: OpenedSource,
  folders: readonly SkillFolder[],
  below: string,
  signal: AbortSignal | undefined,
): Promise<readonly SkillFolder[]> {
  const prefix = below === "" ? "" : `${below}/`;
  if (!folders.some(({ folder }) => isAgentFolder(folder.slice(prefix.length)))) return folders;
  const paths = LOCKS.map((name) => `${prefix}${name}`);
  const locks = [...(await readPresent(opened, paths, signal)).values()];
  const names = new Set(
    locks.flatMap((bytes) => Object.keys(asObject(parseJsonObject(bytes)?.skills) ?? {})),
  );
  return folders.filter(({ folder }) => {
    const path = folder.slice(prefix.length);
    return !(isAgentFolder(path) && names.has(path.slice(path.lastIndexOf("/") + 1)));
  });
}
