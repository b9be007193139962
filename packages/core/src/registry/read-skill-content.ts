import type { Diagnostic } from "../diagnostic.ts";
import { type Digest, digestBytes, digestTree, type TreeEntry } from "../digest.ts";
import type { SkillSource } from "../source/skill-source.ts";
import { ambiguous, type IndexOptions, uncovered } from "./index-resources.ts";
import { MAX_RESOURCE_BYTES, pathBelow, TreeFileReader, tooLarge } from "./read-tree-file.ts";
import type { TreeFile } from "./tree-file.ts";

/** A file of a skill, with the reason where its bytes are not the whole of it. */
export interface ContentFile extends TreeFile {
  readonly unread?: string;
}

/** Everything that a skill holds, as far as it could be had. */
export interface SkillContent {
  /** In byte order of path; what could not be read or listed stands here too, without bytes. */
  readonly files: readonly ContentFile[];
  /** Over all of it, as `contentDigest` gives it; absent when something could not be read. */
  readonly digest?: Digest;
}

/** How much of a skill is kept in memory; what is beyond is digested all the same. */
export interface ContentBounds {
  readonly maxFileBytes: number;
  readonly maxTotalBytes: number;
}

/** Reads every file of a skill for a scan; what cannot be had is told instead of thrown. */
export async function readSkillContent(
  source: SkillSource,
  skill: { readonly folder: string; readonly file: string },
  options: IndexOptions & ContentBounds,
): Promise<SkillContent> {
  const { folder } = skill;
  const listing = await source.listFiles(folder, options);
  const faults = [
    ...listing.diagnostics,
    ...uncovered(source, folder, listing, options),
    ...ambiguous(source, folder, listing),
  ].filter(({ severity }) => severity === "error");
  const root = `${source.toolPath(folder)}/`;
  const files = faults.map((fault) => unread(fault, root));
  const entries: TreeEntry[] = [];
  const kept = new KeptBytes(options);
  const reader = new TreeFileReader(source, folder);
  let linkedSkill: Digest | undefined;
  for (const listed of listing.files) {
    options.signal?.throwIfAborted();
    const file = await reader.read(listed, options);
    if ("code" in file) {
      faults.push(file);
      files.push(unread(file, root));
      continue;
    }
    entries.push({
      path: file.path,
      mode: file.mode,
      digest: digestBytes(file.bytes),
      size: file.bytes.length,
    });
    if (file.path === skill.file && file.mode === "120000") {
      // What is loaded is where the link leads, so that is what must be judged.
      const target = await readFile(source, skill, options);
      linkedSkill = digestBytes(target.bytes);
      files.push(kept.keep(target));
    } else files.push(kept.keep(file));
  }
  const tree = faults.length > 0 ? undefined : digestTree(entries);
  const digest = contentDigest({ treeDigest: tree, linkedSkill });
  return { files, ...(digest !== undefined && { digest }) };
}

/** Reads the one file of a command, whose folder holds other commands. */
export async function readCommandContent(
  source: SkillSource,
  skill: { readonly folder: string; readonly file: string },
  options: { readonly signal?: AbortSignal } & ContentBounds,
): Promise<SkillContent> {
  const file = await readFile(source, skill, options);
  if (file.unread !== undefined) return { files: [file] };
  return { files: [new KeptBytes(options).keep(file)], digest: digestBytes(file.bytes) };
}

/**
 * The digest over what a skill gives a model: that of its tree and, where SKILL.md is a link, of the file it leads to.
 *
 * A tree counts a link as its text, so the same tree could say anything.
 */
export function contentDigest(of: {
  readonly treeDigest?: Digest | undefined;
  readonly linkedSkill?: Digest | undefined;
}): Digest | undefined {
  const { treeDigest, linkedSkill } = of;
  if (treeDigest === undefined || linkedSkill === undefined) return treeDigest;
  return digestBytes(Buffer.from(`${treeDigest}\n${linkedSkill}\n`));
}

/** Drops the bytes of what would take too much memory, and says so. */
class KeptBytes {
  readonly #bounds: ContentBounds;
  #total = 0;

  constructor(bounds: ContentBounds) {
    this.#bounds = bounds;
  }

  keep(file: ContentFile): ContentFile {
    const { maxFileBytes, maxTotalBytes } = this.#bounds;
    const { length } = file.bytes;
    if (length <= maxFileBytes && this.#total + length <= maxTotalBytes) {
      this.#total += length;
      return file;
    }
    const unread = `it has ${length} bytes; at most ${maxFileBytes} of a file and ${maxTotalBytes} of a skill are scanned`;
    return { path: file.path, mode: file.mode, bytes: new Uint8Array(), unread };
  }
}

async function readFile(
  source: SkillSource,
  { folder, file }: { readonly folder: string; readonly file: string },
  options: { readonly signal?: AbortSignal },
): Promise<ContentFile> {
  const path = pathBelow(folder, file);
  const { signal } = options;
  const { bytes, truncated } = await source.read(path, {
    ...(signal && { signal }),
    maxBytes: MAX_RESOURCE_BYTES,
  });
  if (!truncated) return { path: file, mode: "644", bytes };
  return { path: file, mode: "644", bytes: new Uint8Array(), unread: tooLarge(path).message };
}

function unread({ file, message }: Diagnostic, root: string): ContentFile {
  const path = file.startsWith(root) ? file.slice(root.length) : file;
  return { path, mode: "644", bytes: new Uint8Array(), unread: message };
}
