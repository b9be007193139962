import { createHash } from "node:crypto";
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
import { otherWriters } from "@skillet/kit/files";
import { compareByteOrder } from "@skillet/kit/order";
import { listFirst } from "@skillet/kit/text";
import type { Drift, DriftKind, LockedFile } from "../lock/lock-entry.ts";

type Report = (file: string, kind: DriftKind, message: string) => void;

const CHUNK_BYTES = 1024 * 1024;
const FILES_A_TURN = 128;
const MAX_DRIFTS = 1_000;
const EXPENDABLE = /(?:^|\/)(?:\.DS_Store|Thumbs\.db|desktop\.ini|__pycache__\/)$/;
// Never follow a link, and never wait for a FIFO.
const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Works synchronously in short turns: a promise for each of thousands of small files costs more than hashing them. */
export async function findDrift(options: {
  readonly folder: string;
  readonly target: string;
  readonly files: Readonly<Record<string, LockedFile>>;
  readonly signal?: AbortSignal | undefined;
}): Promise<readonly Drift[]> {
  const { target, signal } = options;
  const expected = new Map(Object.entries(options.files));
  const folders = foldersOf(expected.keys());
  const seen = new Set<string>();
  const drifts: Drift[] = [];
  let unlisted = 0;
  const report: Report = (file, kind, message) => {
    const isExpendable = kind === "extra" && EXPENDABLE.test(file);
    if (drifts.length >= MAX_DRIFTS) unlisted += 1;
    else drifts.push({ target, file, kind, message, ...(isExpendable && { expendable: true }) });
  };
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  const waiting = [{ path: "", place: options.folder }];
  const compareEntry = (path: string, place: string, entry: Dirent): void => {
    const what = describeEntry(entry);
    const file = expected.get(path);
    if (entry.isDirectory() && folders.has(path)) waiting.push({ path, place });
    else if (file !== undefined) {
      seen.add(path);
      if (entry.isFile()) compareFile(path, place, { file, buffer, report });
      else report(path, "type", `is ${what} instead of a file`);
    } else if (folders.has(path)) report(path, "type", `is ${what} instead of a folder`);
    else report(entry.isDirectory() ? `${path}/` : path, "extra", `is ${what} that was not installed`);
  };
  let compared = 0;
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    const prefix = folder.path === "" ? "" : `${folder.path}/`;
    // Anyone who can write to a folder can add to the skill. Group bits and set-group-id depend on the umask.
    if (isWritableByAll(folder.place)) report(prefix, "mode", "can be written by everyone");
    const entries = listFolder(folder.place, prefix, report);
    const spelling = spellingIn(entries, (name) => expected.has(prefix + name) || folders.has(prefix + name));
    for (const entry of entries) {
      const path = prefix + spelling(entry.name);
      const place = join(folder.place, entry.name);
      compareEntry(path, place, entry);
      compared += 1;
      if (compared % FILES_A_TURN !== 0) continue;
      await nextTurn();
      signal?.throwIfAborted();
    }
  }
  for (const path of expected.keys()) if (!seen.has(path)) report(path, "missing", "is missing");
  drifts.sort((left, right) => compareByteOrder(left.file, right.file));
  if (unlisted > 0)
    drifts.push({ target, file: "", kind: "more", message: `and ${unlisted} more differences` });
  return drifts;
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

function isWritableByAll(folder: string): boolean {
  const stats = lstatSync(folder, { throwIfNoEntry: false });
  return stats?.isDirectory() === true && otherWriters(stats) === "everyone";
}

function listFolder(place: string, prefix: string, report: Report): readonly Dirent[] {
  try {
    return readdirSync(place, { withFileTypes: true });
  } catch (error) {
    const code = errorCode(error);
    // Gone or replaced since its parent was listed: its files are then reported as missing.
    if (code === "ENOENT" || code === "ENOTDIR") return [];
    if (code !== "EACCES" && code !== "EPERM") throw error;
    report(prefix === "" ? "/" : prefix, "unreadable", `cannot be listed (${code})`);
    return [];
  }
}

// Some file systems return decomposed names. If the disk has several spellings of a name, only one of them is
// the installed file; the others must be reported.
function spellingIn(
  entries: readonly Dirent[],
  isKnown: (name: string) => boolean,
): (name: string) => string {
  const names = new Set(entries.map(({ name }) => name));
  return (name) => {
    const composed = name.normalize("NFC");
    if (isKnown(name) || names.has(composed) || !isKnown(composed)) return name;
    names.add(composed);
    return composed;
  };
}

function describeEntry(entry: Dirent): string {
  if (entry.isDirectory()) return "a folder";
  if (entry.isFile()) return "a file";
  return entry.isSymbolicLink() ? "a link" : "a special file";
}

function compareFile(
  path: string,
  place: string,
  { file, buffer, report }: { readonly file: LockedFile; readonly buffer: Buffer; readonly report: Report },
): void {
  let descriptor: number;
  try {
    descriptor = openSync(place, FLAGS);
  } catch (error) {
    const code = errorCode(error) ?? "unknown error";
    const kind = code === "ENOENT" ? "missing" : code === "ELOOP" ? "type" : "unreadable";
    report(path, kind, `cannot be read (${code})`);
    return;
  }
  try {
    const { size, mode } = fstatSync(descriptor);
    if (size !== file.size) report(path, "changed", `has ${size} bytes instead of ${file.size}`);
    else if (digestOpen(descriptor, size, buffer) !== file.digest)
      report(path, "changed", "has other content");
    const problem = process.platform === "win32" ? undefined : modeProblem(mode, file.mode);
    if (problem !== undefined) report(path, "mode", problem);
  } finally {
    closeSync(descriptor);
  }
}

function digestOpen(descriptor: number, size: number, buffer: Buffer): string {
  const sum = createHash("sha256");
  for (let offset = 0; offset <= size; ) {
    const length = readSync(descriptor, buffer, 0, CHUNK_BYTES, offset);
    if (length === 0) break;
    sum.update(buffer.subarray(0, length));
    offset += length;
  }
  return `sha256:${sum.digest("hex")}`;
}

/** A umask may remove bits or give them to a group; someone made any other difference. */
function modeProblem(mode: number, expected: LockedFile["mode"]): string | undefined {
  if ((mode & 0o7000) !== 0) return "runs with the rights of its owner or group";
  if ((mode & 0o002) !== 0) return "can be written by everyone";
  if (expected === "755") return (mode & 0o100) === 0 ? "is no longer executable" : undefined;
  return (mode & 0o111) === 0 ? undefined : "became executable";
}

/** Whether a difference is someone's work, unlike a target that is gone altogether or a file that systems create. */
export function isEdit({ file, kind, expendable }: Drift): boolean {
  return expendable !== true && !(file === "" && kind === "missing");
}

const MAX_FILES_NAMED = 5;

export function nameFiles(drift: readonly Drift[]): string {
  const files = [...new Set(drift.map(({ file, target }) => file || target))];
  return listFirst(files, MAX_FILES_NAMED);
}
