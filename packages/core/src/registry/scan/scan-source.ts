import type { Diagnostic } from "@skillet/kit/diagnostics";
import { errorCode, SkilletError } from "@skillet/kit/errors";
import { MAX_SKILL_BYTES } from "../../format/format-limits.ts";
import type { SkillFolder } from "../../source/skill-source.ts";
import { pathBelow } from "../read-tree.ts";
import type { SkillRoot } from "../skill-root.ts";
import type { DiscoveredSkill } from "./discovered-skill.ts";
import { messageOf, type SeenFiles, type SkillFiles, SkillLoader } from "./load-skill.ts";

export interface SourceScan {
  readonly skills: readonly DiscoveredSkill[];
  /** Of traversal, and of files that could not be loaded. */
  readonly diagnostics: readonly Diagnostic[];
  readonly failed: number;
  /** False when nothing in it can have been reached by two ways. */
  readonly followedLinks: boolean;
  readonly plugins: readonly { readonly path: string; readonly manifest: string }[];
}

interface ScanOptions {
  readonly signal?: AbortSignal | undefined;
}

const NOT_SEEN: SeenFiles = { node: 0, stamp: undefined, settingsStamp: undefined };

export async function scanSource(root: SkillRoot, options: ScanOptions = {}): Promise<SourceScan> {
  const listing = await root.source.listSkills(options);
  const loader = new SkillLoader(root);
  for (const folder of listing.folders) await loadFolder(loader, root, folder, options);
  const { skills, failed } = loader;
  const diagnostics = [...listing.diagnostics, ...loader.diagnostics];
  return { skills, diagnostics, failed, followedLinks: true, plugins: listing.plugins ?? [] };
}

async function loadFolder(
  loader: SkillLoader,
  root: SkillRoot,
  { path, file, companion, canonicalFile }: SkillFolder,
  options: ScanOptions,
): Promise<void> {
  const { source } = root;
  const label = source.toolPath(pathBelow(path, file));
  const bounds = { ...options, maxBytes: MAX_SKILL_BYTES };
  try {
    const { bytes, size, truncated } = await source.read(pathBelow(path, file), bounds);
    if (truncated) {
      loader.refuseSize(label, size);
      return;
    }
    const files: SkillFiles = {
      label,
      settingsLabel: companion === undefined ? "" : source.toolPath(companion.path),
      directoryName: path.slice(path.lastIndexOf("/") + 1),
      isCommand: false,
      bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
      settings: companion && (await readSettings(root, companion.path, options)),
      isReadAgain: false,
    };
    loader.load(files, { folder: path, file, linkedFile: canonicalFile }, NOT_SEEN);
  } catch (error) {
    options.signal?.throwIfAborted();
    // As in a local folder: without a SKILL.md it is a folder, not a fault.
    if (isMissing(error)) return;
    // One unreadable file must not hide the others, whatever the source throws.
    loader.refuse(label, error);
  }
}

function isMissing(error: unknown): boolean {
  return SkilletError.isInstance(error) ? error.code === "file-not-found" : errorCode(error) === "ENOENT";
}

async function readSettings(
  { source }: SkillRoot,
  path: string,
  options: ScanOptions,
): Promise<SkillFiles["settings"]> {
  try {
    const { bytes, truncated } = await source.read(path, { ...options, maxBytes: MAX_SKILL_BYTES });
    return truncated ? { fault: "It is too large." } : bytes;
  } catch (error) {
    options.signal?.throwIfAborted();
    return { fault: messageOf(error) };
  }
}
