import { type Diagnostic, diagnostic } from "@skillet/kit/diagnostics";
import type { TreeEntry } from "@skillet/kit/digest";
import { SkilletError } from "@skillet/kit/errors";
import { compareByteOrder } from "@skillet/kit/order";
import { showName } from "@skillet/kit/text";
import { pathBelow } from "../source/check-relative-path.ts";
import type { FileListing, SkillSource, SourceFile } from "../source/skill-source.ts";

/** One file of a skill with its bytes; for a link, the bytes are the text of its target. */
export interface TreeFile {
  /** Relative to the skill's folder, with `/`. */
  readonly path: string;
  readonly mode: TreeEntry["mode"];
  readonly bytes: Uint8Array;
}

export interface TreeOptions {
  /** Whether a skill file, by the path that the agent's tools see, was found as a skill; see `uncovered`. */
  readonly isSkill: (path: string) => boolean;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Reads every file of a skill, one at a time and in byte order of path, within the bounds of its index.
 *
 * Throws `skill-tree-unreadable` if an index would have no tree digest.
 */
export async function* readTree(
  source: SkillSource,
  folder: string,
  options: TreeOptions,
): AsyncGenerator<TreeFile, void, undefined> {
  const listing = await source.listFiles(folder, options);
  for (const fault of listingFaults(source, folder, listing, options.isSkill))
    if (fault.severity === "error") throw unreadable(fault);
  const files = [...listing.files].sort((left, right) => compareByteOrder(left.path, right.path));
  for await (const [, file] of readFiles(source, folder, files, options)) {
    if ("code" in file) throw unreadable(file);
    yield file;
  }
}

function unreadable({ code, message, file, hint }: Diagnostic): SkilletError {
  const next = hint === undefined ? "" : ` ${hint}`;
  return new SkilletError("skill-tree-unreadable", `${showName(file)}: ${message}${next}`, {
    data: { file, reason: code },
  });
}

// Skills are text and small assets; a larger file or skill is data that belongs elsewhere.
export const MAX_RESOURCE_BYTES: number = 64 * 1024 * 1024;
const MAX_SKILL_TREE_BYTES = 512 * 1024 * 1024;

/** Reads files of one skill in turn, within its bounds; yields a diagnostic for any other file. */
export async function* readFiles(
  source: SkillSource,
  folder: string,
  files: readonly SourceFile[],
  { signal }: { readonly signal?: AbortSignal | undefined } = {},
): AsyncGenerator<readonly [SourceFile, TreeFile | Diagnostic], void, undefined> {
  let total = 0;
  for (const file of files) {
    signal?.throwIfAborted();
    total += file.size;
    const shown = source.toolPath(pathBelow(folder, file.path));
    yield [
      file,
      total > MAX_SKILL_TREE_BYTES ? tooLarge(shown) : await readOne(source, folder, file, signal),
    ];
  }
}

async function readOne(
  source: SkillSource,
  folder: string,
  { path, kind, target = "", executable }: SourceFile,
  signal: AbortSignal | undefined,
): Promise<TreeFile | Diagnostic> {
  if (kind === "link") return { path, mode: "120000", bytes: Buffer.from(target) };
  const shown = source.toolPath(pathBelow(folder, path));
  try {
    const { bytes, truncated } = await source.read(pathBelow(folder, path), {
      signal,
      maxBytes: MAX_RESOURCE_BYTES,
    });
    return truncated ? tooLarge(shown) : { path, mode: executable ? "755" : "644", bytes };
  } catch (error) {
    if (!SkilletError.isInstance(error)) throw error;
    const hint = "Make it a file that you may read, or remove it.";
    return diagnostic("error", "unreadable-skill-resource", shown, error.message, hint);
  }
}

export function tooLarge(file: string): Diagnostic {
  const message = `The file is larger than ${MAX_RESOURCE_BYTES} bytes, or brings the skill over ${MAX_SKILL_TREE_BYTES}, and was not read.`;
  const hint = "Keep data out of the skill and let a script fetch it.";
  return diagnostic("error", "resource-too-large", file, message, hint);
}

/** The faults of a listing; after an error the tree has no digest. */
export function listingFaults(
  source: SkillSource,
  folder: string,
  listing: FileListing,
  isSkill: TreeOptions["isSkill"] = () => true,
): Diagnostic[] {
  const shown = (path: string): string => source.toolPath(pathBelow(folder, path));
  return [
    ...listing.diagnostics,
    ...(listing.nested ?? [])
      .map(shown)
      .filter((path) => !isSkill(path))
      .map(uncovered),
    ...findTwinPaths(listing.files.map(({ path }) => path)).map(({ path, other }) =>
      ambiguous(shown(path), other),
    ),
  ];
}

/** Otherwise a SKILL.md that does not load, or is too deep to be found, could hide a script beside it. */
function uncovered(file: string): Diagnostic {
  const message =
    "It makes its folder a skill of its own, but no such skill was found, so no digest covers what lies there.";
  const hint = "See why it does not load, or give the file another name, then reload.";
  return diagnostic("error", "nested-skill-not-found", file, message, hint);
}

/** Reports two paths with equal digests, since one could replace the other unnoticed. */
function ambiguous(file: string, other: string): Diagnostic {
  const message = `Only the way in which Unicode spells it tells it from ${showName(other)}, so the skill has no digest.`;
  const hint = "Rename or remove one of the two, then reload.";
  return diagnostic("error", "path-spelled-twice", file, message, hint);
}

/** Finds paths of files and of their folders that digests, which use NFC forms, cannot distinguish. */
export function findTwinPaths(
  paths: readonly string[],
): readonly { readonly path: string; readonly other: string }[] {
  // NFC turns signs such as KELVIN into ASCII, so ASCII paths count too, but never clash with each other.
  if (paths.every((path) => PLAIN.test(path))) return [];
  const spellings = new Map<string, string>();
  const twins = new Map<string, { readonly path: string; readonly other: string }>();
  for (const path of paths.flatMap(withFolders)) {
    const form = path.normalize("NFC");
    const other = spellings.get(form);
    if (other === undefined) spellings.set(form, path);
    else if (other !== path) twins.set(path, { path, other });
  }
  return [...twins.values()];
}

const PLAIN = /^[ -~]*$/;

function withFolders(path: string): string[] {
  const parts = path.split("/");
  return parts.map((_, index) => parts.slice(0, index + 1).join("/"));
}
