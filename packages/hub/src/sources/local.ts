import { lstatSync, readdirSync, readlinkSync, type Stats } from "node:fs";
import { join } from "node:path";
import { errorCode, SkilletError } from "@skillet/kit/errors";
import { canonicalPath, readInto, withRegularFile } from "@skillet/kit/files";
import { compareByteOrder } from "@skillet/kit/order";
import {
  type FetchContext,
  missingEntry,
  type OpenedSource,
  openedSource,
  readBudget,
  tooLarge,
} from "./fetch-context.ts";
import type { SourceOf } from "./source.ts";

/** Opens a folder in its current state; no link in it is followed, neither when listed nor when read. */
export async function openLocalSource(
  { path: folder }: SourceOf<"local">,
  context: FetchContext,
): Promise<OpenedSource> {
  context.onStep?.({ step: "read", what: folder });
  // The path itself may lead through links, since the user typed it.
  const root = checkFolder(folder);
  const entries = listFolder(root, context);
  const byPath = new Map(entries.map((entry) => [entry.path, entry]));
  const take = readBudget(context.limits);
  return openedSource({
    resolved: { kind: "local", path: folder },
    diagnostics: [],
    entries: entries.map(({ path, mode, stats }) => ({ path, mode, size: stats.size })),
    async read(paths, { signal } = {}) {
      return paths.map((path) => {
        signal?.throwIfAborted();
        const entry = byPath.get(path) ?? missingEntry(path);
        take(path, entry.stats.size);
        const read = entry.mode === "120000" ? readLink : readFile;
        return { path, mode: entry.mode, bytes: read(join(root, path), entry) };
      });
    },
  });
}

function checkFolder(path: string): string {
  const root = canonicalPath(path);
  try {
    if (lstatSync(root).isDirectory()) return root;
  } catch (error) {
    const errno = errorCode(error);
    if (errno === undefined) throw error;
    const message = `There is no folder ${path} (${errno}); check its spelling.`;
    throw new SkilletError("source-not-found", message, { data: { path, errno }, cause: error });
  }
  const message = `${path} is not a folder; name the folder that holds the skills, or an archive that ends with .skill, .zip or .tar.gz.`;
  throw new SkilletError("source-not-found", message, { data: { path } });
}

function readFile(place: string, entry: LocalEntry): Uint8Array {
  return withRegularFile(place, ({ descriptor, stats }) => {
    checkSame(entry, stats);
    // The extra byte detects a file that grew since.
    const buffer = new Uint8Array(stats.size + 1);
    const length = readInto(descriptor, buffer);
    if (length !== stats.size) throw changed(entry.path);
    return buffer.subarray(0, length);
  });
}

function readLink(place: string, entry: LocalEntry): Uint8Array {
  const bytes = readlinkSync(place, { encoding: "buffer" });
  checkSame(entry, lstatSync(place));
  return bytes;
}

// If a folder was replaced by a link meanwhile, the same path leads to someone else's file.
function checkSame({ path, stats }: LocalEntry, now: Stats): void {
  const isSame = (["dev", "ino", "size", "mtimeMs"] as const).every((key) => now[key] === stats[key]);
  if (!isSame) throw changed(path);
}

function changed(path: string): SkilletError {
  const message = `${JSON.stringify(path)} changed while its folder was being read; try again once nothing writes there.`;
  return new SkilletError("source-changed", message, { data: { path } });
}

interface LocalEntry {
  readonly path: string;
  readonly mode: "644" | "755" | "120000";
  readonly stats: Stats;
}

// A repository's own store and installed packages are not part of a skill.
const SKIPPED: ReadonlySet<string> = new Set([".git", "node_modules"]);

/** Everything below a folder, in byte order of path, without following links. */
function listFolder(root: string, { limits, signal }: FetchContext): readonly LocalEntry[] {
  const { maxEntries, maxDepth } = limits;
  const entries: LocalEntry[] = [];
  const folders = [""];
  let seen = 0;
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    signal?.throwIfAborted();
    const names = readable(folder || root, () => readdirSync(join(root, folder), { encoding: "buffer" }));
    for (const bytes of names) {
      const name = decodeName(folder, bytes);
      if (SKIPPED.has(name)) continue;
      const path = below(folder, name);
      seen += 1;
      if (seen > maxEntries)
        throw tooLarge(`${root} holds more than ${maxEntries} files and folders.`, "maxEntries");
      const stats = readable(path, () => lstatSync(join(root, path)));
      if (!stats.isDirectory()) entries.push(entryOf(path, stats));
      else if (path.split("/").length > maxDepth)
        throw tooLarge(`${JSON.stringify(path)} is more than ${maxDepth} folders deep.`, "maxDepth", path);
      else folders.push(path);
    }
  }
  return entries.sort((left, right) => compareByteOrder(left.path, right.path));
}

function below(folder: string, name: string): string {
  return folder === "" ? name : `${folder}/${name}`;
}

function decodeName(folder: string, name: Uint8Array): string {
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(name);
  // A name that decoding changed could not be opened again, or would open another file.
  if (Buffer.from(text).equals(name)) return text;
  throw refused(below(folder, text), "has a name that is not UTF-8", "Rename it.");
}

function entryOf(path: string, stats: Stats): LocalEntry {
  if (stats.isSymbolicLink()) return { path, mode: "120000", stats };
  if (stats.isFile()) return { path, mode: (stats.mode & 0o111) === 0 ? "644" : "755", stats };
  throw refused(path, "is a FIFO, a socket or a device", "Remove it, or name a folder without it.");
}

function refused(path: string, problem: string, hint: string): SkilletError {
  const message = `${JSON.stringify(path)} ${problem}. ${hint}`;
  return new SkilletError("source-entry-refused", message, { data: { path } });
}

function readable<Value>(path: string, read: () => Value): Value {
  try {
    return read();
  } catch (cause) {
    const errno = errorCode(cause);
    if (errno === undefined) throw cause;
    const message = `${JSON.stringify(path)} cannot be read (${errno}); check its permissions.`;
    throw new SkilletError("source-unreadable", message, { data: { path, errno }, cause });
  }
}
