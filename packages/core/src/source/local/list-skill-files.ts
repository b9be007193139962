import { isUtf8 } from "node:buffer";
import { type Dirent, lstatSync, readdirSync, readlinkSync, type Stats } from "node:fs";
import { type Diagnostic, diagnostic } from "@skillet/kit/diagnostics";
import { errorCode } from "@skillet/kit/errors";
import { statusOf } from "@skillet/kit/files";
import { compareByteOrder, sortByByteOrder } from "@skillet/kit/order";
import { pathBelow } from "../check-relative-path.ts";
import { isSkillFileName } from "../skill-file-name.ts";
import type { FileListing, ListingExtent, SourceFile } from "../skill-source.ts";
import { isSearchedFolder, mayBeUndecodable, undecodableNames } from "./list-directory.ts";

// Far above any real skill, which people and models read; these bounds stop a hostile one.
const MAX_DEPTH = 16;
const MAX_FOLDERS = 2_000;
const MAX_FILES = 20_000;

interface Folder {
  readonly path: string;
  readonly depth: number;
  /** Whether discovery looks for skills here. If not, a SKILL.md makes no skill and hides nothing. */
  readonly searched: boolean;
  readonly repository: string | undefined;
}

/** Lists every file of a skill; links are listed, never followed. `onStatus` is also called for folders. */
export function listSkillFiles(
  absolute: string,
  label: string,
  extent: ListingExtent = "skill",
  onStatus?: (path: string, status: Stats) => void,
): FileListing {
  const queue: Folder[] = [{ path: "", depth: 0, searched: true, repository: undefined }];
  const files: SourceFile[] = [];
  const nested: string[] = [];
  const repositories: string[] = [];
  const diagnostics: Diagnostic[] = [];

  function refuse(path: string, what: string): void {
    const hint = "Make it a file that you may read, or remove it from the skill.";
    diagnostics.push(
      diagnostic("error", "unreadable-skill-resource", pathBelow(label, path), `It ${what}.`, hint),
    );
  }

  function read({ path, searched }: Folder): Dirent[] {
    const directory = pathBelow(absolute, path);
    try {
      const entries = sortByByteOrder(readdirSync(directory, { withFileTypes: true }), ({ name }) => name);
      // A nested skill is separate: its files and digest are not its parent's. A link to a SKILL.md elsewhere
      // does not make one, because that skill's files are elsewhere too.
      const skillFile = entries.find((entry) => entry.isFile() && isSkillFileName(entry.name));
      if (extent === "skill" && path !== "" && searched && skillFile !== undefined) {
        nested.push(`${path}/${skillFile.name}`);
        return [];
      }
      if (entries.some(({ name }) => mayBeUndecodable(name)))
        for (const name of undecodableNames(directory))
          refuse(pathBelow(path, name), "has a name that is not UTF-8, and cannot be opened");
      return entries;
    } catch (error) {
      const code = errorCode(error);
      if (code === undefined) throw error;
      const message = `The folder could not be read (${code}).`;
      const hint = "Give yourself read permission, then reload.";
      const file = pathBelow(label, path);
      diagnostics.push(diagnostic("error", "unreadable-skill-resource-directory", file, message, hint));
      return [];
    }
  }

  // Queues a folder or lists a file; false if the skill is larger than any real one.
  function place(entry: Dirent, folder: Folder): boolean {
    const path = pathBelow(folder.path, entry.name);
    const { repository } = folder;
    if (repository !== undefined && isOrdinaryInRepository(path.slice(repository.length + 1))) return true;
    if (!entry.isDirectory()) {
      if (files.length >= MAX_FILES) return false;
      addFile(path);
      return true;
    }
    const isRepository = entry.name === ".git" && repository === undefined;
    if (isRepository) repositories.push(path);
    if (isRepository && extent === "skill") return true;
    // The status of a repository changes with every commit.
    const status = onStatus && !isRepository ? statusOf(pathBelow(absolute, path)) : undefined;
    if (status !== undefined) onStatus?.(path, status);
    if (folder.depth >= MAX_DEPTH || queue.length >= MAX_FOLDERS) return false;
    const searched = folder.searched && isSearchedFolder(entry.name);
    queue.push({ path, depth: folder.depth + 1, searched, repository: isRepository ? path : repository });
    return true;
  }

  function addFile(path: string): void {
    const file = pathBelow(absolute, path);
    try {
      const stats = lstatSync(file, { throwIfNoEntry: false });
      if (stats === undefined) return;
      onStatus?.(path, stats);
      const { size, mode } = stats;
      if (stats.isFile()) files.push({ path, kind: "file", size, executable: (mode & 0o111) !== 0 });
      else if (stats.isSymbolicLink()) addLink(path, readlinkSync(file, "buffer"));
      else refuse(path, "is neither a file, a folder nor a link, and was not opened");
    } catch (error) {
      const code = errorCode(error);
      if (code === undefined) throw error;
      refuse(path, `could not be looked at (${code})`);
    }
  }

  // Decoded, two targets that are not UTF-8 could have the same text and so the same digest.
  function addLink(path: string, bytes: Buffer): void {
    const target = bytes.toString("utf8");
    if (isUtf8(bytes)) files.push({ path, kind: "link", size: bytes.length, executable: false, target });
    else refuse(path, "is a link to a name that is not UTF-8");
  }

  for (const folder of queue) {
    if (read(folder).every((entry) => place(entry, folder))) continue;
    diagnostics.push(tooLarge(label));
    break;
  }
  return {
    files: files.sort((left, right) => compareByteOrder(left.path, right.path)),
    nested: nested.sort(compareByteOrder),
    ...(repositories.length > 0 && { repositories: repositories.sort(compareByteOrder) }),
    diagnostics,
  };
}

function tooLarge(label: string): Diagnostic {
  const message = `The skill has more than ${MAX_FILES} files, ${MAX_FOLDERS} folders or ${MAX_DEPTH} levels; the rest was not listed.`;
  const hint = "Move generated files, packages and data out of the skill.";
  return diagnostic("error", "resource-file-limit-exceeded", label, message, hint);
}

/** Only what git itself keeps there: no hook, no configuration (which names commands), no hidden script. */
export function isOrdinaryInRepository(path: string): boolean {
  return STORES.has(path) || RECORDS.test(path) || SAMPLES.test(path);
}

// Folders with as many files as a history has commits; they are not entered.
const STORES: ReadonlySet<string> = new Set([
  "branches",
  "lfs",
  "logs",
  "modules",
  "objects",
  "refs",
  "rr-cache",
  "worktrees",
]);

const RECORDS =
  /^(?:(?:[A-Z]{1,20}_){0,3}HEAD|AUTO_MERGE|COMMIT_EDITMSG|MERGE_MODE|MERGE_MSG|SQUASH_MSG|description|gc\.log|gc\.pid|index|index\.lock|packed-refs|shallow|info\/(?:attributes|exclude|grafts|refs|sparse-checkout))$/;

const SAMPLES = /^hooks\/[\w-]{1,40}\.sample$/;
