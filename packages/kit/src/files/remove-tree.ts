import { chmodSync, lstatSync, readdirSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { undefinedOn } from "../errors.ts";

/** Removes a file or a folder with everything in it, read-only folders too; no link is followed, and nothing there is fine. */
export async function removeTree(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true });
  } catch (error) {
    undefinedOn("EACCES", "EPERM", "ENOTEMPTY")(error);
    // Only a folder can be in its own way; the mode of a link's target is never changed.
    if (!lstatSync(path).isDirectory()) throw error;
    makeWritable(path);
    await rm(path, { recursive: true, force: true });
  }
}

// From the top down: a folder that cannot be listed has to be opened up before its content is known.
function makeWritable(folder: string): void {
  try {
    chmodSync(folder, 0o700);
    for (const entry of readdirSync(folder, { withFileTypes: true }))
      if (entry.isDirectory()) makeWritable(join(folder, entry.name));
  } catch (error) {
    // Another process is removing it at the same time.
    undefinedOn("ENOENT")(error);
  }
}
