import type { TreeFile } from "@skillet/core";
import { type Digest, digestBytes, digestTree } from "@skillet/kit/digest";

/** The digest of a tree whose bytes are at hand. */
export function treeDigestOf(files: readonly TreeFile[]): Digest {
  return digestTree(
    files.map(({ path, mode, bytes }) => ({ path, mode, digest: digestBytes(bytes), size: bytes.length })),
  );
}
