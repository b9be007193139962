import { type Digest, digestTree, type TreeEntry } from "@skillet/kit/digest";

/**
 * The digest of a tree that also counts how its paths are spelled.
 *
 * A skill's own digest holds equal what Unicode does; a disk and a script that opens a file do not.
 */
export function spelledDigest(entries: readonly TreeEntry[]): Digest {
  return digestTree(entries.map((entry) => ({ ...entry, path: Buffer.from(entry.path).toString("hex") })));
}
