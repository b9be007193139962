import { isUtf8 } from "node:buffer";
import { lstatSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { SkilletError, undefinedOn } from "@skillet/kit/errors";
import { canonicalPath, readBoundedFile } from "@skillet/kit/files";
import { fieldOf, isJsonObject, parseStrictJson } from "@skillet/kit/json";
import type { Path } from "@skillet/kit/located";
import { compareByteOrder } from "@skillet/kit/order";
import { readDocument } from "@skillet/kit/schema";
import { LOCK_VERSION, type Lock, lockSchema } from "./lock-entry.ts";

/** The most bytes of a lock that are read, enough for some 100,000 files. */
export const MAX_LOCK_BYTES: number = 32 * 1024 * 1024;

/** Parses a lock; one that is incomplete or malformed is an error with its line, never an empty lock. */
export function parseLock(text: string, file: string): Lock {
  const conflict = findConflict(text);
  if (conflict !== undefined) {
    throw invalid(file, conflict, "a merge conflict is not settled", "Settle it with your version control");
  }
  const parsed = parseStrictJson(text);
  if ("fault" in parsed)
    throw invalid(file, parsed.fault.range.line, `this is not valid JSON: ${parsed.fault.problem}`);
  refuseNewer(fieldOf(parsed.root, "lockVersion"), file);
  const { value, faults } = readDocument(lockSchema, parsed.root, { maxFaults: 1 });
  if (value === undefined)
    throw invalid(file, lineOf(faults[0]?.path ?? [], parsed), faults[0]?.message ?? "it is not a lock");
  const { lockVersion: _, skills, ...rest } = value;
  const extra: Record<string, unknown> = Object.assign(Object.create(null), rest);
  // A lock that was edited by hand may be in another order.
  const sorted = Object.entries(skills).sort(([left], [right]) => compareByteOrder(left, right));
  return { skills: new Map(sorted), ...(Object.keys(extra).length > 0 && { extra }) };
}

function lineOf(path: Path, parsed: { readonly root: unknown; lineOf(object: object): number }): number {
  let [line, node] = [1, parsed.root];
  for (const step of [...path, ""]) {
    if (isJsonObject(node)) line = parsed.lineOf(node);
    node = fieldOf(node, String(step));
  }
  return line;
}

/** Reads a lock file; a missing file is an empty lock. */
export async function readLock(file: string): Promise<Lock> {
  return (await readLockWithBytes(file)).lock;
}

export async function readLockWithBytes(
  file: string,
): Promise<{ readonly lock: Lock; readonly bytes: Uint8Array | undefined }> {
  const bytes = await readLockBytes(file);
  return { bytes, lock: bytes === undefined ? { skills: new Map() } : parseLock(decode(bytes, file), file) };
}

export async function readLockBytes(file: string): Promise<Uint8Array | undefined> {
  // A repository could contain a link that makes Skillet write to another project's lock, or to any file.
  if (isLink(file)) {
    const message = `${file} is a link, and a lock must be a file of its own; replace the link by the file that it leads to.`;
    throw new SkilletError("link-refused", message, { data: { path: file } });
  }
  return readBoundedFile(file, { maxBytes: MAX_LOCK_BYTES, links: "refuse" });
}

// `fs/promises` would delay `skillet show` while it loads.
function isLink(file: string): boolean {
  try {
    return lstatSync(file).isSymbolicLink();
  } catch (error) {
    return undefinedOn("ENOENT", "ENOTDIR")(error) ?? false;
  }
}

function decode(bytes: Uint8Array, file: string): string {
  if (isUtf8(bytes)) return new TextDecoder().decode(bytes);
  const message = `${file} is not UTF-8. Restore it from version control or a backup.`;
  throw new SkilletError("lock-invalid", message, { data: { file } });
}

/** The same path for a lock whatever links lead to its folder; the lock itself is never a link. */
export function canonicalLockPath(lockFile: string): string {
  return join(canonicalPath(dirname(lockFile)), basename(lockFile));
}

// Seven such characters at the start of a line cannot occur in our JSON, and strings contain no line ends.
function findConflict(text: string): number | undefined {
  const match = /^(?:<{7}|>{7}|\|{7}|={7})(?: |\r?$)/m.exec(text);
  return match === null ? undefined : text.slice(0, match.index).split("\n").length;
}

function refuseNewer(version: unknown, file: string): void {
  if (typeof version !== "number" || !Number.isSafeInteger(version) || version <= LOCK_VERSION) return;
  const message = `${file} has version ${version}, and this Skillet knows ${LOCK_VERSION}; it was left alone. Use the newer Skillet that wrote it.`;
  throw new SkilletError("lock-newer", message, { data: { file, version } });
}

function invalid(file: string, line: number, problem: string, remedy?: string): SkilletError {
  const isUsers = basename(file) === "lock.json";
  const anew =
    "Correct it, put it back from a backup, or move it and the folder plugins beside it away and install your skills again";
  const hint = `${remedy ?? (isUsers ? anew : "Correct it, or restore it from version control or a backup")}.`;
  const message = `${file}:${line}: ${problem}. ${hint}`;
  return new SkilletError("lock-invalid", message, { data: { file, line, problem, hint } });
}

/** The folders that a user's own lock links to; discovery follows links to no others. Most locks have none. */
export function linkedFolders(home: string): readonly string[] {
  const file = join(home, "lock.json");
  const bytes = readBoundedFile(file, { maxBytes: MAX_LOCK_BYTES });
  const text = bytes === undefined ? "" : new TextDecoder().decode(bytes);
  if (!text.includes('"linked"')) return [];
  return [...parseLock(text, file).skills.values()].flatMap(({ linked, resolved }) =>
    linked === true && resolved.kind === "local" ? [resolved.path] : [],
  );
}
