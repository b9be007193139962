import { lstatSync, type Stats } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { errorCode } from "@skillet/kit/errors";
import { isSkillFileName, SKILL_FILE } from "../skill-file-name.ts";
import { type DirectoryMemo, DirectoryMemoBuilder } from "./directory-memo.ts";
import { type FollowedLinks, followLinks, type LinkedFile } from "./follow-links.ts";
import { type FoundSkill, relativePath } from "./found-skill.ts";
import { IGNORE_FILES, IgnoreFiles, type IgnoreRules } from "./ignore-rules.ts";
import { type DirectoryListing, listDirectory } from "./list-directory.ts";
import type { TraversalLimits } from "./traversal-limits.ts";
import { TraversalReport } from "./traversal-report.ts";
import * as say from "./walk-messages.ts";

export interface WalkOptions {
  /** Canonical. */
  readonly root: string;
  /** How the root is spelled in diagnostics. */
  readonly label: string;
  readonly limits: TraversalLimits;
  /** Canonical folders that links may lead into. */
  readonly allowedRoots: readonly string[];
  readonly layout: "skills" | "commands";
  readonly previous?: DirectoryMemo;
  readonly signal?: AbortSignal;
  /** Called for every skill file; false says that it is not there after all. */
  onSkill(found: FoundSkill): boolean;
}

export interface WalkResult {
  readonly memo: DirectoryMemoBuilder;
  /** True when every folder was as the earlier memo saw it. */
  readonly unchanged: boolean;
  readonly followedLinks: boolean;
  /** Folders that hold a plugin manifest folder, such as `.claude-plugin`. */
  readonly plugins: readonly { readonly path: string; readonly folder: string }[];
  readonly diagnostics: readonly Diagnostic[];
  /** False when a limit cut the walk short, so that the memo must not be kept. */
  readonly complete: boolean;
}

// Long walks hand the thread back now and then: hosts have other things to do.
const TURN_MS = 30;
const FOLDERS_BETWEEN_CLOCK_READS = 64;

/** Walks a tree depth first, siblings in byte order, within limits and without leaving the allowed roots. */
export async function walkTree(options: WalkOptions): Promise<WalkResult> {
  options.signal?.throwIfAborted();
  const walk = new Walk(options);
  let turnStarted = Date.now();
  for (let count = 1; walk.visitNext(); count++) {
    if (count % FOLDERS_BETWEEN_CLOCK_READS !== 0 || Date.now() - turnStarted < TURN_MS) continue;
    await nextTurn();
    options.signal?.throwIfAborted();
    turnStarted = Date.now();
  }
  return walk.result();
}

interface Folder {
  readonly node: number;
  readonly name: string;
  readonly absolute: string;
  readonly linkPath: string | undefined;
  readonly depth: number;
  readonly previousNode: number;
  readonly rules: IgnoreRules | undefined;
  /** The device of the folder above, when its link count proved that this file system counts sub-folders. */
  readonly leafDevice: number | undefined;
}

/** A folder whose children are being visited, one at a time: a queue of all of them would outweigh the skills. */
interface Frame {
  readonly folder: Folder;
  readonly rules: IgnoreRules | undefined;
  readonly leafDevice: number | undefined;
  readonly firstChild: number;
  readonly names: readonly string[];
  /** Where children are that were reached through a link. */
  readonly targets: ReadonlyMap<string, string> | undefined;
  /** The children's places in the earlier memo: one after the other, or by name. */
  readonly previous: number | ReadonlyMap<string, number> | undefined;
  next: number;
}

class Walk {
  readonly #options: WalkOptions;
  readonly #memo = new DirectoryMemoBuilder();
  readonly #stack: Frame[] = [];
  readonly #entered: Set<string>;
  readonly #plugins: { path: string; folder: string }[] = [];
  readonly #report = new TraversalReport();
  readonly #ignoreFiles = new IgnoreFiles();
  #started = false;
  #entries = 0;
  #tooDeep = 0;
  #firstTooDeep = "";
  #complete = true;
  #unchanged = true;
  #followedLinks = false;

  constructor(options: WalkOptions) {
    this.#options = options;
    this.#entered = new Set([options.root]);
    this.#memo.add("");
  }

