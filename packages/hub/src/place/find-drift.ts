import { createHash, hash } from "node:crypto";
import {
  closeSync,
  constants,
  type Dirent,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
} from "node:fs";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { errorCode } from "@skillet/kit/errors";
import { compareByteOrder } from "@skillet/kit/order";
import type { LockedFile } from "../lock/lock-entry.ts";

const CHUNK_BYTES = 1024 * 1024;
const FILES_A_TURN = 128;
const MAX_DRIFTS = 1_000;
const EXPENDABLE = /(?:^|\/)(?:\.DS_Store|Thumbs\.db|desktop\.ini|__pycache__\/)$/;
// A link is never followed, and a FIFO never waited for.
const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

interface DriftOptions {
  readonly folder: string;
  readonly target: string;
  readonly files: Readonly<Record<string, LockedFile>>;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Calls are synchronous in short turns, because a promise for each of thousands of small files costs more than hashing.
 */
export async function findDrift(options: DriftOptions): Promise<readonly Drift[]> {
  const search = new DriftSearch(options);
  for (
    let folder: WaitingFolder | undefined = { path: "", place: options.folder };
    folder !== undefined;
    folder = search.nextFolder()
  )
    await search.compareFolder(folder);
  return search.finish();
}

interface WaitingFolder {
  readonly path: string;
  readonly place: string;
}

class DriftSearch {
  readonly #options: DriftOptions;
  readonly #expected: ReadonlyMap<string, LockedFile>;
  readonly #folders: ReadonlySet<string>;
  readonly #waiting: WaitingFolder[] = [];
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

  nextFolder(): WaitingFolder | undefined {
    return this.#waiting.pop();
  }

  async compareFolder(folder: WaitingFolder): Promise<void> {
    this.#compareFolderMode(folder);
    const entries = this.#list(folder);
    const names = new Set(entries.map(({ name }) => name));
    for (const entry of entries) {
      const prefix = folder.path === "" ? "" : `${folder.path}/`;
      const path = prefix + this.#spelling(prefix, entry.name, names);
      const place = join(folder.place, entry.name);
      if (entry.isDirectory()) this.#compareFolderName(path, place);
      else this.#compareFile(path, place, entry);
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

  // Whoever may write into a folder can add to the skill. Its group's bits and its set-group-id are a matter of umask.
  #compareFolderMode({ path, place }: WaitingFolder): void {
    if (process.platform === "win32") return;
    const stats = lstatSync(place, { throwIfNoEntry: false });
    if (stats?.isDirectory() && (stats.mode & 0o002) !== 0)
      this.#report({
        file: path === "" ? "" : `${path}/`,
        kind: "mode",
        message: "can be written by everybody",
      });
  }

  #list({ path, place }: WaitingFolder): readonly Dirent[] {
    try {
      return readdirSync(place, { withFileTypes: true });
    } catch (error) {
      const code = errorCode(error);
      // Gone or replaced since its parent was listed: its files are then reported as missing.
      if (code === "ENOENT" || code === "ENOTDIR") return [];
      if (code !== "EACCES" && code !== "EPERM") throw error;
      this.#report({ file: `${path}/`, kind: "unreadable", message: `cannot be listed (${code})` });
      return [];
    }
  }

  // Some file systems hand names back decomposed. Where the disk has several spellings of a name, one is what was
  // installed, and the others must not hide behind it.
  #spelling(prefix: string, name: string, names: Set<string>): string {
    if (this.#isKnown(prefix + name)) return name;
    const composed = name.normalize("NFC");
    if (names.has(composed) || !this.#isKnown(prefix + composed)) return name;
    names.add(composed);
    return composed;
  }

  #isKnown(path: string): boolean {
    return this.#expected.has(path) || this.#folders.has(path);
  }

  #compareFolderName(path: string, place: string): void {
    if (this.#folders.has(path)) {
      this.#waiting.push({ path, place });
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
      const problem = process.platform === "win32" ? undefined : modeProblem(stats.mode, expected.mode);
      if (problem !== undefined) this.#report({ file: path, kind: "mode", message: problem });
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

/** What a umask takes away or gives to a group is not the skill's; what no install gives is someone's doing. */
function modeProblem(mode: number, expected: LockedFile["mode"]): string | undefined {
  if ((mode & 0o7000) !== 0) return "runs with the rights of its owner or group";
  if ((mode & 0o002) !== 0) return "can be written by everybody";
  if (expected === "755") return (mode & 0o100) === 0 ? "is not executable any more" : undefined;
  return (mode & 0o111) === 0 ? undefined : "became executable";
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

export interface Drift {
  readonly target: string;
  /** Relative to the target; empty for the target itself, with `/` at its end for a folder. */
  readonly file: string;
  readonly kind: DriftKind;
  readonly message: string;
  /** A harmless cause that was proven, such as a tool that notes where a skill came from. */
  readonly explanation?: string;
  /** Left by a system or an interpreter; no one loses anything with it. */
  readonly expendable?: true;
}

/** `more` stands at the end when there are too many to list. */
export type DriftKind = "changed" | "missing" | "extra" | "mode" | "type" | "link" | "unreadable" | "more";
