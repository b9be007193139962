import { join, resolve } from "node:path";
import type { TreeFile } from "@skillet/core";
import { SkilletError } from "@skillet/kit/errors";
import { canonicalPath } from "@skillet/kit/files";
import type { LockEntry } from "../lock/lock-entry.ts";
import { linkDestination } from "../place/locate-target.ts";
import type { HubParts } from "./hub-parts.ts";
import { asInstalled, readNewest } from "./plan-update.ts";

/** The files of a linked entry as they lie in its folder; undefined unless they are exactly what the lock says. */
export async function readLinked(
  parts: HubParts,
  name: string,
  entry: LockEntry,
): Promise<readonly TreeFile[] | undefined> {
  try {
    const reading = await readNewest(parts, name, entry);
    if ("problem" in reading || reading.resolved.kind !== "local") return undefined;
    const { digest, files, folder } = asInstalled(reading, name);
    // Whoever writes a lock can name one folder as the source and link to another.
    const read = join(resolve(parts.root, reading.resolved.path), ...folder.split("/"));
    const used = linkDestination(entry, { root: parts.root, outside: parts.outside });
    const isUsed = used !== undefined && canonicalPath(used) === canonicalPath(read);
    return isUsed && digest === entry.digest ? files : undefined;
  } catch (error) {
    // What cannot be read is not known to be the same.
    if (SkilletError.isInstance(error)) return undefined;
    throw error;
  }
}
