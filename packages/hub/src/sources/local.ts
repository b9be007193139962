import { lstatSync, readdirSync, readlinkSync, type Stats } from "node:fs";
import { join } from "node:path";
import type { TreeFile } from "@skillet/core";
import { errorCode, SkilletError } from "@skillet/kit/errors";
import { canonicalPath, readInto, withRegularFile } from "@skillet/kit/files";
import { compareByteOrder } from "@skillet/kit/order";
import type { HubLimits } from "../hub-limits.ts";
import {
  closedSource,
  type FetchContext,
  missingEntry,
  type OpenedSource,
  ReadBudget,
  tooLarge,
} from "./fetch-context.ts";
import type { SourceOf } from "./source.ts";

/** Opens a folder as it is now; no link in it is followed, neither when listed nor when read. */
export async function openLocalSource(
  source: SourceOf<"local">,
  context: FetchContext,
): Promise<OpenedSource> {
  const { limits } = context;
  context.onStep?.({ step: "read", what: source.path });
  // The path itself may lead through links: it was typed by whoever asked.
  const root = checkFolder(source.path);
  const entries = listFolder(root, { limits, signal: context.signal });
  const byPath = new Map(entries.map((entry) => [entry.path, entry]));
  const budget = new ReadBudget(limits);
  let isOpen = true;
  return {
    resolved: { kind: "local", path: source.path },
    diagnostics: [],
    entries: entries.map(({ path, mode, stats }) => ({ path, mode, size: stats.size })),
    async read(paths, { signal } = {}) {
      if (!isOpen) throw closedSource();
      return paths.map((path) => {
        signal?.throwIfAborted();
        return readEntry(root, byPath.get(path) ?? missingEntry(path), budget);
      });
    },
    async close() {
      isOpen = false;
      byPath.clear();
    },
  };
}

function checkFolder(path: string): string {
  const root = canonicalPath(path);
  try {
    if (lstatSync(root).isDirectory()) return root;
  } catch (error) {
    const errno = errorCode(error);
    if (errno === undefined) throw error;
    throw new SkilletError("source-not-found", `There is no folder ${path} (${errno}); check its spelling.`, {
      data: { path, errno },
      cause: error,
    });
  }
  const message = `${path} is not a folder; name the folder that holds the skills, or an archive that ends with .skill, .zip or .tar.gz.`;
  throw new SkilletError("source-not-found", message, { data: { path } });
}

function readEntry(root: string, entry: LocalEntry, budget: ReadBudget): TreeFile {
  const { path, mode } = entry;
  budget.take(path, entry.stats.size);
  const place = join(root, path);
  return { path, mode, bytes: mode === "120000" ? readLink(place, entry) : readFile(place, entry) };
}

function readFile(place: string, entry: LocalEntry): Uint8Array {
  return withRegularFile(place, ({ descriptor, stats }) => {
    checkSame(entry, stats);
    // A byte of room shows a file that grew since.
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

// Through a folder that became a link meanwhile, the same path leads to someone else's file.
function checkSame(entry: LocalEntry, now: Stats): void {
  const { stats } = entry;
  if (
    now.dev !== stats.dev ||
    now.ino !== stats.ino ||
    now.size !== stats.size ||
    now.mtimeMs !== stats.mtimeMs
  )
    throw changed(entry.path);
}

function changed(path: string): SkilletError {
  const message = `${JSON.stringify(path)} changed since its folder was looked at; try again when nobody writes there.`;
  return new SkilletError("source-changed", message, { data: { path } });
}

interface LocalEntry {
  readonly path: string;
  readonly mode: "644" | "755" | "120000";
  readonly stats: Stats;
}

// A repository's own store and installed packages: neither is part of a skill.
const SKIPPED: ReadonlySet<string> = new Set([".git", "node_modules"]);

/** Everything below a folder, in byte order of path, without following a link. */
function listFolder(
  root: string,
  options: { readonly limits: HubLimits; readonly signal?: AbortSignal | undefined },
): readonly LocalEntry[] {
  const entries: LocalEntry[] = [];
  const folders = [""];
  let seen = 0;
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    options.signal?.throwIfAborted();
    for (const name of readNames(root, folder)) {
      if (SKIPPED.has(name)) continue;
      const path = folder === "" ? name : `${folder}/${name}`;
      seen += 1;
      if (seen > options.limits.maxEntries)
        throw tooLarge(
          `${root} holds more than ${options.limits.maxEntries} files and folders.`,
          "maxEntries",
        );
      const stats = statusOf(root, path);
      if (!stats.isDirectory()) entries.push(entryOf(path, stats));
      else if (path.split("/").length > options.limits.maxDepth)
        throw tooLarge(
          `${JSON.stringify(path)} is nested deeper than ${options.limits.maxDepth} folders.`,
          "maxDepth",
          path,
        );
      else folders.push(path);
    }
  }
  return entries.sort((left, right) => compareByteOrder(left.path, right.path));
}

function readNames(root: string, folder: string): readonly string[] {
  try {
    return readdirSync(join(root, folder), { encoding: "buffer" }).map((name) => decodeName(folder, name));
  } catch (error) {
    throw unreadable(folder === "" ? root : folder, error);
  }
}

function decodeName(folder: string, name: Uint8Array): string {
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(name);
  // What was replaced in decoding could not be opened again, or would open another file.
  if (Buffer.from(text).equals(name)) return text;
  throw refused(folder === "" ? text : `${folder}/${text}`, "has a name that is not UTF-8", "Rename it.");
}

function statusOf(root: string, path: string): Stats {
  try {
    return lstatSync(join(root, path));
  } catch (error) {
    throw unreadable(path, error);
  }
}

function entryOf(path: string, stats: Stats): LocalEntry {
  if (stats.isSymbolicLink()) return { path, mode: "120000", stats };
  if (stats.isFile()) return { path, mode: (stats.mode & 0o111) === 0 ? "644" : "755", stats };
  throw refused(path, "is a FIFO, a socket or a device", "Remove it, or name a folder without it.");
}

function refused(path: string, problem: string, hint: string): SkilletError {
  return new SkilletError("source-entry-refused", `${JSON.stringify(path)} ${problem}. ${hint}`, {
    data: { path },
  });
}

function unreadable(path: string, cause: unknown): unknown {
  const errno = errorCode(cause);
  if (SkilletError.isInstance(cause) || errno === undefined) return cause;
  const message = `${JSON.stringify(path)} cannot be read (${errno}); check its permissions.`;
  return new SkilletError("source-unreadable", message, { data: { path, errno }, cause });
}
