import type { Stats } from "node:fs";
import { createPause } from "@skillet/kit/async";
import { SkilletError } from "@skillet/kit/errors";
import { type FileStamp, readInto, stampOf, withRegularFile } from "@skillet/kit/files";
import { MAX_SKILL_BYTES } from "../../format/format-limits.ts";
import { type LocalSource, pluginManifests } from "../../source/local/local-source.ts";
import { statusOf } from "../../source/local/status-of.ts";
import { type FoundSkill, relativePath } from "../../source/local/walk-tree.ts";
import { pathBelow } from "../read-tree.ts";
import type { SkillRoot } from "../skill-root.ts";
import type { SkillPlace } from "./discovered-skill.ts";
import {
  cachePlace,
  type DiscoveryCache,
  readDiscoveryCache,
  writeDiscoveryCache,
} from "./discovery-cache.ts";
import { SETTINGS_FILE, type SkillFiles, SkillLoader } from "./load-skill.ts";
import type { SourceScan } from "./scan-source.ts";

// Coarser than the time stamps of any file system in use: what changed later is read again.
const SETTLE_MS = 2_000;

/** Scans a local root, reading only the files that changed since the cache was written. */
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
  const scan = new LocalScan(root, source, cache);
  const result = await source.walk({
    onSkill: (found) => scan.take(found),
    ...(cache === undefined ? {} : { previous: cache.memo }),
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  });
  const { skills, diagnostics, failed, table } = scan.loader;
  if (place !== undefined && result.complete && (table.count > 0 || !result.unchanged)) {
    await scan.copyKept(pause);
    await writeDiscoveryCache(place, result.memo, table, options.now - SETTLE_MS);
  }
  await pause();
  return {
    skills,
    diagnostics: [...result.diagnostics, ...diagnostics],
    failed,
    followedLinks: result.followedLinks,
    plugins: pluginManifests(result),
  };
}

class LocalScan {
  readonly loader: SkillLoader;
  readonly #source: LocalSource;
  readonly #cache: DiscoveryCache | undefined;
  // The skills of the cache that did not change: their rows, and the places of their folders now.
  readonly #keptRows: number[] = [];
  readonly #keptNodes: number[] = [];

  constructor(root: SkillRoot, source: LocalSource, cache: DiscoveryCache | undefined) {
    this.loader = new SkillLoader(root);
    this.#source = source;
    this.#cache = cache;
  }

  /** Loads the skill of a folder; false when the file is not there. */
  take(found: FoundSkill): boolean {
    const canonicalFile = found.linkedFile ?? `${found.absolute}/${found.file}`;
    const settings = found.hasAgentsFolder ? this.#source.companionOf(found)?.stamp : undefined;
    const row = this.#cache?.rowOfNode[found.previousNode] ?? -1;
    if (this.#cache !== undefined && row >= 0) {
      const { table } = this.#cache;
      const stats = statusOf(canonicalFile);
      if (stats?.isFile() === true && table.isUnchanged(row, stats, settings)) {
        this.loader.keep(this.#placeOf(found, canonicalFile), table, row);
        this.#keptRows.push(row);
        this.#keptNodes.push(found.node);
        return true;
      }
    }
    return this.#read(found, canonicalFile, settings);
  }

  /** Completes the table of what was read with what was kept. */
  async copyKept(pause: () => Promise<void> | undefined): Promise<void> {
    for (const [index, row] of this.#keptRows.entries()) {
      if (this.#cache !== undefined)
        this.loader.table.copy(this.#cache.table, row, this.#keptNodes[index] ?? 0);
      const wait = pause();
      if (wait !== undefined) await wait;
    }
  }

  #placeOf(found: FoundSkill, canonicalFile: string): SkillPlace {
    const { file, linkPath, linkedFile } = found;
    const isLinked = linkPath !== undefined || linkedFile !== undefined;
    const folder = relativePath(this.#source.canonicalRoot, found);
    return { folder, file, linkedFile: isLinked ? canonicalFile : undefined };
  }

  #read(found: FoundSkill, canonicalFile: string, settingsStamp: FileStamp | undefined): boolean {
    const { node, file } = found;
    try {
      // Before SKILL.md itself: both go through one buffer.
      const settings = settingsStamp === undefined ? undefined : readSettings(found.absolute);
      const { bytes, stats } = readSkillFile(canonicalFile);
      const place = this.#placeOf(found, canonicalFile);
      const label = this.#labelOf(place.folder, file);
      if (stats.size > MAX_SKILL_BYTES) {
        this.loader.refuseSize(label, stats.size);
        return true;
      }
      const isCommand = this.#source.layout === "commands";
      const files: SkillFiles = {
        label,
        settingsLabel: settings === undefined ? "" : this.#labelOf(place.folder, SETTINGS_FILE),
        directoryName: isCommand ? file.slice(0, -".md".length) : found.name,
        isCommand,
        bytes,
        settings,
        isReadAgain: true,
      };
      this.loader.load(files, place, { node, stamp: stampOf(stats), settingsStamp });
      return true;
    } catch (error) {
      if (!SkilletError.isInstance(error)) throw error;
      if (found.probing || error.code === "file-not-found") return false;
      this.loader.refuse(this.#labelOf(relativePath(this.#source.canonicalRoot, found), file), error);
      return true;
    }
  }

  #labelOf(folder: string, file: string): string {
    return this.#source.toolPath(pathBelow(folder, file));
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

/** Reads a SKILL.md whole, or only its status when it is too large; the bytes are valid until the next call. */
function readSkillFile(absolute: string): { readonly bytes: Buffer; readonly stats: Stats } {
  shared ??= Buffer.allocUnsafeSlow(MAX_SKILL_BYTES);
  const buffer = shared;
  return withRegularFile(absolute, ({ descriptor, stats }) => {
    if (stats.size > MAX_SKILL_BYTES) return { bytes: buffer.subarray(0, 0), stats };
    const length = readInto(descriptor, buffer, stats.size);
    return { bytes: buffer.subarray(0, length), stats };
  });
}
