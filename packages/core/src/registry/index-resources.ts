import { isUtf8 } from "node:buffer";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { digestBytes, digestTree, type TreeEntry } from "@skillet/kit/digest";
import { showName } from "@skillet/kit/text";
import type { FileListing, SkillSource, SourceFile } from "../source/skill-source.ts";
import { findTwinPaths } from "./find-twin-paths.ts";
import { hasBeyond } from "./read-beyond.ts";
import { MAX_RESOURCE_BYTES, pathBelow, TreeFileReader, tooLarge } from "./read-tree-file.ts";
import type { Resource, ResourceIndex, ResourceKind } from "./resource.ts";
import { scriptFacts } from "./script-facts.ts";

const KINDS: ReadonlyMap<string, ResourceKind> = new Map([
  ["references", "reference"],
  ["assets", "asset"],
  ["templates", "template"],
  ["scripts", "script"],
]);

/** What indexing needs besides the skill. */
export interface IndexOptions {
  /** Whether a skill file, as the agent's tools see it, is a skill that was found; see `uncovered`. */
  readonly isSkill: (path: string) => boolean;
  readonly signal?: AbortSignal;
}

/** Digests every file of a skill; the tree has a digest only if every file was read whole. */
export async function indexResources(
  source: SkillSource,
  skill: { readonly folder: string; readonly file: string },
  options: IndexOptions,
): Promise<ResourceIndex> {
  const listing = await source.listFiles(skill.folder, options);
  const resources: Resource[] = [];
  const entries: TreeEntry[] = [];
  const diagnostics: Diagnostic[] = [
    ...listing.diagnostics,
    ...uncovered(source, skill.folder, listing, options),
    ...ambiguous(source, skill.folder, listing),
  ];
  const reader = new TreeFileReader(source, skill.folder);
  for (const listed of listing.files) {
    options.signal?.throwIfAborted();
    const file = await reader.read(listed);
    if ("code" in file) {
      diagnostics.push(file);
      continue;
    }
    const digest = digestBytes(file.bytes);
    entries.push({ path: file.path, mode: file.mode, digest, size: file.bytes.length });
    if (file.path !== skill.file) resources.push(describe(listed, file.bytes, digest));
  }
  const readDigest = digestTree(entries);
  const complete = diagnostics.every(({ severity }) => severity !== "error");
  // A link's digest is that of its text, which says nothing about the file that it leads to.
  const isFile = listing.files.some(({ path, kind }) => path === skill.file && kind === "file");
  const skillDigest = isFile ? entries.find(({ path }) => path === skill.file)?.digest : undefined;
  return {
    resources,
    diagnostics,
    readDigest,
    ...(complete ? { treeDigest: readDigest } : {}),
    ...(hasBeyond(listing, skill.file) ? { hasBeyond: true } : {}),
    ...(skillDigest === undefined ? {} : { skillDigest }),
  };
}

/** The index of a command, which is its one file: the folder around it holds other commands. */
export async function indexCommand(
  source: SkillSource,
  skill: { readonly folder: string; readonly file: string },
  options: { readonly signal?: AbortSignal } = {},
): Promise<ResourceIndex> {
  const { bytes, truncated } = await source.read(pathBelow(skill.folder, skill.file), {
    ...options,
    maxBytes: MAX_RESOURCE_BYTES,
  });
  if (truncated)
    return { resources: [], diagnostics: [tooLarge(source.toolPath(pathBelow(skill.folder, skill.file)))] };
  const digest = digestBytes(bytes);
  return { resources: [], treeDigest: digest, readDigest: digest, skillDigest: digest, diagnostics: [] };
}

/**
 * Folders whose files would be in no digest: left out here as skills of their own, and found by nobody.
 *
 * A SKILL.md that does not load, or lies deeper than skills are looked for, would otherwise hide a script beside it.
 */
export function uncovered(
  source: SkillSource,
  folder: string,
  listing: FileListing,
  options: Pick<IndexOptions, "isSkill">,
): Diagnostic[] {
  return (listing.nested ?? [])
    .map((file) => source.toolPath(pathBelow(folder, file)))
    .filter((path) => !options.isSkill(path))
    .map((file) => ({
      code: "nested-skill-not-found",
      severity: "error",
      message:
        "It makes its folder a skill of its own, but no such skill was found, so no digest covers what lies there.",
      file,
      hint: "See why it does not load, or give the file another name, then reload.",
    }));
}

/** Files and folders that a digest could not tell apart, so that one could take the other's place unseen. */
export function ambiguous(source: SkillSource, folder: string, { files }: FileListing): Diagnostic[] {
  return findTwinPaths(files.map(({ path }) => path)).map(({ path, other }) => ({
    code: "path-spelled-twice",
    severity: "error",
    message: `Only the way in which Unicode spells it tells it from ${showName(other)}, so the skill has no digest.`,
    file: source.toolPath(pathBelow(folder, path)),
    hint: "Rename or remove one of the two, then reload.",
  }));
}

function describe(file: SourceFile, bytes: Uint8Array, digest: Resource["digest"]): Resource {
  const kind = KINDS.get(file.path.slice(0, Math.max(0, file.path.indexOf("/")))) ?? "other";
  const contentKind = file.kind === "link" ? "link" : isUtf8(bytes) && !bytes.includes(0) ? "text" : "binary";
  const script = file.kind === "link" ? undefined : scriptFacts(file, bytes, kind);
  return {
    path: file.path,
    kind,
    size: bytes.length,
    digest,
    contentKind,
    ...(script === undefined ? {} : { script }),
  };
}
