import type { Diagnostic } from "@skillet/kit/diagnostics";
import { type Digest, digestBytes, digestTree, type TreeEntry, treeEntry } from "@skillet/kit/digest";
import { present } from "@skillet/kit/json";
import { compareByteOrder } from "@skillet/kit/order";
import { pathBelow } from "../source/check-relative-path.ts";
import type { SkillSource } from "../source/skill-source.ts";
import { contentDigest } from "./content-digest.ts";
import { hasBeyond, readBeyond } from "./read-beyond.ts";
import { listingFaults, MAX_RESOURCE_BYTES, readFiles, type TreeFile, tooLarge } from "./read-tree.ts";

/** A file of a skill, with the reason if its bytes are missing. */
export interface ContentFile extends TreeFile {
  readonly unread?: string;
}

/** Everything that a skill contains or reaches by its paths, as far as it is readable. */
export interface SkillContent {
  /** In byte order of path; a file that could not be read or listed is included without bytes. */
  readonly files: readonly ContentFile[];
  /** The `contentDigest` of everything; absent if something could not be read. */
  readonly digest?: Digest;
  /** Covers the readable files of the tree, like an index's `readDigest`. */
  readonly readDigest: Digest;
  /** The digest of SKILL.md or of its link target; absent if that could not be read. */
  readonly skillDigest?: Digest;
  /** Some of it is outside the folder whose stamp is checked. */
  readonly isElsewhere?: true;
}

export interface ContentBounds {
  readonly maxFileBytes: number;
  readonly maxTotalBytes: number;
}

type ContentOptions = ContentBounds & { readonly signal?: AbortSignal | undefined };

/**
 * Reads every file of a skill for a scan; unreadable files are reported instead of thrown.
 *
 * Includes nested skills, hidden files in a `.git` and link targets, because the skill's text can lead there.
 */
export async function readSkillContent(
  source: SkillSource,
  skill: { readonly folder: string; readonly file: string },
  options: ContentOptions,
): Promise<SkillContent> {
  const { folder } = skill;
  const listing = await source.listFiles(folder, options);
  const faults = listingFaults(source, folder, listing).filter(({ severity }) => severity === "error");
  const root = `${source.toolPath(folder)}/`;
  const files = faults.map((fault) => unread(fault, root));
  const entries: TreeEntry[] = [];
  const keep = createKeeper(options);
  let linkedSkill: Digest | undefined;
  for await (const [, file] of readFiles(source, folder, listing.files, options)) {
    if ("code" in file) {
      faults.push(file);
      files.push(unread(file, root));
      continue;
    }
    entries.push(treeEntry(file));
    if (file.path === skill.file && file.mode === "120000") {
      // The link's target is what gets loaded, so the target must be judged.
      const target = await readFile(source, skill, options);
      linkedSkill = digestBytes(target.bytes);
      files.push(keep(target));
    } else files.push(keep(file));
  }
  const beyond = hasBeyond(listing, skill.file)
    ? await readBeyond(source, skill, { listing, files }, { ...options, keep })
    : undefined;
  const readDigest = digestTree(entries);
  const isWhole = faults.length === 0 && beyond?.isWhole !== false;
  const skillDigest = linkedSkill ?? entries.find(({ path }) => path === skill.file)?.digest;
  const parts = { treeDigest: readDigest, linkedSkill, beyond: beyond?.entries ?? [] };
  const digest = isWhole ? contentDigest({ kind: "skill", ...parts }) : undefined;
  return {
    files: merge([...files, ...(beyond?.files ?? [])]),
    readDigest,
    ...present({ digest, skillDigest, isElsewhere: beyond?.isElsewhere || undefined }),
  };
}

export async function readCommandContent(
  source: SkillSource,
  skill: { readonly folder: string; readonly file: string },
  options: ContentOptions,
): Promise<SkillContent> {
  const file = await readFile(source, skill, options);
  const skillDigest = digestBytes(file.bytes);
  if (file.unread !== undefined) return { files: [file], readDigest: skillDigest };
  const digest = contentDigest({ kind: "command", treeDigest: skillDigest });
  return {
    files: [createKeeper(options)(file)],
    readDigest: skillDigest,
    skillDigest,
    ...present({ digest }),
  };
}

// A read target replaces its link: the digest covers the link's text, and a scan needs what would run.
function merge(files: readonly ContentFile[]): readonly ContentFile[] {
  const reached = new Set(files.filter(({ mode }) => mode !== "120000").map(({ path }) => path));
  return files
    .filter(({ path, mode }) => mode !== "120000" || !reached.has(path))
    .sort((left, right) => compareByteOrder(left.path, right.path));
}

/** Drops bytes that would take too much memory, and records why. */
function createKeeper({ maxFileBytes, maxTotalBytes }: ContentBounds): (file: ContentFile) => ContentFile {
  let total = 0;
  return (file) => {
    const { length } = file.bytes;
    if (length <= maxFileBytes && total + length <= maxTotalBytes) {
      total += length;
      return file;
    }
    const unread = `it has ${length} bytes; at most ${maxFileBytes} of a file and ${maxTotalBytes} of a skill are scanned`;
    return { path: file.path, mode: file.mode, bytes: new Uint8Array(), unread };
  };
}

async function readFile(
  source: SkillSource,
  { folder, file }: { readonly folder: string; readonly file: string },
  options: { readonly signal?: AbortSignal | undefined },
): Promise<ContentFile> {
  const path = pathBelow(folder, file);
  const bounds = { signal: options.signal, maxBytes: MAX_RESOURCE_BYTES };
  const { bytes, truncated } = await source.read(path, bounds);
  if (!truncated) return { path: file, mode: "644", bytes };
  return { path: file, mode: "644", bytes: new Uint8Array(), unread: tooLarge(path).message };
}

function unread({ file, message }: Diagnostic, root: string): ContentFile {
  const path = file.startsWith(root) ? file.slice(root.length) : file;
  return { path, mode: "644", bytes: new Uint8Array(), unread: message };
}
