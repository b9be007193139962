import { lstatSync, type Stats } from "node:fs";
import { createPause } from "@skillet/kit/async";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { errorCode } from "@skillet/kit/errors";
import { pathBelow } from "../check-relative-path.ts";
import { isSkillFileName, PLURAL_FILE, SKILL_FILE } from "../skill-file-name.ts";
import { DirectoryMemo, type FolderFacts } from "./directory-memo.ts";
import { type FollowedLinks, followLinks, type LinkedFile, type OutsideLink } from "./follow-links.ts";
import { IGNORE_FILES, IgnoreFiles, type IgnoreRules } from "./ignore-rules.ts";
import { type DirectoryListing, listDirectory } from "./list-directory.ts";
import type { TraversalLimits } from "./traversal-limits.ts";
import * as say from "./walk-messages.ts";

export interface WalkOptions {
  readonly root: string;
  /** How the root is spelled in diagnostics. */
  readonly label: string;
  readonly limits: TraversalLimits;
  /** Canonical folders that links may lead into. */
  readonly allowedRoots: readonly string[];
  readonly layout: "skills" | "commands";
  readonly previous?: DirectoryMemo;
  readonly signal?: AbortSignal | undefined;
  /** Called for every skill file; false if it does not exist after all. */
  onSkill(found: FoundSkill): boolean;
  /** Called with the path of the link's folder; true if the target is searched as a root of its own. */
  readonly onOutside?: ((link: OutsideLink, folder: string) => boolean) | undefined;
}

/** A folder with a skill file, as the walk reached it. */
export interface FoundSkill {
  /** The folder itself, with every link in its path resolved. */
  readonly absolute: string;
  /** Relative to the root, if it was reached through a link; else see `relativePath`. */
  readonly linkPath: string | undefined;
  readonly name: string;
  readonly file: string;
  readonly linkedFile?: string;
  readonly node: number;
  /** The same folder in the earlier memo, or -1. */
  readonly previousNode: number;
  readonly hasAgentsFolder: boolean;
  /** The folder was not listed: if the file is missing or not a regular file, `onSkill` returns false. */
  readonly probing: boolean;
}

export function relativePath(root: string, found: Pick<FoundSkill, "absolute" | "linkPath">): string {
  return found.linkPath ?? found.absolute.slice(root.endsWith("/") ? root.length : root.length + 1);
}

export interface WalkResult {
  readonly memo: DirectoryMemo;
  /** True if every folder was as the earlier memo saw it. */
  readonly unchanged: boolean;
  /** Folders with a plugin manifest: in a folder such as `.claude-plugin`, or in `""`, which comes first. */
  readonly plugins: readonly { readonly path: string; readonly folder: string }[];
  readonly diagnostics: readonly Diagnostic[];
  /** False if a limit cut the walk short, so that the memo must not be kept. */
  readonly complete: boolean;
}

/** Walks a tree depth first, siblings in byte order, within limits and without leaving the allowed roots. */
export async function walkTree(options: WalkOptions): Promise<WalkResult> {
  options.signal?.throwIfAborted();
  const walk = new Walk(options);
  const pause = createPause(options.signal);
  while (walk.visitNext()) {
    const wait = pause();
    if (wait !== undefined) await wait;
  }
  return walk.result();
}

interface Folder extends Pick<FoundSkill, "node" | "name" | "absolute" | "linkPath" | "previousNode"> {
  readonly depth: number;
  readonly rules: IgnoreRules | undefined;
  /** The device of the folder above, if its link count proved that this file system counts sub-folders. */
  readonly leafDevice: number | undefined;
}

interface Children {
  readonly rules: IgnoreRules | undefined;
  readonly names: readonly string[];
  /** Targets of the children that are links. */
  readonly targets: ReadonlyMap<string, string> | undefined;
  /** The children's positions in the earlier memo: adjacent from this one on, or by name. */
  readonly previous: number | ReadonlyMap<string, number> | undefined;
}

/** A folder whose children are visited one by one: a queue of all would take more memory than the skills. */
interface Frame extends Children {
  readonly folder: Folder;
  readonly leafDevice: number | undefined;
  readonly firstChild: number;
  next: number;
}

class Walk {
  readonly #options: WalkOptions;
  readonly #memo = new DirectoryMemo();
  readonly #stack: Frame[] = [];
  readonly #entered: Set<string>;
  readonly #plugins: { path: string; folder: string }[] = [];
  readonly #plurals: { node: number; path: string }[] = [];
  readonly #report = new say.TraversalReport();
  readonly #ignoreFiles = new IgnoreFiles();
  #root: Folder | undefined;
  #entries = 0;
  #tooDeep = 0;
  #firstTooDeep = "";
  #complete = true;
  #unchanged = true;

