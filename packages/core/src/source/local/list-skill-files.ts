import { isUtf8 } from "node:buffer";
import { type Dirent, lstatSync, readdirSync, readlinkSync, type Stats } from "node:fs";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { errorCode } from "@skillet/kit/errors";
import { compareByteOrder } from "@skillet/kit/order";
import { isSkillFileName } from "../skill-file-name.ts";
import type { FileListing, ListingExtent, SourceFile } from "../skill-source.ts";
import { isSearchedFolder, mayBeUndecodable, undecodableNames } from "./list-directory.ts";
import { isOrdinaryInRepository } from "./ordinary-repository.ts";
import { statusOf } from "./status-of.ts";

// A skill is read by people and models; these are far above any real one and end a hostile one.
const MAX_DEPTH = 16;
const MAX_FOLDERS = 2_000;
const MAX_FILES = 20_000;

type OnStatus = (path: string, status: Stats) => void;

/** Lists every file of the skill in a folder; links are listed, never followed. `onStatus` is told of folders, too. */
export function listSkillFiles(
  absolute: string,
  label: string,
  extent: ListingExtent = "skill",
  onStatus?: OnStatus,
): FileListing {
  const listing = new SkillListing(absolute, label, extent, onStatus);
  listing.listAll();
  return listing.result();
}

interface Folder {
  readonly path: string;
  readonly depth: number;
  /** Whether discovery looks for skills here; where it does not, a SKILL.md makes no skill and hides nothing. */
  readonly searched: boolean;
  readonly repository?: string;
}

class SkillListing {
  readonly #absolute: string;
  readonly #label: string;
  readonly #extent: ListingExtent;
  readonly #onStatus: OnStatus | undefined;
  readonly #queue: Folder[] = [{ path: "", depth: 0, searched: true }];
  readonly #files: SourceFile[] = [];
  readonly #nested: string[] = [];
  readonly #repositories: string[] = [];
  readonly #diagnostics: Diagnostic[] = [];

  constructor(absolute: string, label: string, extent: ListingExtent, onStatus: OnStatus | undefined) {
    this.#absolute = absolute;
    this.#label = label;
    this.#extent = extent;
    this.#onStatus = onStatus;
  }

  listAll(): void {
    for (const folder of this.#queue) {
      if (this.#read(folder).every((entry) => this.#place(entry, folder))) continue;
      this.#diagnostics.push(tooLarge(this.#label));
      return;
    }
  }

  result(): FileListing {
    this.#files.sort((left, right) => compareByteOrder(left.path, right.path));
    return {
      files: this.#files,
      nested: this.#nested.sort(compareByteOrder),
      ...(this.#repositories.length > 0 && { repositories: this.#repositories.sort(compareByteOrder) }),
      diagnostics: this.#diagnostics,
    };
  }

  #read({ path, searched }: Folder): Dirent[] {
    const directory = path === "" ? this.#absolute : `${this.#absolute}/${path}`;
    try {
      const entries = readdirSync(directory, { withFileTypes: true });
      // A nested skill is a skill of its own: its files and digest are not its parent's. A link to a SKILL.md elsewhere
      // makes none, because that skill's files are elsewhere too.
      const skillFile = entries
        .filter((entry) => entry.isFile() && isSkillFileName(entry.name))
        .sort(byName)[0];
      if (this.#extent === "skill" && path !== "" && searched && skillFile !== undefined) {
        this.#nested.push(`${path}/${skillFile.name}`);
        return [];
      }
      if (entries.some(({ name }) => mayBeUndecodable(name)))
        for (const name of undecodableNames(directory))
          this.#refuse(join(path, name), "has a name that is not UTF-8, and cannot be opened");
      return entries.sort(byName);
    } catch (error) {
      const code = errorCode(error);
      if (code === undefined) throw error;
      this.#diagnostics.push({
        code: "unreadable-skill-resource-directory",
        severity: "error",
        message: `The folder could not be read (${code}).`,
        file: join(this.#label, path),
        hint: "Give yourself read permission, then reload.",
      });
      return [];
    }
  }

  // Queues a folder or lists a file; false when the skill is larger than any real one.
  #place(entry: Dirent, folder: Folder): boolean {
    const path = join(folder.path, entry.name);
    if (folder.repository !== undefined && isOrdinaryInRepository(path.slice(folder.repository.length + 1)))
      return true;
    if (!entry.isDirectory()) {
      if (this.#files.length >= MAX_FILES) return false;
      this.#addFile(path);
      return true;
    }
    const isRepository = entry.name === ".git" && folder.repository === undefined;
    if (isRepository) this.#repositories.push(path);
    if (isRepository && this.#extent === "skill") return true;
    // That of a repository changes with every commit.
    if (!isRepository && this.#onStatus !== undefined)
      this.#tell(path, statusOf(`${this.#absolute}/${path}`));
    if (folder.depth >= MAX_DEPTH || this.#queue.length >= MAX_FOLDERS) return false;
    const searched = folder.searched && isSearchedFolder(entry.name);
    const repository = isRepository ? path : folder.repository;
    this.#queue.push({
      path,
      depth: folder.depth + 1,
      searched,
      ...(repository !== undefined && { repository }),
    });
    return true;
  }

  #addFile(path: string): void {
    const place = `${this.#absolute}/${path}`;
    try {
      const stats = lstatSync(place, { throwIfNoEntry: false });
      if (stats === undefined) return;
      this.#tell(path, stats);
      if (stats.isSymbolicLink()) this.#addLink(path, readlinkSync(place, "buffer"));
      else if (stats.isFile())
        this.#files.push({
          path,
          kind: "file",
          size: stats.size,
          executable: (stats.mode & 0o111) !== 0,
        });
      else this.#refuse(path, "is neither a file, a folder nor a link, and was not opened");
    } catch (error) {
      const code = errorCode(error);
      if (code === undefined) throw error;
      this.#refuse(path, `could not be looked at (${code})`);
    }
  }

  #tell(path: string, status: Stats | undefined): void {
    if (status !== undefined) this.#onStatus?.(path, status);
  }

  // Decoded, two targets that are not UTF-8 could come to the same text, and so to the same digest.
  #addLink(path: string, target: Buffer): void {
    if (!isUtf8(target)) this.#refuse(path, "is a link to a name that is not UTF-8");
    else
      this.#files.push({
        path,
        kind: "link",
        size: target.length,
        executable: false,
        target: target.toString("utf8"),
      });
  }

  #refuse(path: string, what: string): void {
    this.#diagnostics.push({
      code: "unreadable-skill-resource",
      severity: "error",
      message: `It ${what}.`,
      file: join(this.#label, path),
      hint: "Make it a file that you may read, or remove it from the skill.",
    });
  }
}

function byName(left: Dirent, right: Dirent): number {
  return compareByteOrder(left.name, right.name);
}

function join(folder: string, name: string): string {
  return folder === "" ? name : name === "" ? folder : `${folder}/${name}`;
}

function tooLarge(label: string): Diagnostic {
  return {
    code: "resource-file-limit-exceeded",
    severity: "error",
    message: `The skill has more than ${MAX_FILES} files, ${MAX_FOLDERS} folders or ${MAX_DEPTH} levels; the rest was not listed.`,
    file: label,
    hint: "Move generated files, packages and data out of the skill.",
  };
}
