import type { TreeFile } from "@skillet/core";
import { type Digest, digestBytes, digestTree, type TreeEntry } from "@skillet/kit/digest";
import { spelledDigest } from "../read-staged-tree.ts";

/** The text of a file or of an executable, or the target of a link. */
export type Content = string | { readonly executable: string } | { readonly link: string };

/** The files of a tree for a test, in byte order of path. */
export function treeFiles(tree: Readonly<Record<string, Content>>): readonly TreeFile[] {
  return Object.entries(tree)
    .map(([path, content]): TreeFile => {
      if (typeof content === "string") return { path, mode: "644", bytes: Buffer.from(content) };
      if ("link" in content) return { path, mode: "120000", bytes: Buffer.from(content.link) };
      return { path, mode: "755", bytes: Buffer.from(content.executable) };
    })
    .sort((left, right) => Buffer.compare(Buffer.from(left.path), Buffer.from(right.path)));
}

/** The digest that core would have recorded. */
export function digestOf(files: readonly TreeFile[]): Digest {
  return digestTree(entriesOf(files));
}

/** The digest that proves a copy intact. */
export function keptDigestOf(files: readonly TreeFile[]): Digest {
  return spelledDigest(entriesOf(files));
}

function entriesOf(files: readonly TreeFile[]): TreeEntry[] {
  return files.map(({ path, mode, bytes }) => ({
    path,
    mode,
    digest: digestBytes(bytes),
    size: bytes.length,
  }));
}

/** Yields files one after the other, and counts them. */
export class CountedFiles implements AsyncIterable<TreeFile> {
  readonly #files: readonly TreeFile[];
  given = 0;

  constructor(files: readonly TreeFile[]) {
    this.#files = files;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<TreeFile> {
    for (const file of this.#files) {
      this.given++;
      yield file;
    }
  }
}
