import { posix } from "node:path";
import type { TreeFile } from "@skillet/core";

// Linux gives up after 40 links as well.
const MAX_LINKS = 40;

/**
 * Replaces each link by a plain copy of the file it leads to; one that leads anywhere but to a file of the same skill is
 * named instead.
 *
 * A link that leaves the skill would copy a file of whoever installs it, such as a key in their home.
 */
export function followLinks(
  files: readonly TreeFile[],
): { readonly files: readonly TreeFile[] } | { readonly problem: string } {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const plain: TreeFile[] = [];
  for (const file of files) {
    const target = file.mode === "120000" ? follow(file, byPath) : file;
    if (target === undefined) {
      const text = new TextDecoder().decode(file.bytes).slice(0, 200);
      return { problem: `${file.path} is a link to ${JSON.stringify(text)}, which is no file of it` };
    }
    plain.push({ ...target, path: file.path });
  }
  return { files: plain };
}

function follow(link: TreeFile, byPath: ReadonlyMap<string, TreeFile>): TreeFile | undefined {
  let current = link;
  for (let links = 0; links < MAX_LINKS && current.mode === "120000"; links++) {
    const text = new TextDecoder().decode(current.bytes);
    if (text.startsWith("/") || text.includes("\\") || text.includes("\0")) return undefined;
    const next = byPath.get(posix.join(posix.dirname(current.path), text));
    if (next === undefined) return undefined;
    current = next;
  }
  return current.mode === "120000" ? undefined : current;
}
