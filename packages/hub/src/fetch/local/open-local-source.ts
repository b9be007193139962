import { lstatSync, readlinkSync, type Stats } from "node:fs";
import { join } from "node:path";
import type { TreeFile } from "@skillet/core";
import { errorCode, SkilletError } from "@skillet/kit/errors";
import { canonicalPath, readInto, withRegularFile } from "@skillet/kit/files";
import type { LocalSource } from "../../source/source.ts";
import type { FetchContext } from "../fetch-context.ts";
import { closedSource, missingEntry } from "../open-tree.ts";
import type { OpenedSource } from "../opened-source.ts";
import { ReadBudget } from "../read-budget.ts";
import { type LocalEntry, listFolder } from "./list-folder.ts";

/**
 * Opens a folder of this machine as it is now; no link in it is followed, neither when it is listed nor when it is read.
 */
export async function openLocalSource(source: LocalSource, context: FetchContext): Promise<OpenedSource> {
  const { limits } = context;
  context.onStep?.({ step: "read", what: source.path });
  // The path itself may lead through links: it was typed by whoever asked.
  const root = checkFolder(source.path);
  const entries = listFolder(root, { limits, ...(context.signal && { signal: context.signal }) });
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
  throw new SkilletError(
    "source-not-found",
    `${path} is no folder; name the folder that holds the skills, or an archive that ends with .skill, .zip or .tar.gz.`,
    { data: { path } },
  );
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

// Through a folder that became a link meanwhile, the same path leads to somebody else's file.
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
  return new SkilletError(
    "source-changed",
    `${JSON.stringify(path)} changed since its folder was looked at; try again when nobody writes there.`,
    { data: { path } },
  );
}
