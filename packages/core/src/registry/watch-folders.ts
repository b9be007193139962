import { type FSWatcher, lstatSync, watch } from "node:fs";
import { dirname } from "node:path";
import { errorCode } from "../error-code.ts";

// inotify hands out a few thousand watches a user; beyond this the rest is covered by polling alone.
const MAX_WATCHED_FOLDERS = 4_096;

/** Something that tells when a folder's content may have changed. */
export interface FolderWatcher {
  /** Watches exactly these folders from now on; a missing one is watched for through the nearest folder above it. */
  update(folders: Iterable<string>): void;
  close(): void;
}

/** Watches folders one by one, not recursively: recursive watching is not to be had on every platform. */
export function watchFolders(onChange: () => void): FolderWatcher {
  const watchers = new Map<string, FSWatcher>();
  const forget = (folder: string): void => {
    watchers.get(folder)?.close();
    watchers.delete(folder);
  };
  return {
    update(folders) {
      const wanted = new Set<string>();
      for (const folder of folders) {
        if (wanted.size >= MAX_WATCHED_FOLDERS) break;
        wanted.add(nearestExisting(folder));
      }
      for (const folder of watchers.keys()) if (!wanted.has(folder)) forget(folder);
      for (const folder of wanted) if (!watchers.has(folder)) start(watchers, folder, { onChange, forget });
    },
    close() {
      for (const folder of [...watchers.keys()]) forget(folder);
    },
  };
}

function start(
  watchers: Map<string, FSWatcher>,
  folder: string,
  on: { onChange: () => void; forget: (folder: string) => void },
): void {
  try {
    const watcher = watch(folder, { persistent: false }, on.onChange);
    // The folder was removed or the watches ran out: the poll still sees it.
    watcher.on("error", () => {
      on.forget(folder);
      on.onChange();
    });
    watchers.set(folder, watcher);
  } catch (error) {
    const code = errorCode(error) ?? "";
    if (!["ENOENT", "ENOTDIR", "ENOSPC", "EMFILE", "EACCES"].includes(code)) throw error;
  }
}

function nearestExisting(folder: string): string {
  let current = folder;
  while (lstatSync(current, { throwIfNoEntry: false }) === undefined && dirname(current) !== current)
    current = dirname(current);
  return current;
}