  visitNext(): boolean {
    const folder = this.#started ? this.#nextFolder() : this.#rootFolder();
    if (folder === undefined) return false;
    const stats = this.#statusOf(folder);
    if (stats?.isDirectory() && !this.#reuse(folder, stats) && !this.#takeLeaf(folder, stats))
      this.#list(folder, stats);
    return true;
  }

  result(): WalkResult {
    const { label, limits } = this.#options;
    if (this.#tooDeep > 0)
      this.#report.add({ ...say.tooDeep(this.#tooDeep, this.#firstTooDeep, limits), file: label });
    if (!this.#ignoreFiles.isComplete) this.#report.add({ ...say.ignoreWork(), file: label });
    return {
      memo: this.#memo,
      unchanged: this.#unchanged,
      followedLinks: this.#followedLinks,
      plugins: this.#plugins,
      diagnostics: this.#report.diagnostics(label),
      complete: this.#complete,
    };
  }

  #rootFolder(): Folder {
    this.#started = true;
    const { root, label, previous } = this.#options;
    const previousNode = previous === undefined ? -1 : 0;
    return {
      node: 0,
      name: label.slice(label.lastIndexOf("/") + 1),
      absolute: root,
      linkPath: undefined,
      depth: 0,
      previousNode,
      rules: undefined,
      leafDevice: undefined,
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
        target === undefined && folder.linkPath === undefined ? undefined : join(this.#pathOf(folder), name),
      depth: folder.depth + 1,
      previousNode: typeof previous === "number" ? previous + index : (previous?.get(name) ?? -1),
      rules: frame.rules,
      leafDevice: frame.leafDevice,
    };
  }

  // An unchanged folder holds the same names as before, so its listing is not read again.
  #reuse(folder: Folder, stats: Stats): boolean {
    const { previous } = this.#options;
    const { node, previousNode: old } = folder;
    if (previous === undefined || old < 0 || folder.rules !== undefined || !previous.matches(old, stats))
      return false;
    const entryCount = previous.entryCount(old);
    const skillFile = previous.skillFile(old);
    const childCount = previous.childCount(old);
    if (!this.#count(entryCount)) return true;
    this.#memo.setStamp(node, stats);
    let names: readonly string[] = NO_NAMES;
    const countsLinks = previous.countsLinks(old);
    if (childCount > 0) {
      const first = previous.firstChild(old);
      names = previous.names.slice(first, first + childCount);
      this.#push({
        folder,
        rules: undefined,
        // As after a listing: what changed below is looked at as it would be without a memo.
        leafDevice: leafDeviceOf(stats, countsLinks, skillFile),
        names,
        targets: undefined,
        previous: first,
      });
    }
    this.#memo.setListing(node, {
      firstChild: this.#memo.names.length - childCount,
      childCount,
      entryCount,
      skillFile,
      countsLinks,
    });
    if (skillFile !== 0)
      this.#options.onSkill(
        foundIn(folder, skillFile === 1 ? SKILL_FILE : "skill.md", {
          hasAgentsFolder: names.includes("agents"),
        }),
      );
    return true;
  }

  // A folder without sub-folders that has a SKILL.md needs no listing. Its link count says so (two, as in `find`),
  // on file systems where the folder above has proved that links are counted.
  #takeLeaf(folder: Folder, stats: Stats): boolean {
    if (stats.nlink !== 2 || folder.leafDevice !== stats.dev || this.#options.layout !== "skills")
      return false;
    const { node } = folder;
    const probe = foundIn(folder, SKILL_FILE, { hasAgentsFolder: false, probing: true });
    if (!this.#options.onSkill(probe)) return false;
    this.#memo.setListing(node, {
      firstChild: 0,
      childCount: 0,
      entryCount: 1,
      skillFile: 1,
      countsLinks: false,
    });
    if (folder.rules === undefined) this.#settle(node, stats);
    this.#count(1);
    return true;
  }

  #list(folder: Folder, stats: Stats): void {
    const listing = this.#listingOf(folder);
    if (listing === undefined || !this.#count(listing.entryCount)) return;
    const rules = this.#extendRules(folder, listing);
    const tooDeepBefore = this.#tooDeep;
    const links = listing.links.length === 0 ? NO_LINKS : this.#followLinks(folder, listing);
    const targets = links.folders;
    const names = this.#admit(folder, [...listing.folders, ...targets.keys()], rules);
    const skillFile = listing.skillFile === undefined ? 0 : listing.skillFile === SKILL_FILE ? 1 : 2;
    const countsLinks = listing.directoryCount > 0 && stats.nlink === listing.directoryCount + 2;
    if (names.length > 0)
      this.#push({
        folder,
        rules,
        leafDevice: leafDeviceOf(stats, countsLinks, skillFile),
        names,
        targets: targets.size === 0 ? undefined : targets,
        previous: this.#childrenByName(folder.previousNode),
      });
    const childCount = names.length;
    const firstChild = this.#memo.names.length - childCount;
    const { entryCount } = listing;
    this.#memo.setListing(folder.node, { firstChild, childCount, entryCount, skillFile, countsLinks });
    this.#reportOddities(folder, listing);
    if (listing.pluginFolder !== undefined)
      this.#plugins.push({ path: this.#pathOf(folder), folder: listing.pluginFolder });
    this.#offer(folder, listing, links.files);
    if (rules === undefined && isSettled(listing) && this.#tooDeep === tooDeepBefore)
      this.#settle(folder.node, stats);
  }

  #push(frame: Omit<Frame, "firstChild" | "next">): void {
    const firstChild = this.#memo.names.length;
    for (const name of frame.names) this.#memo.add(name);
    this.#stack.push({ ...frame, firstChild, next: 0 });
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
    // A skill is one file; a folder of commands may hold many links.
    const links = this.#options.layout === "commands" ? linked : linked.slice(0, files.length > 0 ? 0 : 1);
    for (const { file, canonical } of links)
      this.#options.onSkill({ ...foundIn(folder, file, { hasAgentsFolder }), linkedFile: canonical });
  }

  #statusOf(folder: Folder): Stats | undefined {
    try {
      return lstatSync(folder.absolute, STATUS);
    } catch (error) {
      return this.#passOver(folder, error);
    }
  }

  #listingOf(folder: Folder): DirectoryListing | undefined {
    try {
      return listDirectory(folder.absolute);
    } catch (error) {
      return this.#passOver(folder, error);
    }
  }

  #passOver(folder: Folder, error: unknown): undefined {
    const code = errorCode(error) ?? "unknown";
    // It was there a moment ago; someone is editing the tree, and the next reload sees the outcome.
    if (code !== "ENOENT" && code !== "ENOTDIR") this.#say(this.#pathOf(folder), say.unreadableFolder(code));
  }

  #extendRules(folder: Folder, listing: DirectoryListing): IgnoreRules | undefined {
    const links = listing.links.filter((name) => IGNORE_FILES.includes(name));
    if (listing.ignoreFiles.length === 0 && links.length === 0) return folder.rules;
    const path = this.#pathOf(folder);
    for (const name of links)
      this.#say(join(path, name), say.unreadableRules("It is a link, which is not followed here."));
    return this.#ignoreFiles.extend({
      absolute: folder.absolute,
      path,
      files: listing.ignoreFiles,
      outer: folder.rules,
      onProblem: (file, message) => this.#say(file, message),
    });
  }

  #followLinks(folder: Folder, listing: DirectoryListing): FollowedLinks {
    const { allowedRoots, layout } = this.#options;
    const links = followLinks({
      absolute: folder.absolute,
      names: listing.links,
      allowedRoots,
      entered: this.#entered,
      isOffered: (name) => (layout === "commands" ? name.endsWith(".md") : isSkillFileName(name)),
    });
    if (links.files.length > 0 || links.folders.size > 0) this.#followedLinks = true;
    for (const { name, message } of links.messages) this.#say(join(this.#pathOf(folder), name), message);
    return links;
  }

  // The sub-folders that may be visited, as far as depth, ignore files and the limit let them.
  #admit(folder: Folder, names: readonly string[], rules: IgnoreRules | undefined): readonly string[] {
    const { limits } = this.#options;
    if (names.length === 0) return NO_NAMES;
    if (folder.depth >= limits.depth) {
      if (this.#tooDeep === 0) this.#firstTooDeep = join(this.#pathOf(folder), names[0] ?? "");
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
    const path = join(this.#pathOf(folder), name);
    const file = this.#ignoreFiles.hiding(rules, path);
    if (file !== undefined) this.#say(path, say.ignoredFolder(file));
    return file !== undefined;
  }

  #childrenByName(previousNode: number): ReadonlyMap<string, number> | undefined {
    const { previous } = this.#options;
    if (previous === undefined || previousNode < 0) return undefined;
    const first = previous.firstChild(previousNode);
    const names = previous.names.slice(first, first + previous.childCount(previousNode));
    return new Map(names.map((name, index) => [name, first + index]));
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
    for (const name of listing.undecodable) this.#say(join(path, name), say.undecodableName());
    if (this.#options.layout === "commands") return;
    for (const name of listing.special) this.#say(join(path, name), say.specialFile());
    for (const name of listing.misspelled)
      this.#say(join(path, name), say.misspelledFile(name, listing.skillFile));
  }

  #pathOf(folder: Folder): string {
    return relativePath(this.#options.root, folder);
  }

  #say(path: string, message: say.WalkMessage): void {
    this.#report.add({ ...message, file: join(this.#options.label, path) });
  }
}

