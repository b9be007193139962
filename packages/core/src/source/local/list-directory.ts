import { isUtf8 } from "node:buffer";
import { readdirSync } from "node:fs";
import { compareByteOrder } from "@skillet/kit/order";
import { isMisspelledSkillFile, isSkillFileName, PLURAL_FILE, SKILL_FILE } from "../skill-file-name.ts";
import { IGNORE_FILES } from "./ignore-rules.ts";

/** The content of one folder, as needed to find skills; names in byte order. */
export class DirectoryListing {
  entryCount = 0;
  /** All sub-folders, including those that are not entered. */
  directoryCount = 0;
  readonly folders: string[] = [];
  readonly links: string[] = [];
  skillFile: string | undefined = undefined;
  /** Spellings of SKILL.md that are not loaded; in `special`, entries of that name that are not files. */
  readonly misspelled: string[] = [];
  readonly special: string[] = [];
  readonly commandFiles: string[] = [];
  readonly ignoreFiles: string[] = [];
  pluginFolder: string | undefined = undefined;
  /** A `plugin.json`, which may or may not be a plugin's manifest. */
  hasPluginFile = false;
  /** Names that are not UTF-8, which folders or links may have. */
  undecodable: readonly string[] = [];
}

export function listDirectory(absolute: string): Readonly<DirectoryListing> {
  const listing = new DirectoryListing();
  let isDecoded = true;
  for (const entry of readdirSync(absolute, { withFileTypes: true })) {
    const { name } = entry;
    listing.entryCount++;
    if (entry.isDirectory()) {
      listing.directoryCount++;
      if (isSkillLike(name)) listing.special.push(name);
      placeFolder(listing, name);
      if (mayBeUndecodable(name)) isDecoded = false;
    } else if (entry.isSymbolicLink()) {
      listing.links.push(name);
      listing.hasPluginFile ||= name === PLUGIN_FILE;
      if (mayBeUndecodable(name)) isDecoded = false;
    } else if (entry.isFile()) placeFile(listing, name);
    else if (isSkillLike(name)) listing.special.push(name);
  }
  const { folders, links, misspelled, special, commandFiles } = listing;
  for (const names of [folders, links, misspelled, special, commandFiles])
    if (names.length > 1) names.sort(compareByteOrder);
  if (!isDecoded) listing.undecodable = undecodableNames(absolute);
  return listing;
}

function placeFolder(listing: DirectoryListing, name: string): void {
  if (isSearchedFolder(name)) listing.folders.push(name);
  else if (PLUGIN.has(name) && (listing.pluginFolder === undefined || name < listing.pluginFolder))
    listing.pluginFolder = name;
}

function placeFile(listing: DirectoryListing, name: string): void {
  if (isSkillFileName(name)) {
    // If both spellings exist, the standard one wins and the other is reported.
    if (listing.skillFile === undefined) listing.skillFile = name;
    else {
      listing.misspelled.push("skill.md");
      listing.skillFile = SKILL_FILE;
    }
  } else if (isMisspelledSkillFile(name)) {
    listing.misspelled.push(name);
    if (name === PLURAL_FILE) listing.commandFiles.push(name);
  } else if (IGNORE_FILES.includes(name)) listing.ignoreFiles.push(name);
  else if (name === PLUGIN_FILE) listing.hasPluginFile = true;
  else if (name.endsWith(".md")) listing.commandFiles.push(name);
}

function isSkillLike(name: string): boolean {
  return isSkillFileName(name) || isMisspelledSkillFile(name);
}

// Version control and packages contain copies and others' code, never a project's own skills.
const SKIPPED: ReadonlySet<string> = new Set([".git", "node_modules"]);
const PLUGIN_FILE = "plugin.json";
// Folders that contain a plugin's manifest and are not searched for anything else.
const PLUGIN: ReadonlySet<string> = new Set([
  ".claude-plugin",
  ".codex-plugin",
  ".cursor-plugin",
  ".kimi-plugin",
]);

export function isSearchedFolder(name: string): boolean {
  return !SKIPPED.has(name) && !PLUGIN.has(name);
}

/** Replaces bytes that are not UTF-8; a name with it may differ from the name on disk. */
const REPLACEMENT = "\ufffd";

export function mayBeUndecodable(name: string): boolean {
  return name.includes(REPLACEMENT);
}

/**
 * A file with such a name cannot be opened by the name in a listing. Opening the shown name may find another
 * file of that name, so that this one would be missed.
 */
export function undecodableNames(directory: string): string[] {
  return readdirSync(directory, { encoding: "buffer" })
    .filter((name) => !isUtf8(name))
    .map((name) => name.toString("utf8"));
}