  constructor(options: WalkOptions) {
    this.#options = options;
    const { root, label, previous } = options;
    this.#entered = new Set([root]);
    this.#memo.add("");
    this.#root = {
      node: 0,
      name: label.slice(label.lastIndexOf("/") + 1),
      absolute: root,
      linkPath: undefined,
      depth: 0,
      previousNode: previous === undefined ? -1 : 0,
      rules: undefined,
      leafDevice: undefined,
    };
  }

  visitNext(): boolean {
    const folder = this.#root ?? this.#nextFolder();
    if (folder === undefined) return false;
    this.#root = undefined;
    const stats = this.#look(folder, readStatus);
    if (stats?.isDirectory() && !this.#reuse(folder, stats) && !this.#takeLeaf(folder, stats))
      this.#list(folder, stats);
    return true;
  }

  result(): WalkResult {
    const { label, limits } = this.#options;
    if (this.#tooDeep > 0)
      this.#report.add({ ...say.tooDeep(this.#tooDeep, this.#firstTooDeep, limits), file: label });
    // Beside or above skills, SKILLS.md is an ordinary document.
    for (const { node, path } of this.#plurals)
      if (!this.#holdsSkill(node)) this.#say(path, say.misspelledFile(PLURAL_FILE, undefined));
    if (!this.#ignoreFiles.isComplete) this.#report.add({ ...say.ignoreWork(), file: label });
    return {
      memo: this.#memo,
      unchanged: this.#unchanged,
      plugins: this.#plugins,
      diagnostics: this.#report.diagnostics(label),
      complete: this.#complete,
    };
  }

  #nextFolder(): Folder | undefined {
    let frame = this.#stack.at(-1);
    while (frame !== undefined && frame.next >= frame.names.length) {
      this.#stack.pop();
      frame = this.#stack.at(-1);
    }
    if (frame === undefined) return undefined;
    const index = frame.next++;
    const name = frame.names[index] ?? "";
    const { folder, previous } = frame;
    const target = frame.targets?.get(name);
    return {
      node: frame.firstChild + index,
      name,
      absolute: target ?? `${folder.absolute}/${name}`,
      linkPath:
        target === undefined && folder.linkPath === undefined
          ? undefined
          : pathBelow(this.#pathOf(folder), name),
      depth: folder.depth + 1,
      previousNode: typeof previous === "number" ? previous + index : (previous?.get(name) ?? -1),
      rules: frame.rules,
      leafDevice: frame.leafDevice,
    };
  }

  // An unchanged folder has the same names as before, so it is not listed again.
  #reuse(folder: Folder, stats: Stats): boolean {
    const { previous, onSkill } = this.#options;
    const old = folder.previousNode;
    if (previous === undefined || old < 0 || folder.rules !== undefined || !previous.matches(old, stats))
      return false;
    const facts = previous.facts(old);
    if (!this.#count(facts.entryCount)) return true;
    this.#memo.setStamp(folder.node, stats);
    const { firstChild, childCount, skillFile } = facts;
    const names = childCount === 0 ? NO_NAMES : previous.names.slice(firstChild, firstChild + childCount);
    this.#enter(folder, stats, facts, { names, rules: undefined, targets: undefined, previous: firstChild });
    if (skillFile === 0) return true;
    const file = skillFile === 1 ? SKILL_FILE : "skill.md";
    onSkill(foundIn(folder, file, { hasAgentsFolder: names.includes("agents") }));
    return true;
  }

  // A folder with a SKILL.md but without sub-folders need not be listed. A link count of two means no
  // sub-folders (as in `find`), on file systems where the folder above has proved that links are counted.
  #takeLeaf(folder: Folder, stats: Stats): boolean {
    if (stats.nlink !== 2 || folder.leafDevice !== stats.dev || this.#options.layout !== "skills")
      return false;
    const probe = foundIn(folder, SKILL_FILE, { hasAgentsFolder: false, probing: true });
    if (!this.#options.onSkill(probe)) return false;
    this.#enter(folder, stats, LEAF, NO_CHILDREN);
    if (folder.rules === undefined) this.#settle(folder.node, stats);
    this.#count(1);
    return true;
  }

  #list(folder: Folder, stats: Stats): void {
    const listing = this.#look(folder, listDirectory);
    if (listing === undefined || !this.#count(listing.entryCount)) return;
    const rules = this.#extendRules(folder, listing);
    const tooDeepBefore = this.#tooDeep;
    const links = listing.links.length === 0 ? NO_LINKS : this.#followLinks(folder, listing);
    const targets = links.folders;
    const names = this.#admit(folder, [...listing.folders, ...targets.keys()], rules);
    const skillFile = listing.skillFile === undefined ? 0 : listing.skillFile === SKILL_FILE ? 1 : 2;
    const countsLinks = listing.directoryCount > 0 && stats.nlink === listing.directoryCount + 2;
    const { entryCount } = listing;
    const previous = this.#childrenByName(folder.previousNode);
    this.#enter(folder, stats, { entryCount, skillFile, countsLinks }, { names, rules, targets, previous });
    this.#reportOddities(folder, listing);
    // Elsewhere a leaf with a SKILL.md is not listed, so here too it is a skill whatever else it contains.
    if (listing.hasPluginFile && (skillFile === 0 || listing.directoryCount > 0))
      this.#plugins.push({ path: this.#pathOf(folder), folder: "" });
    if (listing.pluginFolder !== undefined)
      this.#plugins.push({ path: this.#pathOf(folder), folder: listing.pluginFolder });
    this.#offer(folder, listing, links.files);
    if (rules === undefined && isSettled(listing) && this.#tooDeep === tooDeepBefore)
      this.#settle(folder.node, stats);
  }

  #enter(
    folder: Folder,
    stats: Stats,
    facts: Pick<FolderFacts, "entryCount" | "skillFile" | "countsLinks">,
    children: Children,
  ): void {
    const { entryCount, skillFile, countsLinks } = facts;
    const firstChild = this.#memo.names.length;
    const childCount = children.names.length;
    for (const name of children.names) this.#memo.add(name);
    this.#memo.setFacts(folder.node, { firstChild, childCount, entryCount, skillFile, countsLinks });
    // Most folders below a skill contain no skill, so the listing is needed anyway.
    const leafDevice = countsLinks && skillFile === 0 ? stats.dev : undefined;
    if (childCount > 0) this.#stack.push({ ...children, folder, leafDevice, firstChild, next: 0 });
  }

  #settle(node: number, stats: Stats): void {
    this.#memo.setStamp(node, stats);
    this.#unchanged = false;
  }

  #offer(folder: Folder, listing: DirectoryListing, linked: readonly LinkedFile[]): void {
    const hasAgentsFolder = listing.folders.includes("agents");
    const files =
      this.#options.layout === "commands" ? listing.commandFiles : [listing.skillFile ?? []].flat();
    for (const file of files) this.#options.onSkill(foundIn(folder, file, { hasAgentsFolder }));
    // A skill is one file; a folder of commands may contain many links.
    const links = this.#options.layout === "commands" ? linked : linked.slice(0, files.length > 0 ? 0 : 1);
    for (const { file, canonical } of links)
      this.#options.onSkill({ ...foundIn(folder, file, { hasAgentsFolder }), linkedFile: canonical });
  }

  #look<Seen>(folder: Folder, read: (path: string) => Seen): Seen | undefined {
    try {
      return read(folder.absolute);
    } catch (error) {
      return this.#passOver(folder, error);
    }
  }

  #passOver(folder: Folder, error: unknown): undefined {
    const code = errorCode(error) ?? "unknown";
    // It existed a moment ago: someone is editing the tree, and the next reload sees the outcome.
    if (code !== "ENOENT" && code !== "ENOTDIR") this.#say(this.#pathOf(folder), say.unreadableFolder(code));
  }

  #extendRules(folder: Folder, listing: DirectoryListing): IgnoreRules | undefined {
    const links = listing.links.filter((name) => IGNORE_FILES.includes(name));
    if (listing.ignoreFiles.length === 0 && links.length === 0) return folder.rules;
    const path = this.#pathOf(folder);
    for (const name of links)
      this.#say(pathBelow(path, name), say.unreadableRules("It is a link, which is not followed here."));
    return this.#ignoreFiles.extend({
      absolute: folder.absolute,
      path,
      files: listing.ignoreFiles,
      outer: folder.rules,
      onProblem: (file, message) => this.#say(file, message),
    });
  }

  #followLinks(folder: Folder, listing: DirectoryListing): FollowedLinks {
    const { allowedRoots, layout, onOutside } = this.#options;
    const links = followLinks({
      absolute: folder.absolute,
      names: listing.links,
      allowedRoots,
      entered: this.#entered,
      onOutside: onOutside && ((link) => onOutside(link, this.#pathOf(folder))),
      isOffered: (name) => (layout === "commands" ? name.endsWith(".md") : isSkillFileName(name)),
      onProblem: (name, message) => this.#say(pathBelow(this.#pathOf(folder), name), message),
    });
    return links;
  }

  // The sub-folders to visit, within depth, ignore files and the limit.
  #admit(folder: Folder, names: readonly string[], rules: IgnoreRules | undefined): readonly string[] {
    const { limits } = this.#options;
    if (names.length === 0) return NO_NAMES;
    if (folder.depth >= limits.depth) {
      if (this.#tooDeep === 0) this.#firstTooDeep = pathBelow(this.#pathOf(folder), names[0] ?? "");
      this.#tooDeep += names.length;
      return NO_NAMES;
    }
    const visible =
      rules === undefined ? names : names.filter((name) => !this.#isIgnored(folder, name, rules));
    const room = limits.directories - this.#memo.names.length;
    if (visible.length <= room) return visible;
    this.#stopAt("directories");
    return visible.slice(0, Math.max(0, room));
  }

  #isIgnored(folder: Folder, name: string, rules: IgnoreRules): boolean {
    const path = pathBelow(this.#pathOf(folder), name);
    const file = this.#ignoreFiles.hiding(rules, path);
    if (file !== undefined) this.#say(path, say.ignoredFolder(file));
    return file !== undefined;
  }

  #childrenByName(previousNode: number): ReadonlyMap<string, number> | undefined {
    const { previous } = this.#options;
    if (previous === undefined || previousNode < 0) return undefined;
    const { firstChild, childCount } = previous.facts(previousNode);
    const names = previous.names.slice(firstChild, firstChild + childCount);
    return new Map(names.map((name, index) => [name, firstChild + index]));
  }

  #count(entries: number): boolean {
    this.#entries += entries;
    if (this.#entries <= this.#options.limits.entries) return true;
    this.#stopAt("entries");
    return false;
  }

  #stopAt(limit: "directories" | "entries"): void {
    if (this.#complete)
      this.#report.add({ ...say.tooMany(limit, this.#options.limits), file: this.#options.label });
    this.#complete = false;
  }

  #reportOddities(folder: Folder, listing: DirectoryListing): void {
    const path = this.#pathOf(folder);
    for (const name of listing.undecodable) this.#say(pathBelow(path, name), say.undecodableName());
    if (this.#options.layout === "commands") return;
    for (const name of listing.special) this.#say(pathBelow(path, name), say.specialFile());
    for (const name of listing.misspelled)
      if (name === PLURAL_FILE) this.#plurals.push({ node: folder.node, path: pathBelow(path, name) });
      else this.#say(pathBelow(path, name), say.misspelledFile(name, listing.skillFile));
  }

  #holdsSkill(node: number): boolean {
    const { firstChild, childCount, skillFile } = this.#memo.facts(node);
    if (skillFile !== 0) return true;
    for (let child = 0; child < childCount; child++) if (this.#holdsSkill(firstChild + child)) return true;
    return false;
  }

  #pathOf(folder: Folder): string {
    return relativePath(this.#options.root, folder);
  }

  #say(path: string, message: say.WalkMessage): void {
    this.#report.add({ ...message, file: pathBelow(this.#options.label, path) });
  }
}

