import { type FSWatcher, watch } from "node:fs";
import { basename, dirname } from "node:path";
import { errorCode } from "@skillet/kit/errors";
import { leadsNowhere, statusOf } from "@skillet/kit/files";

// inotify allows a few thousand watches per user; further folders are only polled.
const MAX_WATCHED_FOLDERS = 4_096;

/** How much is watched. */
export interface WatchCoverage {
  /** Folders whose changes are reported immediately. */
  readonly watched: number;
  /** Folders above the limit of the system or of Skillet; their changes are seen at the next poll. */
  readonly polled: number;
}

export interface WatchTargets {
  readonly files: Iterable<string>;
  readonly folders: Iterable<string>;
}

export interface FolderWatcher {
  readonly coverage: WatchCoverage;
  /** Watches exactly these from now on; a missing one through the nearest existing folder above it. */
  update(targets: WatchTargets): void;
  close(): void;
}

/** The names in a folder that matter; `undefined` for all of them. */
type Interest = Set<string> | undefined;

/** Watches folders one by one, because recursive watching is not available on every platform. */
export function watchFolders(onChange: () => void): FolderWatcher {
  const watchers = new Map<string, FSWatcher>();
  let interests: ReadonlyMap<string, Interest> = new Map();
  const forget = (folder: string): void => {
    watchers.get(folder)?.close();
    watchers.delete(folder);
  };
  // Watching the home folder for one missing folder must not reload on other changes there.
  const hear = (folder: string, name: string | null): void => {
    const interest = interests.get(folder);
    if (interest === undefined || name === null || interest.has(name) || name === basename(folder))
      onChange();
  };
  return {
    get coverage() {
      return { watched: watchers.size, polled: interests.size - watchers.size };
    },
    update(targets) {
      interests = findInterests(targets);
      const wanted = new Set([...interests.keys()].slice(0, MAX_WATCHED_FOLDERS));
      for (const folder of watchers.keys()) if (!wanted.has(folder)) forget(folder);
      for (const folder of wanted) {
        if (watchers.has(folder)) continue;
        const watcher = start(folder, { hear: (name) => hear(folder, name), onEnd: () => forget(folder) });
        if (watcher !== undefined) watchers.set(folder, watcher);
      }
    },
    close() {
      for (const folder of [...watchers.keys()]) forget(folder);
    },
  };
}

// In the order of the targets: if not all can be watched, the first ones are.
function findInterests({ files, folders }: WatchTargets): Map<string, Interest> {
  const interests = new Map<string, Interest>();
  const add = (folder: string, name: string | undefined): void => {
    const known = interests.get(folder);
    if (name === undefined) interests.set(folder, undefined);
    else if (!interests.has(folder)) interests.set(folder, new Set([name]));
    else known?.add(name);
  };
  const addPath = (path: string, name: string | undefined): void => {
    let folder = path;
    let child = name;
    while (statusOf(folder) === undefined && dirname(folder) !== folder) {
      child = basename(folder);
      folder = dirname(folder);
    }
    add(folder, child);
  };
  for (const file of files) addPath(dirname(file), basename(file));
  for (const folder of folders) addPath(folder, undefined);
  return interests;
}

function start(
  folder: string,
  on: { readonly hear: (name: string | null) => void; readonly onEnd: () => void },
): FSWatcher | undefined {
  try {
    const watcher = watch(folder, { persistent: false }, (_, name) => on.hear(name));
    // The folder was removed or the watches ran out; polling still sees it.
    watcher.on("error", () => {
      on.onEnd();
      on.hear(null);
    });
    return watcher;
  } catch (error) {
    if (leadsNowhere(error) || USED_UP.has(errorCode(error) ?? "")) return undefined;
    throw error;
  }
}

const USED_UP: ReadonlySet<string> = new Set(["ENOSPC", "EMFILE", "ENFILE", "ENOMEM"]);
