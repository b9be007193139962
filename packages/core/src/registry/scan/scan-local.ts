import type { Stats } from "node:fs";
import { createPause } from "@skillet/kit/async";
import { SkilletError } from "@skillet/kit/errors";
import { type FileStamp, readInto, stampOf, statusOf, withRegularFile } from "@skillet/kit/files";
import { MAX_SKILL_BYTES } from "../../format/format-limits.ts";
import { type LocalSource, pluginManifests } from "../../source/local/local-source.ts";
import { type FoundSkill, relativePath } from "../../source/local/walk-tree.ts";
import type { SkillRoot } from "../skill-root.ts";
import type { SkillPlace } from "./discovered-skill.ts";
import { cachePlace, readDiscoveryCache, writeDiscoveryCache } from "./discovery-cache.ts";
import { SETTINGS_FILE, SkillLoader } from "./load-skill.ts";
import type { SourceScan } from "./scan-source.ts";

// Coarser than the time stamps of any file system in use: files changed later are read again.
const SETTLE_MS = 2_000;

/** Scans a local root, reading only files that changed since the cache was written. */
export async function scanLocal(
  root: SkillRoot,
  source: LocalSource,
  options: {
    readonly cacheDirectory: string | undefined;
    readonly now: number;
    readonly signal?: AbortSignal | undefined;
  },
): Promise<SourceScan> {
  const usesCache = options.cacheDirectory !== undefined && source.layout === "skills";
  const place = usesCache ? cachePlace(options.cacheDirectory, source) : undefined;
  const pause = createPause(options.signal);
  const cache = place === undefined ? undefined : await readDiscoveryCache(place);
  await pause();
  const loader = new SkillLoader(root);
  // The unchanged skills of the cache: their rows, and the current nodes of their folders.
  const [keptRows, keptNodes]: [number[], number[]] = [[], []];
  const linked: SkillRoot[] = [];
  const result = await source.walk({
    onOutside: (link, folder) => {
      const made = root.linkedRoot?.(link, folder);
      if (made !== undefined) linked.push(made);
      return made !== undefined;
    },
    onSkill: (found) => {
      const canonicalFile = found.linkedFile ?? `${found.absolute}/${found.file}`;
      const settings = found.hasAgentsFolder ? source.companionOf(found)?.stamp : undefined;
      const row = cache?.rowOfNode[found.previousNode] ?? -1;
      const stats = cache !== undefined && row >= 0 ? statusOf(canonicalFile) : undefined;
      if (cache === undefined || !stats?.isFile() || !cache.table.isUnchanged(row, stats, settings))
        return loadFound(loader, source, found, canonicalFile, settings);
      loader.keep(placeOf(source, found, canonicalFile), cache.table, row);
      keptRows.push(row);
      keptNodes.push(found.node);
      return true;
    },
    ...(cache === undefined ? {} : { previous: cache.memo }),
    signal: options.signal,
  });
  const { skills, diagnostics, failed, table } = loader;
  if (place !== undefined && result.complete && (table.count > 0 || !result.unchanged)) {
    // Adds the kept rows to the table of the skills that were read.
    for (const [index, row] of keptRows.entries()) {
      if (cache !== undefined) table.copy(cache.table, row, keptNodes[index] ?? 0);
      await pause();
    }
    await writeDiscoveryCache(place, result.memo, table, options.now - SETTLE_MS);
  }
  await pause();
  return {
    skills,
    diagnostics: [...result.diagnostics, ...diagnostics],
    failed,
    plugins: pluginManifests(result),
    linked,
  };
}

function placeOf({ canonicalRoot }: LocalSource, found: FoundSkill, canonicalFile: string): SkillPlace {
  const { file, linkPath, linkedFile } = found;
  const isLinked = linkPath !== undefined || linkedFile !== undefined;
  const folder = relativePath(canonicalRoot, found);
  return { folder, file, linkedFile: isLinked ? canonicalFile : undefined };
}

/** Loads the skill of a folder; false if the file does not exist. */
function loadFound(
  loader: SkillLoader,
  source: LocalSource,
  found: FoundSkill,
  canonicalFile: string,
  settingsStamp: FileStamp | undefined,
): boolean {
  const { node, file } = found;
  const place = placeOf(source, found, canonicalFile);
  try {
    // Before SKILL.md, because both use the same buffer.
    const settings = settingsStamp === undefined ? undefined : readSettings(found.absolute);
    const { bytes, stats } = readSkillFile(canonicalFile);
    const directoryName = source.layout === "commands" ? file.slice(0, -".md".length) : found.name;
    const stamp = stampOf(stats);
    if (stats.size > MAX_SKILL_BYTES) loader.refuseSize(place, stats.size);
    else {
      const { folder, linkedFile } = place;
      // Written out: an object spread per skill takes as long as hashing its file.
      loader.load({ folder, file, linkedFile, directoryName, bytes, settings, node, stamp, settingsStamp });
    }
    return true;
  } catch (error) {
    if (!SkilletError.isInstance(error)) throw error;
    if (found.probing || error.code === "file-not-found") return false;
    loader.refuse(place, error);
    return true;
  }
}

function readSettings(folder: string): Uint8Array | { readonly fault: string } {
  try {
    const { bytes, stats } = readSkillFile(`${folder}/${SETTINGS_FILE}`);
    return stats.size > MAX_SKILL_BYTES ? { fault: "It is too large." } : Uint8Array.from(bytes);
  } catch (error) {
    if (!SkilletError.isInstance(error)) throw error;
    return { fault: error.message };
  }
}

// One buffer for all reads of a scan: allocating per file costs as much as the read.
let shared: Buffer | undefined;

/** Reads a SKILL.md, or only its status if it is too large; the bytes are valid until the next call. */
function readSkillFile(absolute: string): { readonly bytes: Buffer; readonly stats: Stats } {
  shared ??= Buffer.allocUnsafeSlow(MAX_SKILL_BYTES);
  const buffer = shared;
  return withRegularFile(absolute, ({ descriptor, stats }) => {
    if (stats.size > MAX_SKILL_BYTES) return { bytes: buffer.subarray(0, 0), stats };
    const length = readInto(descriptor, buffer, stats.size);
    return { bytes: buffer.subarray(0, length), stats };
  });
}
