import { lstatSync, readdirSync, type Stats } from "node:fs";
import { join } from "node:path";
import { errorCode, SkilletError } from "@skillet/kit/errors";
import { compareByteOrder } from "@skillet/kit/order";
import type { HubLimits } from "../../hub-limits.ts";
import { tooLarge } from "../read-budget.ts";

/** One name in a folder, with what it was when it was listed. */
export interface LocalEntry {
  readonly path: string;
  readonly mode: "644" | "755" | "120000";
  readonly stats: Stats;
}

// A repository's own store and installed packages: neither is part of a skill.
const SKIPPED: ReadonlySet<string> = new Set([".git", "node_modules"]);

/** Everything below a folder, in byte order of path, without following a link. */
export function listFolder(
  root: string,
  options: { readonly limits: HubLimits; readonly signal?: AbortSignal },
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
        throw tooLarge(`${root} holds more than ${options.limits.maxEntries} files and folders.`, {
          limit: "maxEntries",
        });
      const stats = statusOf(root, path);
      if (!stats.isDirectory()) entries.push(entryOf(path, stats));
      else if (path.split("/").length > options.limits.maxDepth)
        throw tooLarge(`${JSON.stringify(path)} is nested deeper than ${options.limits.maxDepth} folders.`, {
          limit: "maxDepth",
          path,
        });
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
  return new SkilletError(
    "source-unreadable",
    `${JSON.stringify(path)} cannot be read (${errno}); check its permissions.`,
    { data: { path, errno }, cause },
  );
}
