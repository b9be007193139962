import { createHash, hash } from "node:crypto";
import { closeSync, constants, type Dirent, fstatSync, openSync, readdirSync, readSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { compareByteOrder, errorCode } from "@skillet/core";
import type { LockedFile } from "../lock/lock-entry.ts";
import type { Drift } from "./drift.ts";

const CHUNK_BYTES = 1024 * 1024;
const FILES_A_TURN = 128;
const MAX_DRIFTS = 1_000;
const EXPENDABLE = /(?:^|\/)(?:\.DS_Store|Thumbs\.db|desktop\.ini|__pycache__\/)$/;
// A link is never followed, and a FIFO never waited for.
const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** What to compare with what. */
export interface DriftOptions {
  /** The folder on disk, by its real path. */
  readonly folder: string;
  /** How the lock names it. */
  readonly target: string;
  readonly files: Readonly<Record<string, LockedFile>>;
  readonly signal?: AbortSignal;
}

/**
 * Hashes a folder and lists, in byte order of path, how it differs from what was locked.
 *
 * Calls are synchronous in short turns, because a promise for each of thousands of small files costs more than hashing.
 */
export async function findDrift(options: DriftOptions): Promise<readonly Drift[]> {
  const search = new DriftSearch(options);
  for (
    const folder = { next: "" as string | undefined };
    folder.next !== undefined;
    folder.next = search.nextFolder()
  )
    await search.compareFolder(folder.next);
  return search.finish();
}

class DriftSearch {
  readonly #options: DriftOptions;
  readonly #expected: ReadonlyMap<string, LockedFile>;
  readonly #folders: ReadonlySet<string>;
  readonly #waiting: string[] = [];
  readonly #seen = new Set<string>();
  readonly #drifts: Drift[] = [];
  readonly #buffer: Buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  #left = 0;
  #sinceTurn = 0;

  constructor(options: DriftOptions) {
    this.#options = options;
    this.#expected = new Map(Object.entries(options.files));
    this.#folders = foldersOf(this.#expected.keys());
  }

  nextFolder(): string | undefined {
    return this.#waiting.pop();
  }

  async compareFolder(folder: string): Promise<void> {
    const entries = this.#list(folder);
    for (const entry of entries) {
      const path = this.#spelling(folder === "" ? entry.name : `${folder}/${entry.name}`);
      if (entry.isDirectory()) this.#compareFolderName(path);
      else this.#compareFile(path, join(this.#options.folder, folder, entry.name), entry);
      this.#sinceTurn += 1;
      if (this.#sinceTurn < FILES_A_TURN) continue;
      this.#sinceTurn = 0;
      await nextTurn();
      this.#options.signal?.throwIfAborted();
    }
  }

  finish(): readonly Drift[] {
    for (const path of this.#expected.keys())
      if (!this.#seen.has(path)) this.#report({ file: path, kind: "missing", message: "is missing" });
    const { target } = this.#options;
    const sorted = this.#drifts.sort((left, right) => compareByteOrder(left.file, right.file));
    if (this.#left === 0) return sorted;
    return [...sorted, { target, file: "", kind: "more", message: `and ${this.#left} more differences` }];
  }

  #list(folder: string): readonly Dirent[] {
    try {
      return readdirSync(join(this.#options.folder, folder), { withFileTypes: true });
    } catch (error) {
      const code = errorCode(error);
      // Gone or replaced since its parent was listed: its files are then reported as missing.
      if (code === "ENOENT" || code === "ENOTDIR") return [];
      if (code !== "EACCES" && code !== "EPERM") throw error;
      this.#report({ file: `${folder}/`, kind: "unreadable", message: `cannot be listed (${code})` });
      return [];
    }
  }

  // Some file systems hand names back decomposed.
  #spelling(path: string): string {
    if (this.#expected.has(path) || this.#folders.has(path)) return path;
    const composed = path.normalize("NFC");
    return this.#expected.has(composed) || this.#folders.has(composed) ? composed : path;
  }

  #compareFolderName(path: string): void {
    if (this.#folders.has(path)) {
      this.#waiting.push(path);
    } else if (this.#expected.has(path)) {
      this.#seen.add(path);
      this.#report({ file: path, kind: "type", message: "is a folder instead of a file" });
    } else {
      this.#reportExtra(`${path}/`, "is a folder that was not installed");
    }
  }

  #compareFile(path: string, place: string, entry: Dirent): void {
    const expected = this.#expected.get(path);
    if (expected === undefined) {
      const what = entry.isFile() ? "a file" : entry.isSymbolicLink() ? "a link" : "a special file";
      if (this.#folders.has(path))
        this.#report({ file: path, kind: "type", message: `is ${what} instead of a folder` });
      else this.#reportExtra(path, `is ${what} that was not installed`);
      return;
    }
    this.#seen.add(path);
    if (!entry.isFile()) {
      const what = entry.isSymbolicLink() ? "a link" : "a special file";
      this.#report({ file: path, kind: "type", message: `is ${what} instead of a file` });
      return;
    }
    this.#compareContent(path, place, expected);
  }

  #compareContent(path: string, place: string, expected: LockedFile): void {
    let descriptor: number;
    try {
      descriptor = openSync(place, FLAGS);
    } catch (error) {
      const code = errorCode(error) ?? "unknown error";
      const kind = code === "ENOENT" ? "missing" : code === "ELOOP" ? "type" : "unreadable";
      this.#report({ file: path, kind, message: `cannot be read (${code})` });
      return;
    }
    try {
      const stats = fstatSync(descriptor);
      if (stats.size !== expected.size)
        this.#report({
          file: path,
          kind: "changed",
          message: `has ${stats.size} bytes instead of ${expected.size}`,
        });
      else if (this.#digest(descriptor, expected.size) !== expected.digest)
        this.#report({ file: path, kind: "changed", message: "has other content" });
      // What a umask takes away or gives to others is not the skill's; Windows has no such bit.
      const mode = (stats.mode & 0o100) === 0 ? "644" : "755";
      if (process.platform !== "win32" && mode !== expected.mode)
        this.#report({
          file: path,
          kind: "mode",
          message: mode === "755" ? "became executable" : "is not executable any more",
        });
    } finally {
      closeSync(descriptor);
    }
  }

  #digest(descriptor: number, size: number): string {
    if (size < CHUNK_BYTES) {
      const length = readSync(descriptor, this.#buffer, 0, size + 1, 0);
      return `sha256:${hash("sha256", this.#buffer.subarray(0, length), "hex")}`;
    }
    const sum = createHash("sha256");
    for (let offset = 0; offset <= size; ) {
      const length = readSync(descriptor, this.#buffer, 0, CHUNK_BYTES, offset);
      if (length === 0) break;
      sum.update(this.#buffer.subarray(0, length));
      offset += length;
    }
    return `sha256:${sum.digest("hex")}`;
  }

  #reportExtra(file: string, message: string): void {
    this.#report({ file, kind: "extra", message, ...(EXPENDABLE.test(file) && { expendable: true }) });
  }

  #report(drift: Omit<Drift, "target">): void {
    if (this.#drifts.length < MAX_DRIFTS) this.#drifts.push({ target: this.#options.target, ...drift });
    else this.#left += 1;
  }
}

function foldersOf(paths: Iterable<string>): ReadonlySet<string> {
  const folders = new Set<string>();
  for (const path of paths)
    for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) {
      const folder = path.slice(0, end);
      if (folders.has(folder)) break;
      folders.add(folder);
    }
  return folders;
}
