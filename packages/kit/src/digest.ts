import { createHash, hash } from "node:crypto";
import { compareByteOrder } from "./order.ts";

/** `sha256:` and 64 lower-case hexadecimal digits. */
export type Digest = `sha256:${string}`;

export interface TreeEntry {
  readonly path: string;
  /** Git's modes: plain, executable, link; a link's content is its target path. */
  readonly mode: "644" | "755" | "120000";
  readonly digest: Digest;
  readonly size: number;
}

export function digestBytes(bytes: Uint8Array): Digest {
  return `sha256:${hash("sha256", bytes, "hex")}`;
}

/**
 * The digest of a whole skill: `mode SP sha256 SP size NUL path LF` for each file, in byte order of NFC paths.
 *
 * Skills with two paths of one NFC form get no digest. Other trees with such paths stay distinguishable:
 * these paths count as spelled, and at most one of them is in NFC.
 */
export function digestTree(entries: readonly TreeEntry[]): Digest {
  const sum = createHash("sha256");
  const sorted = entries
    .map((entry) => ({ entry, path: entry.path.normalize("NFC") }))
    .sort(
      (left, right) =>
        compareByteOrder(left.path, right.path) || compareByteOrder(left.entry.path, right.entry.path),
    );
  for (const [index, { entry, path }] of sorted.entries()) {
    const { mode, digest, size } = entry;
    const isTwin = sorted[index - 1]?.path === path || sorted[index + 1]?.path === path;
    sum.update(`${mode} ${digest.slice("sha256:".length)} ${size}\0${isTwin ? entry.path : path}\n`);
  }
  return `sha256:${sum.digest("hex")}`;
}

type FileOfTree = Pick<TreeEntry, "path" | "mode"> & { readonly bytes: Uint8Array };

export function treeEntry({ path, mode, bytes }: FileOfTree): TreeEntry {
  return { path, mode, digest: digestBytes(bytes), size: bytes.length };
}

export function treeDigestOf(files: readonly FileOfTree[]): Digest {
  return digestTree(files.map(treeEntry));
}
