import { type Dirent, readdirSync } from "node:fs";
import { compareByteOrder } from "@skillet/kit/order";
import { isMisspelledSkillFile, isSkillFileName, SKILL_FILE } from "../skill-file-name.ts";
import { IGNORE_FILES } from "./ignore-rules.ts";
import { isPluginFolder, isSearchedFolder } from "./searched-folder.ts";
import { mayBeUndecodable, undecodableNames } from "./undecodable-names.ts";

/** What one folder holds, as far as finding skills goes; names in byte order. */
export interface DirectoryListing {
  readonly entryCount: number;
  /** All sub-folders, also those that are not entered. */
  readonly directoryCount: number;
  readonly folders: readonly string[];
  readonly links: readonly string[];
  readonly skillFile: string | undefined;
  /** Spellings of SKILL.md that are not loaded, and SKILL.md entries that are no files. */
  readonly misspelled: readonly string[];
  readonly special: readonly string[];
  readonly commandFiles: readonly string[];
  readonly ignoreFiles: readonly string[];
  readonly pluginFolder: string | undefined;
  /** Names that are no UTF-8, where a folder or a link may have one. */
  readonly undecodable: readonly string[];
}

export function listDirectory(absolute: string): DirectoryListing {
  const listing = {
    entryCount: 0,
    directoryCount: 0,
    folders: [] as string[],
    links: [] as string[],
    skillFile: undefined as string | undefined,
    misspelled: [] as string[],
    special: [] as string[],
    commandFiles: [] as string[],
    ignoreFiles: [] as string[],
    pluginFolder: undefined as string | undefined,
    undecodable: [] as readonly string[],
  };
  let isDecoded = true;
  for (const entry of readdirSync(absolute, { withFileTypes: true })) {
    listing.entryCount++;
    if (entry.isDirectory()) {
      listing.directoryCount++;
      if (isSkillLike(entry)) listing.special.push(entry.name);
      placeFolder(listing, entry.name);
      if (mayBeUndecodable(entry.name)) isDecoded = false;
    } else if (entry.isSymbolicLink()) {
      listing.links.push(entry.name);
      if (mayBeUndecodable(entry.name)) isDecoded = false;
    } else if (entry.isFile()) placeFile(listing, entry.name);
    else if (isSkillLike(entry)) listing.special.push(entry.name);
  }
  for (const names of [
    listing.folders,
    listing.links,
    listing.misspelled,
    listing.special,
    listing.commandFiles,
  ])
    if (names.length > 1) names.sort(compareByteOrder);
  if (!isDecoded) listing.undecodable = undecodableNames(absolute);
  return listing;
}

function placeFolder(listing: { folders: string[]; pluginFolder: string | undefined }, name: string): void {
  if (isSearchedFolder(name)) listing.folders.push(name);
  else if (isPluginFolder(name) && (listing.pluginFolder === undefined || name < listing.pluginFolder))
    listing.pluginFolder = name;
}

function placeFile(
  listing: {
    skillFile: string | undefined;
    misspelled: string[];
    commandFiles: string[];
    ignoreFiles: string[];
  },
  name: string,
): void {
  if (isSkillFileName(name)) {
    // Both spellings in one folder: the standard one wins, the other is reported.
    if (listing.skillFile === undefined) listing.skillFile = name;
    else {
      listing.misspelled.push("skill.md");
      listing.skillFile = SKILL_FILE;
    }
  } else if (isMisspelledSkillFile(name)) listing.misspelled.push(name);
  else if (IGNORE_FILES.includes(name)) listing.ignoreFiles.push(name);
  else if (name.endsWith(".md")) listing.commandFiles.push(name);
}

function isSkillLike(entry: Dirent): boolean {
  return isSkillFileName(entry.name) || isMisspelledSkillFile(entry.name);
}
