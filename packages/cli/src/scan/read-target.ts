import {
  type ContentBounds,
  parseSkillBytes,
  readCommandContent,
  readSkillContent,
  type SkillContent,
  type SkillToVet,
} from "@skillet/core";
import { SkilletError } from "@skillet/kit/errors";
import type { ScanTarget } from "./scan-target.ts";

/** What could not be entered at all has files without bytes, and no digests. */
type TargetContent = Pick<SkillContent, "files"> & Partial<Omit<SkillContent, "files">>;

/** Everything of one skill that a scan takes. */
export interface ReadTarget {
  readonly name: string;
  readonly content: TargetContent;
}

/** Reads all files of a skill through the file gate; what cannot be had is handed over with the reason. */
export async function readTarget(
  target: ScanTarget,
  bounds: ContentBounds,
  installed?: Pick<SkillToVet, "read">,
): Promise<ReadTarget> {
  const content = await readContent(target, bounds, installed);
  return { name: nameOf(target, content), content };
}

async function readContent(
  { source, folder, file, extent }: ScanTarget,
  bounds: ContentBounds,
  installed: Pick<SkillToVet, "read"> | undefined,
): Promise<TargetContent> {
  try {
    // Read as sessions read it, so that the digest is the one that they look up.
    if (installed !== undefined) return await installed.read(bounds);
    if (extent === "file") return await readCommandContent(source, { folder, file }, bounds);
    return await readSkillContent(source, { folder, file }, bounds);
  } catch (error) {
    if (!SkilletError.isInstance(error)) throw error;
    return { files: [{ path: file, mode: "644", bytes: new Uint8Array(), unread: error.message }] };
  }
}

function nameOf({ extent, file, directoryName }: ScanTarget, { files }: TargetContent): string {
  if (extent === "file") return file;
  const skillFile = files.find(({ path, unread }) => path === file && unread === undefined);
  if (skillFile === undefined) return directoryName;
  const { manifest } = parseSkillBytes(skillFile.bytes, { mode: "lenient", file, directoryName });
  return manifest?.name ?? directoryName;
}