const NO_NAMES: readonly string[] = [];
const NO_LINKS: FollowedLinks = { files: [], folders: new Map() };
const NO_CHILDREN: Children = { names: NO_NAMES, rules: undefined, targets: undefined, previous: undefined };
const LEAF = { entryCount: 1, skillFile: 1, countsLinks: false } as const;

const STATUS = { throwIfNoEntry: false } as const;

function readStatus(path: string): Stats | undefined {
  return lstatSync(path, STATUS);
}

// Written out: an object spread per skill takes as long as hashing its file.
function foundIn(
  folder: Folder,
  file: string,
  { hasAgentsFolder, probing = false }: { readonly hasAgentsFolder: boolean; readonly probing?: boolean },
): FoundSkill {
  const { name, absolute, linkPath, node, previousNode } = folder;
  return { name, absolute, linkPath, file, node, previousNode, hasAgentsFolder, probing };
}

// These entries can change their meaning without changing the folder's status.
function isSettled(listing: DirectoryListing): boolean {
  return (
    listing.links.length === 0 &&
    listing.ignoreFiles.length === 0 &&
    listing.pluginFolder === undefined &&
    !listing.hasPluginFile &&
    listing.misspelled.length === 0 &&
    listing.special.length === 0 &&
    listing.undecodable.length === 0
  );
}
