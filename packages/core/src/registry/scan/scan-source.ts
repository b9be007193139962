import { createPause } from "@skillet/kit/async";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { errorCode, SkilletError } from "@skillet/kit/errors";
import { MAX_SKILL_BYTES } from "../../format/format-limits.ts";
import { pathBelow } from "../../source/check-relative-path.ts";
import { inParallel } from "../../source/in-parallel.ts";
import type { SkillFolder, SkillListing, SkillSource, SourceRead } from "../../source/skill-source.ts";
import type { SkillRoot } from "../skill-root.ts";
import type { DiscoveredSkill } from "./discovered-skill.ts";
import { type FoundFiles, messageOf, SkillLoader } from "./load-skill.ts";

export interface SourceScan {
  readonly skills: readonly DiscoveredSkill[];
  /** About the traversal and about files that could not be loaded. */
  readonly diagnostics: readonly Diagnostic[];
  readonly failed: number;
  readonly plugins: readonly { readonly path: string; readonly manifest: string }[];
  /** Roots that links in this one lead to. */
  readonly linked?: readonly SkillRoot[];
}

interface ScanOptions {
  readonly signal?: AbortSignal | undefined;
}

/** What a source had the last time, with its version; the folders of the listing have their own. */
interface KnownScan {
  readonly version: string | undefined;
  readonly listing: SkillListing;
  /** By path of the file: a folder can contain several. */
  readonly versions: ReadonlyMap<string, string | undefined>;
  readonly skills: ReadonlyMap<string, DiscoveredSkill>;
}

const known = new WeakMap<SkillSource, KnownScan>();
const DEFAULT_CONCURRENCY = 16;

/** Reads several files in parallel; skips a file whose version is unchanged. */
export async function scanSource(root: SkillRoot, options: ScanOptions = {}): Promise<SourceScan> {
  const { source } = root;
  const before = known.get(source);
  const version = await source.version?.(options);
  const isSame = version !== undefined && version === before?.version;
  const listing = isSame ? before.listing : await source.listSkills(options);
  const loader = new SkillLoader(root);
  const read = async (folder: SkillFolder): Promise<() => void> => {
    const path = pathBelow(folder.path, folder.file);
    const was = before?.skills.get(path);
    const isKept = isSame || (folder.version !== undefined && folder.version === before?.versions.get(path));
    if (was === undefined || !isKept) return readFolder(loader, root, folder, options);
    return () => loader.skills.push(was.again(root));
  };
  const pause = createPause(options.signal);
  for await (const load of inParallel(listing.folders, source.concurrency ?? DEFAULT_CONCURRENCY, read)) {
    load();
    await pause();
  }
  const { skills, failed } = loader;
  known.set(source, {
    version,
    listing,
    versions: new Map(listing.folders.map((one) => [pathBelow(one.path, one.file), one.version])),
    skills: new Map(skills.map((skill) => [pathBelow(skill.folder, skill.file), skill])),
  });
  const diagnostics = [...listing.diagnostics, ...loader.diagnostics];
  return { skills, diagnostics, failed, plugins: listing.plugins ?? [] };
}

/** Returns what to do when a folder's turn comes: skills are loaded in the order of the listing. */
async function readFolder(
  loader: SkillLoader,
  root: SkillRoot,
  { path, file, companion, canonicalFile, header }: SkillFolder,
  options: ScanOptions,
): Promise<() => void> {
  const { source } = root;
  const place = { folder: path, file, linkedFile: canonicalFile };
  try {
    const { bytes, size, truncated } =
      header === undefined
        ? await source.read(pathBelow(path, file), { ...options, maxBytes: MAX_SKILL_BYTES })
        : asRead(header.text);
    if (truncated) return () => loader.refuseSize(place, size);
    const found: FoundFiles = {
      ...place,
      directoryName: path.slice(path.lastIndexOf("/") + 1),
      bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
      settings: companion && (await readSettings(root, companion.path, options)),
      digest: header?.digest,
    };
    return () => loader.load(found);
  } catch (error) {
    options.signal?.throwIfAborted();
    // As in a local root: a folder without a SKILL.md is not a fault.
    if (isMissing(error)) return () => undefined;
    // One unreadable file must not hide the others, whatever the source throws.
    return () => loader.refuse(place, error);
  }
}

function asRead(text: string): SourceRead {
  const bytes = Buffer.from(text);
  return { bytes, size: bytes.length, truncated: bytes.length > MAX_SKILL_BYTES };
}

function isMissing(error: unknown): boolean {
  return SkilletError.isInstance(error) ? error.code === "file-not-found" : errorCode(error) === "ENOENT";
}

async function readSettings(
  { source }: SkillRoot,
  path: string,
  options: ScanOptions,
): Promise<FoundFiles["settings"]> {
  try {
    const { bytes, truncated } = await source.read(path, { ...options, maxBytes: MAX_SKILL_BYTES });
    return truncated ? { fault: "It is too large." } : bytes;
  } catch (error) {
    options.signal?.throwIfAborted();
    return { fault: messageOf(error) };
  }
}
