import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { TreeFile } from "@skillet/core";
import { syncDirectory } from "@skillet/kit/files";
import { writeSynced } from "./write-synced.ts";

// A disk that syncs one file after the other waits for each; more at once than this gains nothing.
const FILES_AT_ONCE = 8;
// Whatever the umask lets through, nothing of a skill may be written by everybody.
const FOLDER_MODE = 0o775;

/** Writes a tree into a new folder, everything of it on disk when the promise resolves. */
export async function stageTree(folder: string, files: readonly TreeFile[]): Promise<void> {
  await mkdir(folder, { mode: FOLDER_MODE });
  const folders = new Set<string>([folder]);
  for (const { path } of files) {
    const parts = path.split("/").slice(0, -1);
    for (let depth = 1; depth <= parts.length; depth++) folders.add(join(folder, ...parts.slice(0, depth)));
  }
  for (const path of folders) if (path !== folder) await mkdir(path, { mode: FOLDER_MODE });
  const waiting = [...files];
  const workers = Array.from({ length: FILES_AT_ONCE }, async () => {
    for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
      const path = join(folder, ...file.path.split("/"));
      await writeSynced(path, file.bytes, { mode: file.mode === "755" ? 0o775 : 0o664 });
    }
  });
  // Every worker ends before an error is passed on: none may still write while the caller cleans up.
  const results = await Promise.allSettled(workers);
  for (const result of results) if (result.status === "rejected") throw result.reason;
  for (const path of folders) await syncDirectory(path);
  await syncDirectory(dirname(folder));
}
