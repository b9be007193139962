import type { TreeFile } from "@skillet/core";
import { SkilletError } from "@skillet/kit/errors";
import { stagingPathRefused } from "./staging-error.ts";

// The bounds within which a skill gets a digest at all; whoever gives files need not have kept to them.
const MAX_FILES = 20_000;
const MAX_BYTES = 512 * 1024 * 1024;
const MAX_FOLDERS = 20_000;
const MAX_PATH_CHARACTERS = 4096;
const MAX_DEPTH = 64;

/** Keeps account of a tree as its files come, and refuses what could not be one. */
export class TreeLedger {
  readonly #files = new Set<string>();
  readonly #folders = new Set<string>();
  /** Each path, files and folders, by what its skill's digest counts. */
  readonly #spellings = new Map<string, string>();
  #bytes = 0;

  add({ path, bytes }: Pick<TreeFile, "path" | "bytes">): void {
    const fault = faultOfPath(path) ?? this.#conflict(path);
    if (fault !== undefined) throw stagingPathRefused(path, fault);
    this.#files.add(path);
    this.#bytes += bytes.length;
    for (const folder of parentsOf(path)) this.#folders.add(folder);
    for (const one of [...parentsOf(path), path]) this.#spellings.set(one.normalize("NFC"), one);
    if (this.#files.size > MAX_FILES || this.#folders.size > MAX_FOLDERS || this.#bytes > MAX_BYTES)
      throw tooLarge();
  }

  #conflict(path: string): string | undefined {
    if (this.#files.has(path)) return "is there twice";
    if (this.#folders.has(path)) return "is a file and a folder";
    if (parentsOf(path).some((folder) => this.#files.has(folder))) return "lies below a file";
    const isTwin = [...parentsOf(path), path].some(
      (one) => (this.#spellings.get(one.normalize("NFC")) ?? one) !== one,
    );
    // A digest counts both as one, so that each could take the other's place.
    return isTwin ? "differs from another one only in how Unicode spells it" : undefined;
  }
}

/** Every folder above a path of a tree, the outermost first. */
export function parentsOf(path: string): string[] {
  const segments = path.split("/").slice(0, -1);
  return segments.map((_, index) => segments.slice(0, index + 1).join("/"));
}

function faultOfPath(path: string): string | undefined {
  if (path === "") return "is empty";
  if (path.length > MAX_PATH_CHARACTERS) return `has more than ${MAX_PATH_CHARACTERS} characters`;
  if (path.includes("\0")) return "holds a NUL";
  if (path.startsWith("/") || /^[A-Za-z]:[\\/]/.test(path)) return "is absolute";
  const segments = path.split("/");
  if (segments.length > MAX_DEPTH) return `lies more than ${MAX_DEPTH} levels deep`;
  if (segments.includes("..")) return "leaves its folder";
  return segments.some((segment) => segment === "" || segment === ".") ? "has an empty part" : undefined;
}

function tooLarge(): SkilletError {
  return new SkilletError(
    "staging-too-large",
    `The skill has more than ${MAX_FILES} files, ${MAX_FOLDERS} folders or ${MAX_BYTES} bytes and was not staged; keep data out of skills.`,
    { data: { maxFiles: MAX_FILES, maxFolders: MAX_FOLDERS, maxBytes: MAX_BYTES } },
  );
}