const NO_NAMES: readonly string[] = [];
const NO_LINKS: FollowedLinks = { files: [], folders: new Map(), messages: [] };
const STATUS = { throwIfNoEntry: false } as const;

// Below a skill most folders hold no skill, so the listing is needed anyway.
function leafDeviceOf(stats: Stats, countsLinks: boolean, skillFile: number): number | undefined {
  return countsLinks && skillFile === 0 ? stats.dev : undefined;
}

// Written out: spreading an object for each skill takes as long as hashing its file.
function foundIn(
  folder: Folder,
  file: string,
  { hasAgentsFolder, probing = false }: { readonly hasAgentsFolder: boolean; readonly probing?: boolean },
): FoundSkill {
  const { name, absolute, linkPath, node, previousNode } = folder;
  return { name, absolute, linkPath, file, node, previousNode, hasAgentsFolder, probing };
}

// Links, ignore files, plugin manifests and odd files can change their meaning without touching the folder's status.
function isSettled(listing: DirectoryListing): boolean {
  return (
    listing.links.length === 0 &&
    listing.ignoreFiles.length === 0 &&
    listing.pluginFolder === undefined &&
    listing.misspelled.length === 0 &&
    listing.special.length === 0 &&
    listing.undecodable.length === 0
  );
}

function join(folder: string, name: string): string {
  return folder === "" ? name : name === "" ? folder : `${folder}/${name}`;
}
