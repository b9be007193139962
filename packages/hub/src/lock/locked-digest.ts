import { type Digest, digestTree } from "@skillet/kit/digest";
import type { LockEntry } from "./lock-entry.ts";

/** The digest of the files that an entry lists; it is the entry's own unless somebody wrote into the lock. */
export function lockedDigest(entry: LockEntry): Digest {
  return digestTree(Object.entries(entry.files).map(([path, file]) => ({ ...file, path })));
}
